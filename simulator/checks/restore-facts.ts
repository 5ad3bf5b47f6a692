// Restore facts: what a run takes over, from the run that it retries or from a snapshot of itself, as
// `workflow.restored` tells it.

import type { EncodedGroup, EncodedState, EncodedToken } from '../../packages/heddle/src/core/apply/encoded-state.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import { knownBy, newCounts, newSpawns } from './check-groups.ts';
import { addToken } from './check-tokens.ts';
import type { BranchFact, GroupFact, TokenFact, TokenState } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import type { Overlay, Writing } from './values.ts';

type EncodedBranch = EncodedState['root'];

export function restoreFacts(facts: RunFacts, { state, isWhole }: EventOf<'workflow.restored'>): void {
  if (facts.created > 0 || facts.live > 0)
    facts.broken('I5', 'Expected a run to take over before anything else, but it did later');
  const from = state as unknown as EncodedState; // as the engine encodes states
  facts.isRestored = true;
  facts.lastToken = from.lastToken;
  facts.lastGroup = from.lastGroup;
  facts.childNodesUsed = from.childNodesUsed;
  facts.descendantsUsed = from.descendantsUsed;
  facts.tasksStarted = from.tasksStarted;
  facts.result = from.result;
  for (const [node, output] of Object.entries(from.outputs ?? {})) {
    facts.outputs.set(node, output);
    facts.takenOver.add(node);
  }
  for (const [id, received] of from.received) facts.received.set(id, received);
  restoreBranch(facts.root, from.root);
  if (from.root.context) facts.context = { ...from.root.context };
  for (const group of from.groups) restoreGroup(facts, group);
  for (const token of from.tokens) restoreToken(facts, token);
  if (isWhole) restoreSituation(facts, from);
  facts.touched.clear();
  // What a run that was paused had got is worked off as the retry begins.
  if (!isWhole) facts.touched.held = from.held;
}

/** How a run stood that goes on from a snapshot of itself. */
function restoreSituation(facts: RunFacts, from: EncodedState): void {
  facts.isPaused = from.paused;
  facts.isSuspended = from.suspended;
  facts.held = [...from.held];
  const { awaited, requested, spent } = from.credits;
  facts.credits = { isAwaited: awaited, requested, spent };
  for (const prompt of from.queue) facts.queue.set(prompt.correlationId, prompt);
  for (const childRunId of from.givenUp)
    facts.children.set(childRunId, { ...noChild, childRunId, standing: 'given-up', told: null });
}

const noChild = { token: 0, attempt: 0, workflow: '', input: null };

function restoreBranch(branch: BranchFact, from: EncodedBranch): void {
  branch.hasEnded = from.ended;
  branch.hasFailed = from.failed ?? false;
  branch.error = from.error ?? null;
  branch.isDetached = from.detached;
  branch.isDiscarded = from.discarded ?? false;
  branch.writes = from.writes ? overlayOf(from.writes) : null;
  branch.raw = from.raw;
  for (const [edge] of from.edges?.taken ?? []) branch.edges?.taken.set(edge, null);
  for (const node of from.edges?.done ?? []) branch.edges?.decided.add(node);
}

const overlayOf = (writes: readonly Writing[]): Overlay => new Map(writes.map(([target, value]) => [target, value]));

function restoreGroup(facts: RunFacts, from: EncodedGroup): void {
  const parent = facts.branch(from.parent);
  const group: GroupFact = {
    id: from.id,
    name: from.name,
    token: from.token,
    node: from.node,
    parent,
    depth: (parent.group?.depth ?? 0) + 1,
    total: from.total,
    spawns: newSpawns(from.spawns),
    tolerates: from.tolerateFailures,
    maxFailures: from.maxFailures,
    homeJoin: from.homeJoin,
    batch: from.batch,
    keepsLast: from.keepsLast,
    iterations: from.iterations,
    known: knownBy(from.spawns),
    ...newCounts(),
    join: from.join,
    required: from.required,
    deadline: from.deadline,
    isBypassed: from.bypassed,
    hasFired: from.joined && from.join !== null,
    isDecided: from.joined,
    isClosed: from.closed,
    last: from.last ? overlayOf(from.last) : null,
  };
  facts.groups.set(group.id, group);
  for (const encoded of from.branches) addBranch(facts, group, encoded);
  if (group.deadline !== null) facts.deadlines.add(group.deadline);
  if (group.isDecided) return;
  parent.live++;
  facts.holdFan(group, 1);
  facts.settle(parent);
}

function addBranch(facts: RunFacts, group: GroupFact, from: EncodedBranch): void {
  const spawn = group.spawns.find(({ first, count }) => from.index >= first && from.index < first + count) ?? null;
  const branch = facts.newBranch(group, from.index, spawn);
  group.branches.set(branch.index, branch);
  group.idle++;
  restoreBranch(branch, from);
  if (branch.hasEnded && !branch.isDetached) group.ended++;
  if (branch.hasFailed) group.failed++;
  facts.settle(branch);
}

const states: Readonly<Record<EncodedToken['status'], TokenState>> = {
  ready: 'ready',
  dispatched: 'dispatched',
  retrying: 'retrying',
  waiting_for_timer: 'timer',
  waiting_for_siblings: 'siblings',
  waiting_for_edges: 'edges',
  waiting_for_subworkflow: 'subworkflow',
  waiting_for_input: 'queued',
  waiting_for_event: 'event',
  waiting_for_batch: 'batch',
  waiting_for_credits: 'credits',
  waiting_for_action: 'ready',
};

function restoreToken(facts: RunFacts, from: EncodedToken): void {
  const branch = facts.branch(from.branch);
  const token = tokenOf(facts, from, branch);
  addToken(facts, token);
  if (token.dueAt !== null) facts.deadlines.add(token.dueAt);
  if (from.isArrival) {
    branch.live--;
    branch.arrival = token;
    if (branch.group !== null) branch.group.arrived++;
    facts.settle(branch);
  }
  if (token.state === 'edges') branch.edges?.waiting.add(token.node.id);
  if (from.wait?.childSuspended) facts.setChildSuspended(token, true);
  if (token.childRunId !== null)
    facts.children.set(token.childRunId, { ...childOf(token), standing: 'awaited', told: null });
  if (token.state === 'queued' || token.state === 'asked')
    facts.prompts.set(token.correlation ?? '', {
      token: token.id,
      standing: token.state === 'asked' ? 'active' : 'queued',
      answer: undefined,
    });
}

function tokenOf(facts: RunFacts, from: EncodedToken, branch: BranchFact): TokenFact {
  const node = facts.drawing.nodes.get(from.node);
  if (!node) facts.broken('I6', `Expected node ${from.node} to be one of the definition, but it is none`);
  const state = from.wait?.asked ? 'asked' : states[from.status];
  return {
    id: from.id,
    node,
    via: from.via,
    iterations: from.iterations,
    lastError: from.lastError,
    failure: from.failure ?? null,
    branch,
    state,
    attempt: from.attempt,
    dispatches: from.dispatch,
    process: null,
    hasInput: from.input !== undefined,
    steps: new Set(from.steps?.map(({ step }) => step)),
    hasResult: from.wait?.result !== undefined,
    result: from.wait?.result ?? {},
    dueAt: from.dueAt,
    since: from.since,
    childRunId: from.childRunId,
    isChildSuspended: false,
    correlation: from.wait?.correlationId ?? null,
    isPaid: (from.wait?.paid ?? null) !== null,
    endedIn: 0,
    fired: null,
    mustFail: null,
  };
}

const childOf = ({ id, attempt, childRunId, node: { source } }: TokenFact) => ({
  childRunId: childRunId ?? '',
  token: id,
  attempt,
  workflow: typeof source.workflow === 'object' ? source.workflow.id : (source.workflow ?? ''),
  input: null,
});
