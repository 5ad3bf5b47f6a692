import { expect, test } from 'vitest';
import { openState, presentIn, reduceEditor } from './editor-state.ts';
import { adapters } from './model/adapters.ts';
import { drawGraph } from './model/graph.ts';

test('what undoing took away is not selected any more', () => {
  const known = { actions: [], nodeTypes: [] } as unknown as Parameters<typeof drawGraph>[2]; // an engine without either
  const graphOf = (state: ReturnType<typeof openState>) =>
    drawGraph(state.history.present.definition, adapters.token, known);
  const before = openState({ definition: { id: 'a', nodes: [{ id: 'one' }], transitions: [] }, text: null });
  const added = reduceEditor(before, {
    type: 'edit',
    label: 'Add',
    change: (definition) => ({ ...definition, nodes: [{ id: 'one' }, { id: 'two' }] }),
    select: { nodes: ['one', 'two'], edges: [] },
  });
  expect(presentIn(graphOf(added), added.selection).nodes).toEqual(['one', 'two']);
  const undone = reduceEditor(added, { type: 'undo' });
  expect(presentIn(graphOf(undone), undone.selection).nodes).toEqual(['one']);
});
