// Compare graphs: two runs on their definitions, side by side. What differs at a node is written on it, in the run that has it.

import { lazy, type ReactElement, Suspense, useMemo } from 'react';
import { Skeleton } from '../../parts/notice.tsx';
import { drawGraph } from '../drawing.ts';
import { marksOf, type NodeMark } from '../node-marks.ts';
import type { RunReading } from '../run-source.ts';
import type { ComparedVisit } from './compare-runs.ts';

// The canvas is large: it is loaded when there is something to draw.
const RunGraph = lazy(async () => ({ default: (await import('../run-graph.tsx')).RunGraph }));

export interface CompareGraphsProps {
  readonly first: RunReading;
  readonly second: RunReading;
  readonly visits: readonly ComparedVisit[];
  /** The node of the visit that is shown whole. */
  readonly selected: string | null;
  readonly onSelect: (node: string | null) => void;
}

export function CompareGraphs({ first, second, ...shown }: CompareGraphsProps): ReactElement {
  return (
    <div className="hd-compare-graphs">
      <ComparedGraph name="A" reading={first} {...shown} />
      <ComparedGraph name="B" reading={second} {...shown} />
    </div>
  );
}

interface ComparedGraphProps extends Pick<CompareGraphsProps, 'visits' | 'selected' | 'onSelect'> {
  readonly name: 'A' | 'B';
  readonly reading: RunReading;
}

function ComparedGraph({ name, reading, visits, selected, onSelect }: ComparedGraphProps): ReactElement | null {
  const { drawing, definition, figures } = reading;
  const graph = useMemo(
    () => (drawing === null || definition === null ? null : drawGraph(drawing, definition)),
    [drawing, definition],
  );
  const marks = useMemo(
    () => (figures === null || drawing === null ? noMarks : withNotes(marksOf(figures, drawing), visits, name)),
    [figures, drawing, visits, name],
  );
  if (graph === null || figures === null) return null;
  return (
    <div className="hd-run-graph">
      <Suspense fallback={<Skeleton lines={6} label="Loading the canvas" />}>
        <RunGraph
          label={`Graph of ${name}`}
          {...{ graph, figures, marks, selected, onSelect }}
          onOpen={() => undefined}
        />
      </Suspense>
    </div>
  );
}

const noMarks: ReadonlyMap<string, NodeMark> = new Map();

function withNotes(
  marks: ReadonlyMap<string, NodeMark>,
  visits: readonly ComparedVisit[],
  name: 'A' | 'B',
): ReadonlyMap<string, NodeMark> {
  const notes = notesOf(visits, name);
  return new Map(
    [...marks].map(([node, mark]) => {
      const note = notes.get(node);
      return [node, note === undefined ? mark : { ...mark, note }];
    }),
  );
}

/** By node, all its visits together; a run says nothing of visits that it does not have. */
function notesOf(visits: readonly ComparedVisit[], name: 'A' | 'B'): ReadonlyMap<string, string> {
  const differing = new Map<string, Set<string>>();
  const alone = new Set<string>();
  for (const { node, first, second, aspects } of visits) {
    if (aspects.length === 0 || (name === 'A' ? first : second) === null) continue;
    if (first === null || second === null) alone.add(node);
    else differing.set(node, new Set([...(differing.get(node) ?? []), ...aspects]));
  }
  const notes = new Map([...alone].map((node) => [node, `only in ${name}`]));
  for (const [node, aspects] of differing) notes.set(node, `differs in ${[...aspects].join(', ')}`);
  return notes;
}
