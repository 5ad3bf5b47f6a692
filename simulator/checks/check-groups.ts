// What must be true of fan-outs, branches and joins: I8 to I16, I18. What must hold when a command has been worked off
// stands in `check-rest.ts`.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { EventOf, SpawnPlan } from '../../packages/heddle/src/core/events.ts';
import { branchAtJoin, checkIterations, checkLastError, checkWork, fire, isAbsorbed, loopsOf } from './check-tokens.ts';
import { keepResult, mergedIn } from './check-values.ts';
import type { DrawnJoin } from './drawing.ts';
import type { BranchFact, GroupFact, SpawnFact, TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import { evaluate } from './scope.ts';
import { isEqual, type Writing } from './values.ts';

// ---------------------------------------------------------------------------------------------------------- fan-outs

export function openGroup(facts: RunFacts, event: EventOf<'fan_out.started'>): void {
  const token = facts.token(event.token);
  const parent = facts.branch(event.parent);
  if (event.group !== facts.lastGroup + 1)
    facts.broken('I9', `Expected group ${facts.lastGroup + 1} to be the next, but found ${event.group}`);
  if (parent !== token.branch || event.node !== token.node.id)
    facts.broken('I9', `Expected group ${event.group} where token ${token.id} is, but it is elsewhere`);
  if (event.batch === undefined) for (const spawn of event.spawns) checkSpawn(facts, token, event, spawn);
  else checkSlices(facts, token, event);
  if (event.batch === undefined)
    checkIterations(facts, token.iterations, event.iterations, loopsOf(facts, viasOf(event.spawns)));
  const group = newGroup(event, parent);
  facts.lastGroup = group.id;
  facts.groups.set(group.id, group);
  facts.touched.groups.add(group);
  checkWidth(facts, group);
  parent.live++;
  facts.holdFan(group, 1);
  facts.settle(parent);
}

const viasOf = (spawns: readonly { readonly via: string }[]): string[] => spawns.map(({ via }) => via);

/** I9: as many branches as the transition says, of a transition that is taken now. */
function checkSpawn(facts: RunFacts, token: TokenFact, event: EventOf<'fan_out.started'>, spawn: SpawnPlan): void {
  const transition = facts.drawing.transitions.get(spawn.via);
  if (transition?.to !== spawn.node || transition.opens !== event.name)
    facts.broken('I6', `Expected ${spawn.via} to open group ${event.name}, but it does not`);
  fire(facts, token, transition);
  checkIterations(facts, token.iterations, spawn.iterations, loopsOf(facts, [transition.id]));
  checkLastError(facts, spawn, token);
  const { foreach, spawnCount = 1 } = transition.source;
  const count = foreach === undefined ? spawnCount : (spawn.items?.length ?? -1);
  if (spawn.count !== count || spawn.itemVar !== foreach?.itemVar || spawn.maxParallel !== foreach?.maxParallel)
    facts.broken('I9', `Expected ${count} branches of ${spawn.via}, but found ${spawn.count}`);
  const { tolerates, maxFailures } = facts.drawing.settingsOf(transition);
  if (event.tolerateFailures !== tolerates || event.maxFailures !== maxFailures)
    facts.broken('I6', `Expected group ${event.name} to tolerate failures as it was drawn, but it does not`);
}

/** I9: slices of a list, in order, the last one maybe shorter. */
function checkSlices(facts: RunFacts, token: TokenFact, event: EventOf<'fan_out.started'>): void {
  const { batch } = token.node.source;
  const [spawn, ...others] = event.spawns;
  if (event.batch !== token.id || batch === undefined || !spawn?.slices || !spawn.items || others.length > 0)
    facts.broken('I6', `Expected node ${token.node.id} not to be a batch, but it was cut into slices`);
  const { batchSize = 0, parallelBatches = 1, items } = batch;
  const size = batchSize === 0 ? Math.max(spawn.items.length, 1) : batchSize;
  const isRight = spawn.slices.size === size && spawn.slices.path === items && spawn.maxParallel === parallelBatches;
  if (!isRight || event.total !== Math.ceil(spawn.items.length / size))
    facts.broken('I9', `Expected ${spawn.items.length} items in slices of ${size}, but found ${event.total} slices`);
  const tolerates = token.node.slices.some(({ source }) => source.onBranchFailure === 'end');
  if (event.tolerateFailures !== tolerates)
    facts.broken(
      'I6',
      `Expected slices of node ${token.node.id} to tolerate failures as they were drawn, but they do not`,
    );
}

export function newSpawns(plans: readonly (SpawnPlan & { readonly spawned?: number })[]): SpawnFact[] {
  let first = 0;
  return plans.map(
    ({ count, via, node, maxParallel = null, items = null, itemVar = null, slices = null, spawned = 0 }) => {
      first += count;
      return { first: first - count, count, via, node, maxParallel, items, itemVar, slices, spawned, busy: 0 };
    },
  );
}

function newGroup(event: EventOf<'fan_out.started'>, parent: BranchFact): GroupFact {
  return {
    id: event.group,
    name: event.name,
    token: event.token,
    node: event.node,
    parent,
    depth: (parent.group?.depth ?? 0) + 1,
    total: event.total,
    spawns: newSpawns(event.spawns),
    tolerates: event.tolerateFailures,
    maxFailures: event.maxFailures,
    homeJoin: event.homeJoin,
    batch: event.batch ?? null,
    keepsLast: event.keepsLast ?? false,
    iterations: event.iterations ?? null,
    known: knownBy(event.spawns),
    ...newCounts(),
  };
}

/** What each of its branches was told of failures. */
export const knownBy = ([spawn]: readonly SpawnPlan[]): Failure | null => spawn?.lastError ?? spawn?.failure ?? null;

/** What is counted of a group, when there is nothing to be counted yet. */
export function newCounts() {
  return {
    branches: new Map<number, BranchFact>(),
    busy: 0,
    idle: 0,
    arrived: 0,
    ended: 0,
    failed: 0,
    detachedBusy: 0,
    inside: 0,
    join: null,
    required: 0,
    deadline: null,
    isBypassed: false,
    hasFired: false,
    isDecided: false,
    isTimedOut: false,
    failure: null,
    isClosed: false,
    loops: [],
    last: null,
  };
}

function checkWidth(facts: RunFacts, { id, total, spawns, depth, homeJoin, keepsLast, batch }: GroupFact): void {
  const sum = spawns.reduce((count, spawn) => count + spawn.count, 0);
  if (sum !== total) facts.broken('I9', `Expected ${sum} branches in group ${id}, but found ${total}`);
  const { branchesPerFanOutMax, branchDepthMax } = facts.drawing.limits;
  if (total > branchesPerFanOutMax || depth > branchDepthMax)
    facts.broken('I8', `Expected group ${id} to be too wide or too deep, but it was opened`);
  const isHome = homeJoin === null || facts.drawing.joins.has(homeJoin);
  const isOfPolicy = keepsLast === (facts.drawing.policy.unjoinedBranches === 'last_wins' && batch === null);
  if (!isHome || !isOfPolicy) facts.broken('I6', `Expected group ${id} to be as its workflow says, but it is not`);
}

export function waitForBatch(facts: RunFacts, event: Extract<EventOf<'token.waiting'>, { for: 'batch' }>): void {
  const token = facts.token(event.token);
  const group = facts.group(event.group);
  if (group.batch !== token.id) facts.broken('I9', `Expected group ${group.id} to be the batch of token ${token.id}`);
  checkWork(facts, token);
  facts.move(token, 'batch');
}

// ---------------------------------------------------------------------------------------------------------- arrivals

export function arrive(facts: RunFacts, event: Extract<EventOf<'token.waiting'>, { for: 'siblings' }>): void {
  const token = facts.token(event.token);
  const join = facts.drawing.transitions.get(token.via ?? '')?.join;
  const target = join ? branchAtJoin(token.branch, join) : null;
  if (!join || join.id !== event.join || target === null || target !== facts.branch(event.branch))
    facts.broken('I13', `Expected token ${token.id} not to arrive at ${event.join} for that branch, but it did`);
  const group = target.group as GroupFact; // joins are for branches of groups
  if (group.isDecided) facts.broken('I11', `Expected nobody at the join of group ${group.id}, which has fired`);
  if (target.hasEnded || isAbsorbed(token, target))
    facts.broken('I13', `Expected branch ${target.index} of group ${group.id} to arrive once, but it did again`);
  if (group.join !== null && group.join !== join.id)
    facts.broken('I11', `Expected group ${group.id} to meet at ${group.join}, but it meets at ${join.id} too`);
  if (group.join === null) bindJoin(facts, group, join, event);
  else if (event.required !== group.required || event.deadline !== undefined)
    facts.broken('I12', `Expected later arrivals to change nothing of the join of group ${group.id}`);
  moveToJoin(facts, token, target, group);
}

/** I12, I27: the first arrival says how many the join needs and until when it waits. */
function bindJoin(
  facts: RunFacts,
  group: GroupFact,
  join: DrawnJoin,
  event: Extract<EventOf<'token.waiting'>, { for: 'siblings' }>,
): void {
  const required = requiredBy(facts, group, join);
  if (event.required !== required)
    facts.broken('I12', `Expected the join of group ${group.id} to need ${required} branches, not ${event.required}`);
  const { timeoutMs = 0 } = join.source;
  const due = timeoutMs === 0 ? undefined : facts.at + timeoutMs;
  if (event.deadline !== due || event.arrivedAt !== facts.at)
    facts.broken('I27', `Expected the join of group ${group.id} to wait until ${due}, but found ${event.deadline}`);
  group.join = join.id;
  group.required = event.required;
  group.deadline = event.deadline ?? null;
  if (group.deadline !== null) facts.deadlines.add(group.deadline);
}

/** How many arrivals a join needs; 0 for all, null for what is no number. */
export function requiredBy(
  facts: RunFacts,
  group: GroupFact,
  { source: { strategy = 'all' } }: DrawnJoin,
): number | null {
  if (strategy === 'all') return 0;
  if (strategy === 'any') return 1;
  if (typeof strategy.mOfN === 'number') return strategy.mOfN;
  const evaluated = evaluate(facts, { branch: group.parent }, strategy.mOfN);
  const value = 'failure' in evaluated ? null : evaluated.value;
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 ? value : null;
}

/** From an inner group it arrives for its branch of the outer one; the groups between were passed by. */
function moveToJoin(facts: RunFacts, token: TokenFact, target: BranchFact, group: GroupFact): void {
  for (let b = token.branch; b !== target && b.group !== null; b = b.group.parent) b.group.isBypassed = true;
  facts.hold(token.branch, token.node.id, -1);
  facts.move(token, 'siblings');
  if (token.branch !== target) {
    facts.leave(token);
    facts.enter(token, target);
  }
  target.live--;
  target.arrival = token;
  group.arrived++;
  facts.settle(target);
}

// ------------------------------------------------------------------------------------------------------------- joins

export function fireJoin(facts: RunFacts, event: EventOf<'fan_in.completed'>): void {
  const group = facts.group(event.group);
  const join = facts.drawing.joins.get(event.join);
  if (!join) facts.broken('I6', `Expected join ${event.join} to be one of the definition, but it is none`);
  if (group.isDecided || group.batch !== null)
    facts.broken('I11', `Expected the join of group ${group.id} to fire once, but it fired again`);
  if ((group.join ?? group.homeJoin) !== join.id || (group.join === null && group.isBypassed))
    facts.broken('I11', `Expected the join ${group.join ?? group.homeJoin} of group ${group.id}, but ${join.id} fired`);
  if (event.branches !== group.arrived)
    facts.broken('I12', `Expected ${group.arrived} branches at the join of group ${group.id}, not ${event.branches}`);
  checkCount(facts, group, join, event.timedOut);
  expectMerge(facts, group, join);
  group.loops = loopsInto(facts, group);
  group.join = join.id;
  group.hasFired = true;
  group.isTimedOut = event.timedOut;
  facts.release(group);
  facts.touched.continuations.push(group);
}

/** I15: a join fails for a reason, and goes on with one token, at whose node the failure is handled. */
export function failJoin(facts: RunFacts, { group: id, join: joinId, error }: EventOf<'fan_in.failed'>): void {
  const group = facts.group(id);
  const join = facts.drawing.joins.get(joinId);
  if (!join) facts.broken('I6', `Expected join ${joinId} to be one of the definition, but it is none`);
  if (group.isDecided || group.batch !== null || (group.join ?? joinId) !== joinId)
    facts.broken('I11', `Expected the join of group ${id} to fail once, and at ${group.join}, but ${joinId} failed`);
  const isHandled = [...facts.drawing.transitions.values()].some(
    ({ from, on }) => from === join.node && (on === 'failure' || on === 'any'),
  );
  if (!isHandled) facts.broken('I5', `Expected node ${join.node} to handle that its join fails, but it does not`);
  checkReason(facts, group, join, error.code);
  group.loops = loopsInto(facts, group);
  group.join = join.id;
  group.hasFired = true;
  group.isTimedOut = true; // it leaves nothing alone
  group.failure = error;
  facts.release(group);
  facts.touched.continuations.push(group);
}

function checkReason(facts: RunFacts, group: GroupFact, join: DrawnJoin, code: string): void {
  const required = group.join === null ? requiredBy(facts, group, join) : group.required;
  if (code === 'FAN_IN_TIMED_OUT') {
    if (group.deadline === null || join.source.onTimeout === 'proceed_with_available')
      facts.broken('I12', `Expected the join of group ${group.id} not to give up, but it did`);
    return facts.reachDue(group.deadline, `the join of group ${group.id}`);
  }
  if (code === 'QUORUM_INVALID' ? required === null : code !== 'FAN_IN_UNREACHABLE') return;
  if (required !== null && group.total - group.ended < required) return;
  facts.broken('I12', `Expected the join of group ${group.id} not to fail with ${code}, but it did`);
}

/** Loops by which branches came to the join; what opened the group was counted then. */
function loopsInto(facts: RunFacts, { branches, spawns }: GroupFact): string[] {
  const opened = new Set(viasOf(spawns));
  const vias = [...branches.values()].flatMap(({ arrival }) => arrival?.via ?? []);
  return loopsOf(facts, vias).filter((id) => !opened.has(id));
}

/** I12: at exactly the required count, when all have come or ended, or by the timeout; never earlier or later. */
function checkCount(facts: RunFacts, group: GroupFact, join: DrawnJoin, isTimedOut: boolean): void {
  const { id, arrived, total } = group;
  if (isTimedOut) {
    if (group.deadline === null || facts.at < group.deadline || join.source.onTimeout !== 'proceed_with_available')
      facts.broken('I12', `Expected the join of group ${id} to wait until ${group.deadline}, but it gave up`);
    return facts.reachDue(group.deadline, `the join of group ${id}`);
  }
  const required = group.join === null ? requiredBy(facts, group, join) : group.required;
  if (required === 0) {
    if (group.busy + group.idle > 0 || countSpawned(group) < total)
      facts.broken('I12', `Expected all branches of group ${id} to come or end before its join fires`);
  } else if (arrived !== required)
    facts.broken('I12', `Expected ${required} branches at the join of group ${id}, but it fired at ${arrived}`);
}

export const countSpawned = ({ spawns }: GroupFact): number => spawns.reduce((sum, { spawned }) => sum + spawned, 0);

/** I16: what is merged follows at once. */
function expectMerge(facts: RunFacts, group: GroupFact, { source: { merge } }: DrawnJoin): void {
  const writes: Writing[] = [];
  for (const one of merge === undefined ? [] : [merge].flat())
    writes.push(...mergedIn(facts, group, one, writes).writes);
  if (writes.length > 0) facts.touched.merge = { group, writes };
}

/** A batch is done when all its slices have ended; what they came to is its result. */
export function completeBatch(facts: RunFacts, event: EventOf<'batch.completed'>): void {
  const token = facts.token(event.token);
  const group = facts.group(event.group);
  if (token.state !== 'batch' || group.batch !== token.id || group.isDecided)
    facts.broken('I11', `Expected the batch of token ${token.id} to be done once, but it is done again`);
  if (group.ended !== group.total || event.slices !== group.total)
    facts.broken('I12', `Expected ${group.total} slices of token ${token.id} to have ended, but ${group.ended} have`);
  const { merge } = token.node.source.batch ?? {};
  const { value, writes } = merge === undefined ? { value: undefined, writes: [] } : mergedIn(facts, group, merge, []);
  if (!isEqual(event.output, value))
    facts.broken(
      'I16',
      `Expected slices to be merged to ${JSON.stringify(value)}, not ${JSON.stringify(event.output)}`,
    );
  if (writes.length > 0) facts.touched.merge = { group, writes };
  if (event.output !== undefined) keepResult(token, event.output);
  facts.move(token, 'over');
}

// ---------------------------------------------------------------------------------------------------------- branches

/** I10: a branch ends once, when nothing of it lives and it has not arrived. */
export function endBranch(facts: RunFacts, { branch: ref, how, error }: EventOf<'branch.ended'>): void {
  const branch = facts.branch(ref);
  const { group } = branch;
  if (group === null || branch.hasEnded || branch.live > 0 || branch.arrival !== null || branch.isDetached)
    facts.broken('I10', `Expected branch ${branch.index} of group ${group?.id} not to end, but it did`);
  branch.hasEnded = true;
  branch.hasFailed = how === 'failed';
  branch.error = error ?? null;
  group.ended++;
  if (how === 'failed') group.failed++;
  if (error) checkUnreachable(facts, error);
  else if (group.keepsLast) group.last = branch.writes ?? new Map();
  if (group.failed > (group.tolerates ? (group.maxFailures ?? Infinity) : 0))
    facts.broken(
      'I8',
      `Expected group ${group.id} to tolerate ${group.maxFailures ?? 'no'} failures, not ${group.failed}`,
    );
  if (group.batch === null) branch.raw = undefined;
  facts.settle(branch);
}

/** I14: only a join that abandons leaves branches alone, and those that it does not need. */
export function detachBranches(facts: RunFacts, { group: id, indices }: EventOf<'branches.detached'>): void {
  const group = facts.group(id);
  const join = facts.drawing.joins.get(group.join ?? '');
  if (!group.hasFired || group.isTimedOut || join?.source.onEarlyComplete !== 'abandon')
    facts.broken('I14', `Expected the join of group ${id} to leave nothing alone, but it did`);
  for (const index of indices) {
    const branch = facts.branch([id, index]);
    if (branch.isDetached || branch.live === 0)
      facts.broken('I14', `Expected branch ${index} of group ${id} to live when it is left alone, but it does not`);
    branch.isDetached = true;
    group.detachedBusy++;
  }
}

/** I12: a join fails only when it can no longer be met. */
export function checkUnreachable(facts: RunFacts, { code, details }: Failure): void {
  // A node may fail by that, too: its sub-run has.
  if (code !== 'FAN_IN_UNREACHABLE' || facts.touched.failed?.error.code === code) return;
  const { group: name, required = 0 } = (details ?? {}) as { readonly group?: string; readonly required?: number };
  for (const group of facts.touched.groups)
    if (group.name === name && !group.hasFired && group.total - group.ended < required) return;
  facts.broken('I12', `Expected ${required} branches of group ${name} to be able to come, but their join has failed`);
}

export function failAbandoned(facts: RunFacts, { branch: ref, error }: EventOf<'branch.abandoned_failed'>): void {
  const branch = facts.branch(ref);
  checkUnreachable(facts, error);
  if (!branch.isDetached || branch.live > 0 || branch.hasEnded)
    facts.broken('I10', `Expected branch ${branch.index} not to end alone, but it did`);
  branch.hasEnded = true;
  facts.settle(branch);
}

export function discardWrites(facts: RunFacts, { branch: ref, paths }: EventOf<'branch.discarded'>): void {
  const branch = facts.branch(ref);
  const written = branch.writes ?? new Map();
  // What a slice or the last of unjoined threads wrote is still wanted.
  const isKept = !branch.hasFailed && !branch.isDetached && (branch.group?.batch !== null || branch.group.keepsLast);
  if (
    isKept ||
    branch.isDiscarded ||
    branch.live > 0 ||
    paths.length !== written.size ||
    !paths.every((path) => written.has(path))
  )
    facts.broken(
      'I17',
      `Expected what branch ${branch.index} wrote to be dropped at its end, but found ${paths.join()}`,
    );
  branch.isDiscarded = true;
}

/** I14: after a join that cancels, nothing lives in the group, at any depth. I18: inner groups close before outer ones. */
export function closeGroup(facts: RunFacts, { group: id }: EventOf<'group.closed'>): void {
  const group = facts.group(id);
  if (group.isClosed) facts.broken('I11', `Expected group ${id} to close once, but it closed again`);
  const join = facts.drawing.joins.get(group.join ?? '');
  const cancels = group.hasFired && (group.isTimedOut || join?.source.onEarlyComplete !== 'abandon');
  if (cancels && group.inside > 0)
    facts.broken('I14', `Expected nothing to live in group ${id} after its join, but ${group.inside} tokens do`);
  if (group.busy > 0) facts.broken('I18', `Expected nothing to live in group ${id} when it closes, but something does`);
  group.isClosed = true;
  facts.release(group);
}
