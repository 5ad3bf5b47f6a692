// Waits: why a run is waiting: one entry for everything that it waits for now, with what is missing, where that is, and
// whether it can still come. Rules VW19 to VW21.
//
// Always true: an entry is derived from the state and the graph, and from what only an engine knows of tasks that it has
// handed out (`TaskKnowledge`). A run that has ended waits for nothing.

import type { Graph } from '../../definition/graph.ts';
import { isDelayed } from '../run-class.ts';
import type { Token } from '../state.ts';
import { joinWaits } from './join-waits.ts';
import { type Activity, actionAt, kindOf, type Wait, type WaitingRun, type WaitKind, waitKinds } from './wait.ts';
import { describeToken, describeUntil } from './wait-phrases.ts';

/** VW19: one entry for everything that the run waits for, the most telling kinds first, each in the order of the tokens. */
export function waitsOf(run: WaitingRun): readonly Wait[] {
  if (run.state.outcome !== null) return [];
  const waits = [...runWaits(run), ...tokensOf(run).map((token) => tokenWait(run, token)), ...joinWaits(run)];
  return waits.toSorted((a, b) => rank(a.kind) - rank(b.kind));
}

/** VW21: the most telling of its waits, and how many more there are like it; null for a run that has ended. */
export function activityOf(run: WaitingRun): Activity | null {
  if (run.state.outcome !== null) return null;
  const tokens = tokensOf(run).map((token) => ({ token, kind: kindOf(run, token) }));
  const [ofRun] = runWaits(run);
  const best = tokens.reduce<WaitKind | null>((found, { kind }) => moreTelling(found, kind), ofRun?.kind ?? null);
  const wait = best === ofRun?.kind ? ofRun : firstOf(run, tokens, best);
  if (!wait) return null;
  const more = tokens.filter(({ kind }) => kind === wait.kind).length - Number(wait.token !== null);
  const { kind, node, until, text } = wait;
  return { kind, node, until, text: more > 0 ? `${text} (and ${more} more)` : text };
}

function firstOf(
  run: WaitingRun,
  tokens: readonly { readonly token: Token; readonly kind: WaitKind }[],
  kind: WaitKind | null,
): Wait | undefined {
  const found = tokens.find((each) => each.kind === kind)?.token;
  return found ? tokenWait(run, found) : joinWaits(run)[0];
}

const rank = (kind: WaitKind): number => waitKinds.indexOf(kind);

const moreTelling = (a: WaitKind | null, b: WaitKind): WaitKind => (a !== null && rank(a) <= rank(b) ? a : b);

/** Those that are shown, and wait for something of their own: who waits at a join is told of with the join. */
function tokensOf({ state, graph }: WaitingRun): readonly Token[] {
  return [...state.tokens.values()].filter(
    ({ node, status }) => node !== graph.policy.hiddenNode && !atJoin.has(status),
  );
}

const atJoin: ReadonlySet<Token['status']> = new Set([
  'waiting_for_siblings',
  'waiting_for_edges',
  'waiting_for_batch',
]);

/** What the run waits for as a whole. */
function runWaits({ state }: WaitingRun): readonly Wait[] {
  const whole = { node: null, token: null, since: null, until: null };
  const waits: Wait[] = [];
  if (state.paused)
    waits.push({ ...whole, id: 'paused', kind: 'paused', text: 'is paused, and continues when it is resumed' });
  if (state.credits.awaited)
    waits.push({ ...whole, id: 'credits', kind: 'credits', text: 'waits for credits before it begins' });
  const startAt = state.run?.startAt;
  if (startAt !== undefined && isDelayed(state))
    waits.push({ ...whole, id: 'start', kind: 'timer', until: startAt, text: `begins${describeUntil(startAt, 'at')}` });
  return waits;
}

function tokenWait(run: WaitingRun, token: Token): Wait {
  const { id, node, dueAt, since, attempt } = token;
  const kind = kindOf(run, token);
  const action = actionAt(run.graph, node);
  const isTask = kind === 'task' || kind === 'worker' || kind === 'retry';
  return {
    id: `token-${id}`,
    kind,
    node,
    token: id,
    since: hasSince.has(token.status) && since > 0 ? since : run.tasks.sinceOf(id),
    until: dueAt,
    text: describeToken(token, kind, run),
    ...(isTask && action !== undefined ? { action, attempt } : {}),
    ...detailsOf(run.graph, token),
  };
}

/** The state keeps since when they wait. */
const hasSince: ReadonlySet<Token['status']> = new Set([
  'waiting_for_subworkflow',
  'waiting_for_event',
  'waiting_for_input',
]);

function detailsOf(graph: Graph, { node, status, correlationId, texts, childRunId }: Token): Partial<Wait> {
  if (status === 'waiting_for_input') {
    const title = texts?.title;
    return { correlationId: correlationId ?? '', ...(title === undefined ? {} : { title }) };
  }
  const work = graph.nodes.get(node)?.work;
  if (status === 'waiting_for_event' && work?.type === 'event')
    return { event: { name: work.event, correlation: correlationId ?? '' } };
  return childRunId === null ? {} : { childRunId };
}
