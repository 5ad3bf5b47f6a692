// RunOutline: the same as the graph, in lines: every node in the order of the drawing, how it stands, and where it leads.
// For those who do not see the canvas, and for those who rather read.

import { type KeyboardEvent, type ReactElement, useRef } from 'react';
import { StatusMark } from '../parts/status-mark.tsx';
import type { DrawnEdge, DrawnGraph } from './drawing.ts';
import { markText, type NodeMark } from './node-marks.ts';
import type { RunFigures } from './run-source.ts';

/** What a drawing of a run takes, as a graph or in lines. */
export interface RunOutlineProps {
  readonly graph: DrawnGraph;
  readonly figures: RunFigures;
  readonly marks: ReadonlyMap<string, NodeMark>;
  readonly selected: string | null;
  readonly onSelect: (node: string | null) => void;
  /** Enter: somebody wants to look closer at what is selected. */
  readonly onOpen: () => void;
}

export function RunOutline({ graph, figures, marks, selected, onSelect, onOpen }: RunOutlineProps): ReactElement {
  const list = useRef<HTMLOListElement>(null);
  const taken = new Map(figures.edges.map((edge) => [edge.edgeId, edge.taken]));
  const ways = (id: string): readonly DrawnEdge[] => graph.edges.filter(({ from }) => from === id);
  const titles = new Map(graph.nodes.map(({ id, title }) => [id, title]));
  const press = (event: KeyboardEvent): void => {
    const to = nodeAfter(event.key, graph, figures, selected);
    if (to === undefined) return;
    event.preventDefault();
    onSelect(to);
    list.current?.querySelector<HTMLElement>(`[data-node="${CSS.escape(to)}"]`)?.focus();
  };
  return (
    <ol ref={list} className="hd-outline" aria-label="Nodes of the run" onKeyDown={press}>
      {graph.nodes.map(({ id, title, what }) => {
        const mark = marks.get(id);
        return (
          <li key={id}>
            <button
              type="button"
              className="hd-outline-node"
              data-node={id}
              aria-current={id === selected}
              onClick={() => (id === selected ? onOpen() : onSelect(id))}
            >
              <strong>{title}</strong>
              <span className="hd-muted">{what}</span>
              {mark ? <StatusMark look={mark.look} word={markText(mark)} /> : null}
              {ways(id).map((way) => (
                <span key={way.id} className="hd-muted hd-outline-way">
                  {wayText(way, titles.get(way.to) ?? way.to, taken.get(way.id) ?? 0)}
                </span>
              ))}
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function wayText({ label, isLoop }: DrawnEdge, to: string, taken: number): string {
  const lead = isLoop === true ? 'back to' : 'to';
  return `${lead} ${to}${label === '' ? '' : ` (${label})`}: ${timesText(taken)}`;
}

const timesText = (taken: number): string =>
  ['not taken', 'taken once'][taken] ?? `taken ${taken.toLocaleString('en')} times`;

/** Where a key leads: the node before or after, the first or last, or the first failure. */
function nodeAfter(
  key: string,
  { nodes }: DrawnGraph,
  { firstFailure }: RunFigures,
  selected: string | null,
): string | undefined {
  const at = nodes.findIndex(({ id }) => id === selected);
  if (key === 'ArrowDown') return nodes[at + 1]?.id;
  if (key === 'ArrowUp') return nodes[Math.max(0, at - 1)]?.id;
  if (key === 'Home') return nodes[0]?.id;
  if (key === 'End') return nodes.at(-1)?.id;
  return key === 'f' ? (firstFailure?.node ?? undefined) : undefined;
}
