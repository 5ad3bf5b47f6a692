// Join waits: the joins at which somebody waits for others: who has come, who may still come and where each of those is, and
// who is gone. Over siblings, over the slices of a batch, or over edges.
//
// Always true: a join costs as much as it tells of, and the branches that are passed over to find the first that are missing.

import type { EdgeJoin } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Branch, Group, Token } from '../state.ts';
import { type JoinWait, kindOf, type Missing, type Wait, type WaitingRun } from './wait.ts';
import { describeToken, describeUntil, quoted } from './wait-phrases.ts';

const missingMax = 20;
/** In a sentence. */
const namedMax = 3;

export function joinWaits(run: WaitingRun): readonly Wait[] {
  const groups = [...run.state.groups.values()].filter(isAwaited);
  return [...groups.map((group) => groupWait(run, group)), ...edgeWaits(run)];
}

/** Somebody has come to its join, or waits for its slices. */
const isAwaited = ({ joined, closed, join, batch }: Group): boolean =>
  !joined && !closed && (join !== null || batch !== null);

/** VW22: those that have neither come nor ended may still come; of the first of them it is said where they are. */
function groupWait(run: WaitingRun, group: Group): Wait {
  const { id, name, batch, total, arrived, ended, required, firstArrivalAt, deadline } = group;
  const stillPossible = Math.max(0, total - arrived - ended);
  const missing = missingBranches(run, group);
  const join: JoinWait = {
    over: batch === null ? 'siblings' : 'slices',
    group: name,
    instance: id,
    required: required === 0 ? 'all' : required,
    total,
    arrived,
    stillPossible,
    gone: ended,
    missing,
  };
  const node = batch === null ? (run.graph.joins.get(group.join ?? '')?.node ?? null) : group.node;
  return {
    id: `group-${id}`,
    kind: 'join',
    node,
    token: batch,
    since: batch === null ? firstArrivalAt : run.tasks.sinceOf(batch),
    until: deadline,
    text: `waits at ${quoted(node ?? name)} for ${wanted(join)}${listed(missing, stillPossible)}${describeUntil(deadline, 'until')}`,
    join,
  };
}

function wanted({ required, arrived, stillPossible, total, over }: JoinWait): string {
  const what = over === 'slices' ? 'slices' : 'branches';
  if (required === 'all') return `${stillPossible} of ${total} ${what}`;
  return `${Math.max(required - arrived, 0)} more of ${stillPossible} ${what} that may still come`;
}

function listed(missing: readonly Missing[], all: number): string {
  if (missing.length === 0) return '';
  const named = missing.slice(0, namedMax).map(({ branch, edge, text }) => `${edge ?? `#${branch ?? 0}`} ${text}`);
  const more = all - named.length;
  return `: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function missingBranches(run: WaitingRun, { branches, total }: Group): readonly Missing[] {
  const missing: Missing[] = [];
  for (let index = 0; index < total && missing.length < missingMax; index++) {
    const branch = branches[index];
    if (branch === undefined) missing.push({ branch: index, text: 'has not begun' });
    else if (branch.arrival === null && !branch.ended) missing.push(missingBranch(run, branch));
  }
  return missing;
}

function missingBranch(run: WaitingRun, branch: Branch): Missing {
  const token = tokenIn(run, branch);
  if (!token) return { branch: branch.index, text: 'is between two nodes' };
  const since = run.tasks.sinceOf(token.id);
  const text = `${describeToken(token, kindOf(run, token), run)}${since === null ? '' : ` (${describeUntil(since, 'since').trim()})`}`;
  return { branch: branch.index, token: token.id, node: token.node, text };
}

/** A token that lives in it, or further in. */
function tokenIn({ state }: WaitingRun, branch: Branch): Token | null {
  const todo: Branch[] = [branch];
  for (let next = todo.pop(); next; next = todo.pop()) {
    if (next.firstToken) return next.firstToken;
    for (const id of next.groups ?? []) {
      const inner = state.groups.get(id)?.branches.find((each) => each && !each.ended);
      if (inner) todo.push(inner);
    }
  }
  return null;
}

/** Joins over edges to which somebody has come: one entry for each, in each branch. */
function edgeWaits(run: WaitingRun): readonly Wait[] {
  const joins = run.graph.edges?.joins;
  if (!joins) return [];
  const waits = new Map<string, Wait>();
  for (const token of run.state.tokens.values()) {
    const join = token.status === 'waiting_for_edges' ? joins.get(token.node) : undefined;
    if (!join) continue;
    const id = `edges-${refOf(token.branch).join('-')}-${join.node}`;
    if (!waits.has(id)) waits.set(id, { id, ...edgeWait(run, token, join) });
  }
  return [...waits.values()];
}

function edgeWait(
  run: WaitingRun,
  { id: token, node, branch }: Token,
  { inbound, require }: EdgeJoin,
): Omit<Wait, 'id'> {
  const untaken = inbound.filter(({ id }) => !branch.edges?.taken.has(id));
  const possible = untaken.filter(({ id }) => canComeBy(branch, node, id));
  const missing = possible
    .slice(0, missingMax)
    .map(({ id, from }): Missing => ({ edge: id, node: from, text: `may still come from ${quoted(from)}` }));
  const join: JoinWait = {
    over: 'edges',
    required: require === 'all' ? 'all' : 1,
    total: inbound.length,
    arrived: inbound.length - untaken.length,
    stillPossible: possible.length,
    gone: untaken.length - possible.length,
    missing,
  };
  // Also where some are enough, those that may still come are waited for (EJ3).
  const words = `${possible.length} of ${inbound.length} ways${listed(missing, possible.length)}`;
  const since = run.tasks.sinceOf(token);
  return { kind: 'join', node, token, since, until: null, text: `waits at ${quoted(node)} for ${words}`, join };
}

/** What planning has found dead is; before its first look since the run was loaded, nothing is. */
function canComeBy({ liveness }: Branch, node: string, edge: string): boolean {
  if (!liveness) return true;
  const { graph, live } = liveness;
  const source = graph.joins.find((join) => join.node === node)?.sources.get(edge);
  return source !== undefined && live[source] === 1;
}
