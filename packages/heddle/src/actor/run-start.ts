// Run start: what every run gets from its workflow, whoever starts it: a caller, a parent, a retry.

import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import type { RunStart } from '../core/events.ts';
import type { Graph } from '../definition/graph.ts';

type FromGraph =
  | 'workflow'
  | 'version'
  | 'hash'
  | 'deadline'
  | 'countsNodes'
  | 'keepsOutputs'
  | 'oneAtATime'
  | 'reserve';

/** What the run itself brings. */
export type OwnStart = Omit<RunStart, FromGraph>;

/** `done`: outputs by node that the run takes over; it does not pay for them again. */
export function runStart(graph: Graph, at: number, own: OwnStart, done: Readonly<Record<string, Json>> = {}): RunStart {
  return {
    ...own,
    nodeBudget: own.nodeBudget + (graph.policy.hiddenNode === null ? 0 : 1), // nobody asked for that visit
    workflow: graph.id,
    version: graph.version,
    hash: graph.hash,
    deadline: graph.timeoutMs === null ? null : (own.startAt ?? at) + graph.timeoutMs,
    countsNodes: graph.edges !== null,
    ...given({
      keepsOutputs: graph.policy.keepsOutputs || undefined,
      oneAtATime: graph.policy.oneAtATime || undefined,
      reserve: own.organization === undefined || graph.policy.charge === 'node' ? undefined : sumCosts(graph, done),
    }),
  };
}

/** What all its nodes cost together, each once. */
function sumCosts({ nodes }: Graph, done: Readonly<Record<string, Json>>): number {
  let cost = 0;
  for (const node of nodes.values()) if (!Object.hasOwn(done, node.id)) cost += node.cost;
  return cost;
}
