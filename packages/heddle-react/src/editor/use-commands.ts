// Commands: what can be done to the drawing, by menus, keys and the palette alike. Each is one step to undo.

import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useMemo } from 'react';
import { layOut } from '../canvas/layout.ts';
import { nodeSize } from '../canvas/node-box.tsx';
import { type Editor, useEditor } from './editor-context.ts';
import { nothingSelected } from './editor-state.ts';
import type { Ends, Fragment, PaletteItem, Point } from './model/adapter.ts';
import {
  changeNode,
  connect,
  copyParts,
  drawEdges,
  insertFragment,
  moveNodes,
  readFragment,
  removeParts,
  writeFragment,
} from './model/graph.ts';
import { addGroup, changeGroup, groupsOf } from './model/groups.ts';
import { freeSpot, sizeOf, spotBelow } from './model/spots.ts';

export interface Commands {
  /** At a point, or below what is selected and connected with it. */
  readonly add: (item: PaletteItem, at?: Point) => void;
  /** Says why, if it cannot be. */
  readonly connectNodes: (ends: Ends) => boolean;
  readonly remove: () => void;
  readonly duplicate: () => void;
  readonly copy: () => void;
  readonly cut: () => void;
  readonly paste: () => void;
  readonly pasteText: (text: string) => void;
  readonly selectAll: () => void;
  readonly arrange: () => void;
  readonly group: () => void;
  readonly ungroup: () => void;
  readonly fold: () => void;
  readonly fit: () => void;
}

export function useCommands(): Commands {
  const editor = useEditor();
  const flow = useReactFlow();
  const store = useStoreApi();
  return useMemo(() => {
    const middle = (): Point => {
      const pane = store.getState().domNode?.getBoundingClientRect();
      if (pane === undefined) return { x: 0, y: 0 };
      const { x, y } = flow.screenToFlowPosition({ x: pane.x + pane.width / 2, y: pane.y + pane.height / 3 });
      return { x: x - nodeSize.width / 2, y };
    };
    return {
      ...drawingCommands(editor, middle),
      ...clipboardCommands(editor, middle),
      ...groupCommands(editor),
      fit: () => void flow.fitView({ padding: 0.2, maxZoom: 1 }),
    };
  }, [editor, flow, store]);
}

type Middle = () => Point;

function drawingCommands(
  editor: Editor,
  middle: Middle,
): Pick<Commands, 'add' | 'connectNodes' | 'remove' | 'selectAll' | 'arrange'> {
  const { adapter, definition, graph, known, state } = editor;
  const { selection } = state;
  return {
    add: (item, at) => add(editor, item, at ?? spotFor(editor, item.fragment, middle), at === undefined),
    connectNodes: (ends) => {
      const reason = adapter.refuse(definition, ends, known);
      if (reason !== null) {
        editor.say(reason);
        return false;
      }
      const changed = connect(definition, adapter, ends);
      const edges = drawEdges(changed, adapter)
        .slice(-1)
        .map(({ key }) => key);
      editor.edit(`Connect "${ends.from}" to "${ends.to}"`, () => changed, { select: { nodes: [], edges } });
      return true;
    },
    remove: () => {
      const count = selection.nodes.length + selection.edges.length;
      if (count === 0) return;
      const label = selection.nodes.length === 1 ? `Remove "${selection.nodes[0]}"` : `Remove ${count} parts`;
      editor.edit(label, (before) => removeParts(before, adapter, selection), { select: nothingSelected });
    },
    selectAll: () => editor.select({ nodes: graph.nodes.map(({ id }) => id), edges: [] }),
    arrange: () => {
      const top = graph.nodes.filter(({ parent }) => parent === null);
      const boxes = top.map(({ id, size }) => ({ id, ...(size ?? nodeSize) }));
      void layOut(boxes, graph.edges).then((places) =>
        editor.edit('Arrange', (before) => moveNodes(before, adapter, places)),
      );
    },
  };
}

/** Below the one node that is selected, else in the middle. */
function spotFor({ adapter, graph, state }: Editor, fragment: Fragment, middle: Middle): Point {
  const [id, another] = state.selection.nodes;
  const selected = another === undefined ? graph.nodes.find((node) => node.id === id) : undefined;
  const from = selected?.position ? spotBelow(selected.position) : middle();
  // Its first node stands there, whatever stands to the left of that one.
  const places = fragment.nodes.map((node) => adapter.readPosition(node)?.x ?? 0);
  const left = (places[0] ?? 0) - Math.min(...places);
  return freeSpot({ x: from.x - left, y: from.y }, graph.nodes, sizeOf(fragment, adapter.readPosition));
}

/** What is added by a key or a click follows the one node that is selected. */
function add(editor: Editor, { fragment, title }: PaletteItem, at: Point, follows: boolean): void {
  const { adapter, definition, graph, known, state } = editor;
  const container = follows ? undefined : containerAt(editor, at);
  const spot = container === undefined ? at : { x: at.x - container.x, y: at.y - container.y };
  const inserted = insertFragment(definition, adapter, { fragment, at: spot });
  const [first = ''] = inserted.added;
  const [id, another] = state.selection.nodes;
  const before = follows && another === undefined ? graph.nodes.find((node) => node.id === id) : undefined;
  const output = before?.outputs?.[0];
  const ends = { from: before?.id ?? '', to: first, ...(output === undefined ? {} : { output }) };
  const isConnected =
    before !== undefined && before.outputs?.length !== 0 && adapter.refuse(inserted.definition, ends, known) === null;
  const connected = isConnected ? connect(inserted.definition, adapter, ends) : inserted.definition;
  const placed =
    container === undefined
      ? connected
      : inserted.added.reduce((all, one) => putInto(all, one, container.id), connected);
  editor.edit(`Add ${title}`, () => placed, { select: { nodes: [first], edges: [] } });
}

const putInto = (definition: Editor['definition'], id: string, parentId: string): Editor['definition'] =>
  changeNode(definition, id, (node) => ({ ...node, parentId, extent: 'parent' }));

function containerAt({ graph }: Editor, at: Point): (Point & { readonly id: string }) | undefined {
  const found = graph.nodes.find(
    ({ size, position }) =>
      size !== undefined &&
      position !== null &&
      at.x >= position.x &&
      at.y >= position.y &&
      at.x <= position.x + size.width &&
      at.y <= position.y + size.height,
  );
  return found?.position ? { id: found.id, ...found.position } : undefined;
}

function clipboardCommands(
  editor: Editor,
  middle: Middle,
): Pick<Commands, 'duplicate' | 'copy' | 'cut' | 'paste' | 'pasteText'> {
  const { adapter, definition, graph, state } = editor;
  const { nodes } = state.selection;
  const insert = (label: string, fragment: Fragment, at: Point): void => {
    const spot = freeSpot(at, graph.nodes, sizeOf(fragment, adapter.readPosition));
    const inserted = insertFragment(definition, adapter, { fragment, at: spot });
    editor.edit(label, () => inserted.definition, { select: { nodes: inserted.added, edges: [] } });
  };
  const pasteText = (text: string): void => {
    const fragment = readFragment(text);
    if (fragment === null) editor.say('There is nothing of a workflow in the clipboard.');
    else if (fragment.dialect !== adapter.dialect)
      editor.say(
        `Expected parts of a ${adapter.dialect} workflow, but those in the clipboard are of a ${fragment.dialect} workflow.`,
      );
    else insert(`Paste ${fragment.nodes.length} nodes`, fragment, middle());
  };
  const copy = (): Promise<void> => {
    if (nodes.length === 0) return Promise.resolve();
    editor.say(`Copied ${nodes.length} nodes`);
    return navigator.clipboard.writeText(writeFragment(copyParts(definition, adapter, nodes)));
  };
  const refused = (): void => editor.say('The browser does not let this page use the clipboard.');
  return {
    pasteText,
    copy: () => void copy().catch(refused),
    cut: () => {
      void copy().then(() => {
        const label = `Cut ${nodes.length} nodes`;
        editor.edit(label, (before) => removeParts(before, adapter, { nodes, edges: [] }), { select: nothingSelected });
      }, refused);
    },
    paste: () => void navigator.clipboard.readText().then(pasteText, refused),
    duplicate: () => {
      const first = graph.nodes.find(({ id }) => id === nodes[0]);
      if (first === undefined) return;
      insert('Duplicate', copyParts(definition, adapter, nodes), first.position ?? middle());
    },
  };
}

function groupCommands(editor: Editor): Pick<Commands, 'group' | 'ungroup' | 'fold'> {
  const { definition, state } = editor;
  const { nodes } = state.selection;
  const selected = groupsOf(definition).filter((group) => group.nodes.some((id) => nodes.includes(id)));
  return {
    group: () => nodes.length > 0 && editor.edit('Group', (before) => addGroup(before, nodes)),
    ungroup: () => {
      if (selected.length === 0) return;
      editor.edit('Ungroup', (before) => selected.reduce((all, { id }) => changeGroup(all, id, null), before));
    },
    fold: () => {
      const [first] = selected;
      if (first === undefined) return;
      const isFolded = !first.isFolded;
      editor.edit(isFolded ? 'Fold group' : 'Unfold group', (before) => changeGroup(before, first.id, { isFolded }));
    },
  };
}
