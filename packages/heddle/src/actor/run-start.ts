// Run start: what every run gets from its workflow, whoever starts it: a caller, a parent, a retry.

import type { RunStart } from '../core/events.ts';
import type { Graph } from '../definition/graph.ts';

type FromGraph = 'workflow' | 'version' | 'hash' | 'deadline' | 'countsNodes';

export function runStart(graph: Graph, at: number, own: Omit<RunStart, FromGraph>): RunStart {
  return {
    ...own,
    workflow: graph.id,
    version: graph.version,
    hash: graph.hash,
    deadline: graph.timeoutMs === null ? null : at + graph.timeoutMs,
    countsNodes: graph.edges !== null,
  };
}
