// What became of nodes and ways, worked out from the list of all tokens that a run ever had and its compiled graph: slower
// than the fold, and written apart from it. What a property test compares the fold with.

import type { Failure } from '../../base/failure.ts';
import type { Graph } from '../../definition/graph.ts';
import type { Event, EventOf } from '../events.ts';
import { classicTokenStatus } from './projections.ts';
import { type TokenView, tokensOf } from './tokens.ts';

const timed = (journal: readonly Event[]) => journal.map((event, index) => ({ at: index, event }));

const created = (journal: readonly Event[]) =>
  journal.filter((event): event is EventOf<'token.created'> => event.type === 'token.created');

/** Each node as a line: its status, visits and attempts, its times, its output and error. */
export function tellNodes(journal: readonly Event[], graph: Graph): readonly string[] {
  const tokens = tokensOf(timed(journal)).filter((token) => !isArrival(token, journal, graph));
  const failure = journal.find((event) => event.type === 'workflow.failed')?.error ?? null;
  return [...graph.nodes.keys()].map((id) =>
    tellNode(
      id,
      tokens.filter(({ node }) => node === id),
      graph,
      failure,
    ),
  );
}

function tellNode(id: string, visits: readonly TokenView[], { policy }: Graph, failure: Failure | null): string {
  const newest = visits.at(-1);
  const statuses = visits.map(({ status }) =>
    policy.oneAtATime && status === 'ready' ? 'waiting' : classicTokenStatus(status).replace(/_at_fan_in$/, ''),
  );
  const live = ['active', 'waiting'].find((status) => statuses.includes(status));
  const blamed = failure?.nodeId === id ? 'failed' : undefined;
  const status = blamed ?? live ?? statuses.at(-1) ?? 'idle';
  const error =
    blamed && statuses.at(-1) !== 'failed'
      ? failure
      : /failed|timed_out|retrying/.test(newest?.status ?? '') && newest?.error;
  const attempts = visits.reduce((sum, { attempt }) => sum + attempt, 0);
  const isOver = visits.length > 0 && visits.every(({ endedAt }) => endedAt !== null);
  const times = [visits[0]?.createdAt, isOver ? Math.max(...visits.map(({ endedAt }) => endedAt ?? 0)) : null];
  return JSON.stringify([id, status, visits.length, attempts, ...times, newest?.output, error || undefined]);
}

function isArrival({ via, groupId }: TokenView, journal: readonly Event[], { transitionsById }: Graph): boolean {
  const transition = transitionsById.get(via ?? '');
  if (!transition?.join) return transition?.overEdges ?? false;
  const { group } = transition.join;
  const fanOut = (id: number | null) =>
    journal.find(
      (event): event is EventOf<'fan_out.started'> => event.type === 'fan_out.started' && event.group === id,
    );
  for (let around = fanOut(groupId); around && around.batch === undefined; around = fanOut(around.parent[0]))
    if (group === null || group === around.name) return true;
  return false;
}

/** Each way that was taken, with how often and when last. */
export function tellEdges(journal: readonly Event[], { transitions }: Graph): readonly string[] {
  return transitions.map(({ id }) => {
    const taken = created(journal).filter(({ via }) => via === id);
    const count = taken.reduce((sum, event) => sum + (event.count ?? 1), 0);
    return `${id} ${count} ${journal.lastIndexOf(taken.at(-1) as Event)}`; // -1: never
  });
}
