// Difference view: what differs between two definitions: as a drawing, as a list, and line by line.

import { Background, Controls, ReactFlow, ReactFlowProvider } from '@xyflow/react';
import type { JsonObject } from 'heddle';
import { type ReactElement, useMemo, useState } from 'react';
import { Tabs } from '../../parts/tabs.tsx';
import { usePlaces } from '../canvas/editor-canvas.tsx';
import { EditorEdge } from '../canvas/editor-edge.tsx';
import { EditorNode } from '../canvas/editor-node.tsx';
import { edgeText, flowEdges, flowNodes } from '../canvas/flow-parts.ts';
import { nothingSelected } from '../editor-state.ts';
import type { Known } from '../model/adapter.ts';
import { adapterOf } from '../model/adapters.ts';
import { compareDefinitions, compareLines, type Difference, isSame } from '../model/difference.ts';
import { type DrawnGraph, drawGraph } from '../model/graph.ts';

export interface DifferenceViewProps {
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly known: Known;
}

type View = 'list' | 'drawing' | 'text';

export function DifferenceView({ before, after, known }: DifferenceViewProps): ReactElement {
  const [view, setView] = useState<View>('list');
  const difference = useMemo(() => compareDefinitions(before, after), [before, after]);
  const both = useMemo(() => drawBoth(before, after, known), [before, after, known]);
  if (isSame(difference)) return <p className="hd-field-hint">Nothing that a run would notice differs.</p>;
  return (
    <div className="hd-difference">
      <Tabs
        label="How to show what differs"
        tabs={[
          { name: 'list', label: 'Changes' },
          { name: 'drawing', label: 'Drawing' },
          { name: 'text', label: 'JSON' },
        ]}
        selected={view}
        onSelect={setView}
      >
        {view === 'list' ? <Changes difference={difference} graph={both} /> : null}
        {view === 'drawing' ? <Drawing difference={difference} graph={both} /> : null}
        {view === 'text' ? <Lines before={before} after={after} /> : null}
      </Tabs>
    </div>
  );
}

/** What is in either of them, each part once, as it is in the second. */
function drawBoth(before: JsonObject, after: JsonObject, known: Known): DrawnGraph {
  const next = drawGraph(after, adapterOf(after), known);
  const old = drawGraph(before, adapterOf(before), known);
  const ids = new Set(next.nodes.map(({ id }) => id));
  const keys = new Set(next.edges.map(({ key }) => key));
  return {
    nodes: [...next.nodes, ...old.nodes.filter(({ id }) => !ids.has(id))],
    edges: [...next.edges, ...old.edges.filter(({ key }) => !keys.has(key))],
  };
}

interface ShownDifference {
  readonly difference: Difference;
  readonly graph: DrawnGraph;
}

function Changes({ difference, graph }: ShownDifference): ReactElement {
  const edges = new Map(graph.edges.map((edge) => [edge.key, edgeText(edge)]));
  const lines = [
    ...[...difference.nodes].map(([id, mark]) => ({ mark, what: `Node ${id}` })),
    ...[...difference.edges].map(([key, mark]) => ({ mark, what: edges.get(key) ?? key })),
    ...[...difference.fields].map(([name, mark]) => ({ mark, what: `Field ${name}` })),
  ];
  return (
    <ul className="hd-difference-list" aria-label="Changes">
      {lines.map(({ mark, what }) => (
        <li key={`${mark} ${what}`} data-mark={mark}>
          <span className="hd-editor-tag">{mark}</span> {what}
        </li>
      ))}
    </ul>
  );
}

const nodeTypes = { step: EditorNode };
const edgeTypes = { way: EditorEdge };

function Drawing({ difference, graph }: ShownDifference): ReactElement {
  const places = usePlaces(graph);
  const shown = useMemo(
    () => ({ graph, places, groups: [], selection: nothingSelected, problems: [], marks: difference }),
    [graph, places, difference],
  );
  const [nodes, edges] = useMemo(() => [[...flowNodes(shown)], [...flowEdges(shown)]], [shown]);
  return (
    <div className="hd-difference-drawing">
      <ReactFlowProvider>
        <ReactFlow
          className="hd-canvas"
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          nodesDraggable={false}
          nodesConnectable={false}
          fitView
          minZoom={0.05}
          aria-label="Drawing of what differs"
        >
          <Background gap={16} />
          <Controls showInteractive={false} />
        </ReactFlow>
      </ReactFlowProvider>
    </div>
  );
}

const contextLines = 3;

function Lines({ before, after }: { readonly before: JsonObject; readonly after: JsonObject }): ReactElement {
  const lines = useMemo(
    () => compareLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2)),
    [before, after],
  );
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - contextLines), index + contextLines + 1).some(({ mark }) => mark !== 'same');
  return (
    <pre className="hd-lines">
      {lines.map(({ mark, text }, index) =>
        isNear(index) ? (
          <div key={index} data-mark={mark}>
            {mark === 'added' ? '+' : mark === 'removed' ? '−' : ' '} {text}
          </div>
        ) : null,
      )}
    </pre>
  );
}
