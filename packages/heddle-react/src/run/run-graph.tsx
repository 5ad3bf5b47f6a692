// RunGraph: the definition, drawn once, and the run on it. For the eye; `RunOutline` says the same in lines.

import {
  Controls,
  type Edge,
  MiniMap,
  ReactFlow,
  type ReactFlowInstance,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { isTerminal } from 'heddle/journal';
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { layOut } from '../canvas/layout.ts';
import { LoopEdge } from '../canvas/loop-edge.tsx';
import { nodeSize } from '../canvas/node-box.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { type DrawnGraph, isPlaced, placesOf } from './drawing.ts';
import { flowEdges, flowNodes, neighbour, type Places, type Shown } from './run-flow.ts';
import { type RunFlowNode, RunNode } from './run-node.tsx';
import type { RunOutlineProps } from './run-outline.tsx';

export interface RunGraphProps extends RunOutlineProps {
  /** What it is a graph of, where there are several. */
  readonly label?: string;
}

const nodeTypes = { run: RunNode };
const edgeTypes = { loop: LoopEdge };
/** From so many on, a map of the whole helps. */
const mapFrom = 25;

export function RunGraph(props: RunGraphProps): ReactElement {
  const { places, error } = usePlaces(props.graph);
  if (error !== null) return <ErrorNotice error={error} />;
  if (places === null) return <Skeleton lines={6} label="Laying out the graph" />;
  return (
    <ReactFlowProvider>
      <Flow {...props} places={places} />
    </ReactFlowProvider>
  );
}

function Flow({ places, ...props }: RunGraphProps & { readonly places: Places }): ReactElement {
  const { label = 'Graph', graph, figures, marks, selected, onSelect, onOpen } = props;
  const at = isTerminal(figures.status) ? null : figures.at;
  const { nodes, edges } = useFlow({ graph, places, marks, edges: figures.edges, at, selected });
  const press = useKeys({ ...props, places });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: one stop for the keyboard, whose arrows move between the nodes
    <section
      className="hd-canvas"
      aria-label={`${label}: arrow keys move between nodes`}
      tabIndex={0}
      onKeyDown={press}
    >
      <ReactFlow<RunFlowNode>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodeClick={(_, { id }) => onSelect(id)}
        onNodeDoubleClick={onOpen}
        onPaneClick={() => onSelect(null)}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        disableKeyboardA11y
        onlyRenderVisibleElements
        onInit={(flow) => void showFirst(flow, places, focusOf(props))}
        fitViewOptions={fit}
        minZoom={0.05}
        maxZoom={2}
        zoomOnDoubleClick={false}
        proOptions={{ hideAttribution: true }}
      >
        <Controls showInteractive={false} />
        {nodes.length >= mapFrom ? (
          <MiniMap ariaLabel="Map of the graph" nodeColor="var(--hd-edge)" maskColor="transparent" pannable zoomable />
        ) : null}
      </ReactFlow>
    </section>
  );
}

const fit = { padding: 0.15, maxZoom: 1 };
/** Below this, names cannot be read: a part that can be is shown instead. */
const readableZoom = 0.4;

/** All of it, or what matters of it. */
async function showFirst(flow: ReactFlowInstance<RunFlowNode>, places: Places, focus: string | null): Promise<void> {
  await flow.fitView(fit);
  const place = places.get(focus ?? '');
  if (place === undefined || flow.getZoom() >= readableZoom) return;
  await flow.setCenter(place.x + nodeSize.width / 2, place.y + nodeSize.height / 2, { zoom: 2 * readableZoom });
}

/** What is selected, what failed, what is at work, or where it began. */
function focusOf({ graph, figures, marks, selected }: RunOutlineProps): string | null {
  const atWork = graph.nodes.find(({ id }) => marks.get(id)?.look === 'active');
  return selected ?? figures.firstFailure?.node ?? atWork?.id ?? graph.nodes[0]?.id ?? null;
}

/** Unchanged nodes and edges stay the same objects. */
function useFlow(shown: Shown): { nodes: RunFlowNode[]; edges: Edge[] } {
  const last = useRef<{ nodes: RunFlowNode[]; edges: Edge[] }>({ nodes: [], edges: [] });
  const flow = { nodes: flowNodes(shown, last.current.nodes), edges: flowEdges(shown, last.current.edges) };
  useEffect(() => {
    last.current = flow;
  });
  return flow;
}

function useKeys({ graph, places, figures, selected, onSelect, onOpen }: RunOutlineProps & { places: Places }) {
  const { setCenter, getZoom } = useReactFlow();
  const go = (id: string | null): void => {
    if (id === null) return;
    onSelect(id);
    const { x, y } = places.get(id) ?? { x: 0, y: 0 };
    void setCenter(x + nodeSize.width / 2, y + nodeSize.height / 2, { zoom: getZoom(), duration: 120 });
  };
  return (event: KeyboardEvent): void => {
    const direction = directions[event.key];
    if (direction !== undefined) {
      event.preventDefault();
      return go(selected === null ? (graph.nodes[0]?.id ?? null) : neighbour(places, selected, direction));
    }
    if (event.key === 'f') return go(figures.firstFailure?.node ?? null);
    if (event.key === 'Enter' && selected !== null) onOpen();
    if (event.key === 'Escape') onSelect(null);
  };
}

const directions: Readonly<Record<string, 'up' | 'down' | 'left' | 'right'>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

/** Where its author has put them, or where they are laid out. */
function usePlaces(graph: DrawnGraph): { readonly places: Places | null; readonly error: unknown } {
  const placed = useMemo(() => (isPlaced(graph) ? placesOf(graph) : null), [graph]);
  const [laidOut, setLaidOut] = useState<{ graph: DrawnGraph; places: Places } | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    if (placed !== null) return;
    let isWanted = true;
    const nodes = graph.nodes.map(({ id }) => ({ id, ...nodeSize }));
    layOut(nodes, graph.edges).then(
      (places) => isWanted && setLaidOut({ graph, places }),
      (reason: unknown) => isWanted && setError(reason),
    );
    return () => {
      isWanted = false;
    };
  }, [graph, placed]);
  return { places: placed ?? (laidOut?.graph === graph ? laidOut.places : null), error };
}
