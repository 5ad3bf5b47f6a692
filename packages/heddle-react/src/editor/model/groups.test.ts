import { expect, test } from 'vitest';
import { drawEdges } from './graph.ts';
import { addGroup, changeGroup, foldedInto, groupsOf, shownEdges } from './groups.ts';
import { tokenAdapter } from './token-adapter.ts';

const definition = {
  id: 'w',
  nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  transitions: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
  ],
};

test('a folded group stands for its nodes; without it nothing of it is left', () => {
  const grouped = addGroup(definition, ['a', 'b']);
  const folded = changeGroup(grouped, 'group-1', { isFolded: true });
  const edges = shownEdges(drawEdges(folded, tokenAdapter), foldedInto(groupsOf(folded)));
  expect(edges.map(({ from, to }) => [from, to])).toEqual([['group-1', 'c']]);
  expect(changeGroup(folded, 'group-1', null)).toEqual(definition);
});

test('a node is in one group, and a group without nodes is gone', () => {
  const moved = addGroup(addGroup(definition, ['a']), ['a', 'b']);
  expect(groupsOf(moved).map(({ nodes }) => nodes)).toEqual([['a', 'b']]);
});
