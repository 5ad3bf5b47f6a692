// Editor canvas: the drawing, to be changed with the mouse or the keys. What is shown comes from the definition; what is
// done becomes an edit of it.
//
// Always true: while a node is dragged only the canvas knows where it is; where it is let go is one step to undo.

import {
  applyNodeChanges,
  Background,
  type Connection,
  Controls,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  type ReactFlowProps,
  useReactFlow,
  useStore,
  useStoreApi,
  ViewportPortal,
} from '@xyflow/react';
import { type DragEvent, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { layOut } from '../../canvas/layout.ts';
import { nodeSize } from '../../canvas/node-box.tsx';
import { useEditor } from '../editor-context.ts';
import type { Selection } from '../editor-state.ts';
import type { Ends, Point } from '../model/adapter.ts';
import { type DrawnGraph, moveNodes } from '../model/graph.ts';
import { groupsOf } from '../model/groups.ts';
import type { Commands } from '../use-commands.ts';
import { EditorEdge, type EditorFlowEdge } from './editor-edge.tsx';
import { EditorNode } from './editor-node.tsx';
import { asMeasured, type FlowNode, flowEdges, flowNodes, groupNodeId, isMeasured } from './flow-parts.ts';
import { GroupBox, GroupFrame } from './group-nodes.tsx';
import { type Aligned, align } from './helper-lines.ts';

const nodeTypes = { step: EditorNode, 'group-frame': GroupFrame, 'group-box': GroupBox };
const edgeTypes = { way: EditorEdge };

/** Below it nobody can read what stands in a node: it is not painted. */
const readableZoom = 0.25;

/** What a palette item is called while it is dragged. */
export const itemType = 'application/x-heddle-item';

interface EditorCanvasProps {
  readonly commands: Commands;
  readonly onDropItem: (name: string, at: Point) => void;
  readonly toFlow: (point: Point) => Point;
}

export function EditorCanvas({ commands, onDropItem, toFlow }: EditorCanvasProps): ReactElement {
  const { mayWrite } = useEditor();
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < readableZoom);
  const { nodes, edges, lines, onNodesChange, onEdgesChange, isLaidOut } = useFlowParts();
  useShownSelection(nodes);
  const { fit } = commands;
  // Nodes that nobody has placed get their places after the first look at them.
  useEffect(() => void (isLaidOut && setTimeout(fit)), [isLaidOut]);
  const connecting = useConnecting(commands);
  const drop = (event: DragEvent): void => {
    const name = event.dataTransfer.getData(itemType);
    if (name === '') return;
    event.preventDefault();
    const { x, y } = toFlow({ x: event.clientX, y: event.clientY });
    onDropItem(name, { x: x - nodeSize.width / 2, y: y - 28 });
  };
  return (
    <ReactFlow<FlowNode, EditorFlowEdge>
      className="hd-canvas"
      data-far={isFar}
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodesChange={onNodesChange}
      onEdgesChange={onEdgesChange}
      {...connecting}
      onDragOver={(event) => event.dataTransfer.types.includes(itemType) && event.preventDefault()}
      onDrop={drop}
      nodesDraggable={mayWrite}
      nodesConnectable={mayWrite}
      deleteKeyCode={null}
      multiSelectionKeyCode={['Shift', 'Meta', 'Control']}
      selectionKeyCode="Shift"
      connectionRadius={32}
      minZoom={0.05}
      maxZoom={2}
      fitView
      fitViewOptions={{ padding: 0.2, maxZoom: 1, minZoom: 0.5 }}
      onlyRenderVisibleElements
      aria-label="Drawing of the workflow"
    >
      <Background gap={16} />
      <Controls showInteractive={false} />
      <MiniMap pannable zoomable ariaLabel="Map of the drawing" nodeStrokeWidth={2} />
      <HelperLines lines={lines} />
    </ReactFlow>
  );
}

const endsOf = ({ source, target, sourceHandle, targetHandle }: Connection): Ends => ({
  from: source,
  to: target,
  output: sourceHandle ?? undefined,
  input: targetHandle ?? undefined,
});

type Connecting = Required<
  Pick<ReactFlowProps<FlowNode, EditorFlowEdge>, 'onConnect' | 'onConnectEnd' | 'isValidConnection'>
>;

/** Edges that cannot be are refused with the reason. */
function useConnecting({ connectNodes }: Commands): Connecting {
  const { adapter, definition, known, say } = useEditor();
  return {
    onConnect: (connection) => connectNodes(endsOf(connection)),
    onConnectEnd: (_, { isValid, fromNode, toNode, fromHandle, toHandle }) => {
      if (isValid !== false || fromNode === null || toNode === null) return;
      const isForward = fromHandle?.type === 'source';
      const [source, target] = isForward ? [fromNode, toNode] : [toNode, fromNode];
      const [output, input] = isForward ? [fromHandle, toHandle] : [toHandle, fromHandle];
      const ends = { from: source.id, to: target.id, output: output?.id ?? undefined, input: input?.id ?? undefined };
      say(adapter.refuse(definition, ends, known) ?? 'An edge leads from an output to an input.');
    },
    isValidConnection: ({ source, target, sourceHandle = null, targetHandle = null }) =>
      adapter.refuse(definition, endsOf({ source, target, sourceHandle, targetHandle }), known) === null,
  };
}

/** A node that was selected elsewhere comes into view. */
function useShownSelection(nodes: readonly FlowNode[]): void {
  const { state } = useEditor();
  const flow = useReactFlow();
  const store = useStoreApi();
  const [id, another] = state.selection.nodes;
  const only = another === undefined ? id : undefined;
  const isThere = nodes.some((node) => node.id === only);
  useEffect(() => {
    const box = only === undefined ? undefined : flow.getInternalNode(only)?.internals.positionAbsolute;
    if (box === undefined) return;
    const pane = store.getState().domNode?.getBoundingClientRect();
    if (pane === undefined) return;
    const middle = { x: box.x + nodeSize.width / 2, y: box.y + nodeSize.height / 2 };
    const { x, y } = flow.flowToScreenPosition(middle);
    if (x > pane.left && x < pane.right && y > pane.top && y < pane.bottom) return;
    void flow.setCenter(middle.x, middle.y, { zoom: flow.getZoom() });
  }, [only, isThere, flow, store]);
}

interface FlowParts {
  readonly nodes: FlowNode[];
  readonly edges: EditorFlowEdge[];
  readonly lines: Aligned | null;
  readonly onNodesChange: (changes: NodeChange<FlowNode>[]) => void;
  readonly onEdgesChange: (changes: EdgeChange<EditorFlowEdge>[]) => void;
  /** Places were found for nodes that nobody has placed. */
  readonly isLaidOut: boolean;
}

function useFlowParts(): FlowParts {
  const editor = useEditor();
  const { graph, definition, problems, state, adapter, edit, select } = editor;
  const places = usePlaces(graph);
  const shown = useMemo(
    () => ({ graph, places, problems, selection: state.selection, groups: groupsOf(definition) }),
    [graph, places, problems, state.selection, definition],
  );
  const [nodes, setNodes] = useState<FlowNode[]>(() => [...flowNodes(shown)]);
  const [lines, setLines] = useState<Aligned | null>(null);
  const newest = useRef({ nodes, selection: state.selection });
  newest.current = { nodes, selection: state.selection };
  useEffect(() => setNodes((before) => reconcile(before, flowNodes(shown))), [shown]);
  const drawnEdges = useRef<EditorFlowEdge[]>([]);
  const edges = useMemo(() => {
    drawnEdges.current = reconcile(drawnEdges.current, flowEdges(shown));
    return drawnEdges.current;
  }, [shown]);

  const choose = useCallback(
    (part: keyof Selection, changes: readonly { readonly id: string; readonly selected: boolean }[]) => {
      const chosen = new Set(newest.current.selection[part]);
      for (const { id, selected } of changes)
        if (selected) chosen.add(id);
        else chosen.delete(id);
      const selection = { ...newest.current.selection, [part]: [...chosen] };
      newest.current = { ...newest.current, selection };
      select(selection);
    },
    [select],
  );

  const onNodesChange = (changes: NodeChange<FlowNode>[]): void => {
    const snapped = snap(changes, newest.current.nodes);
    setLines(snapped.lines);
    const next = applyChanges(snapped.changes, newest.current.nodes);
    newest.current = { ...newest.current, nodes: next };
    setNodes(next);
    const chosen = changes.filter((one) => one.type === 'select').filter(({ id }) => !id.startsWith(groupNodeId('')));
    if (chosen.length > 0) choose('nodes', chosen);
    const moved = changes.flatMap((one) => (one.type === 'position' && one.dragging !== true ? [one.id] : []));
    if (moved.length === 0) return;
    const positions = movedTo(
      next.filter(({ id }) => moved.includes(id)),
      flowNodes(shown),
      graph,
      places,
    );
    if (positions.size === 0) return;
    const [first] = positions.keys();
    const label = positions.size === 1 ? `Move "${first}"` : `Move ${positions.size} nodes`;
    edit(label, (before) => moveNodes(before, adapter, positions), { key: `move:${[...positions.keys()].join()}` });
  };
  const onEdgesChange = (changes: EdgeChange<EditorFlowEdge>[]): void => {
    const chosen = changes.filter((one) => one.type === 'select');
    if (chosen.length > 0) choose('edges', chosen);
  };
  return { nodes, edges, lines, onNodesChange, onEdgesChange, isLaidOut: places.size > 0 };
}

function applyChanges(changes: NodeChange<FlowNode>[], nodes: FlowNode[]): FlowNode[] {
  const measured = new Set(changes.flatMap((one) => (one.type === 'dimensions' ? [one.id] : [])));
  const next = applyNodeChanges(changes, nodes);
  return measured.size === 0 ? next : next.map((node) => (measured.has(node.id) ? asMeasured(node) : node));
}

/**
 * Parts that are as they were stay the same objects, so that they are not drawn again: of 1,000 nodes one that is selected
 * is drawn, not all.
 */
function reconcile<Part extends FlowNode | EditorFlowEdge>(before: readonly Part[], next: readonly Part[]): Part[] {
  const known = new Map(before.map((part) => [part.id, part]));
  return next.map((part) => {
    const old = known.get(part.id);
    if (old === undefined || old.type !== part.type) return part;
    const now = isMeasured(old) ? asMeasured({ ...part, measured: old.measured }) : part;
    return JSON.stringify(now) === JSON.stringify(old) ? old : now;
  });
}

/** Where nodes were let go; a group takes its nodes along. */
function movedTo(
  moved: readonly FlowNode[],
  before: readonly FlowNode[],
  { nodes }: DrawnGraph,
  places: ReadonlyMap<string, Point>,
): ReadonlyMap<string, Point> {
  const positions = new Map<string, Point>();
  for (const node of moved) {
    const { id, position } = node;
    const old = before.find((one) => one.id === id)?.position;
    if (old === undefined || (old.x === position.x && old.y === position.y)) continue;
    if (node.type === 'step') positions.set(id, position);
    else
      for (const member of nodes.filter((one) => node.data.group.nodes.includes(one.id))) {
        const { x, y } = member.position ?? places.get(member.id) ?? { x: 0, y: 0 };
        positions.set(member.id, { x: x + position.x - old.x, y: y + position.y - old.y });
      }
  }
  return positions;
}

interface Snapped {
  readonly changes: NodeChange<FlowNode>[];
  readonly lines: Aligned | null;
}

/** One node that is dragged snaps to others. */
function snap(changes: NodeChange<FlowNode>[], nodes: readonly FlowNode[]): Snapped {
  const [only, another] = changes;
  if (only?.type !== 'position' || another !== undefined || only.dragging !== true || only.position === undefined)
    return { changes, lines: null };
  const dragged = nodes.find(({ id }) => id === only.id);
  const sizeOf = ({ measured }: FlowNode): { width: number; height: number } => ({
    width: measured?.width ?? nodeSize.width,
    height: measured?.height ?? nodeSize.height,
  });
  if (dragged === undefined || dragged.type !== 'step') return { changes, lines: null };
  const others = nodes.filter(
    ({ id, type, parentId }) => id !== only.id && type === 'step' && parentId === dragged.parentId,
  );
  const lines = align(
    { ...only.position, ...sizeOf(dragged) },
    others.map((node) => ({ ...node.position, ...sizeOf(node) })),
  );
  return { changes: [{ ...only, position: { ...lines.position } }], lines };
}

function HelperLines({ lines }: { readonly lines: Aligned | null }): ReactElement | null {
  if (lines === null) return null;
  return (
    <ViewportPortal>
      {lines.x === null ? null : <div className="hd-editor-line" data-way="down" style={{ left: lines.x }} />}
      {lines.y === null ? null : <div className="hd-editor-line" data-way="across" style={{ top: lines.y }} />}
    </ViewportPortal>
  );
}

/** Places for nodes that nobody has placed: all are laid out, and only they take the places they get. */
export function usePlaces({ nodes, edges }: DrawnGraph): ReadonlyMap<string, Point> {
  const [places, setPlaces] = useState<ReadonlyMap<string, Point>>(new Map());
  const missing = nodes
    .filter(({ position }) => position === null)
    .map(({ id }) => id)
    .join('\n');
  const graph = useRef({ nodes, edges });
  graph.current = { nodes, edges };
  useEffect(() => {
    if (missing === '') return undefined;
    let isWanted = true;
    const boxes = graph.current.nodes.map(({ id }) => ({ id, ...nodeSize }));
    void layOut(boxes, graph.current.edges).then((found) => isWanted && setPlaces(found));
    return () => {
      isWanted = false;
    };
  }, [missing]);
  return places;
}
