// What must be true of arrivals, joins and the ends of batches: I11 to I13, I15, I16.

import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import { countSpawned, viasOf } from './check-groups.ts';
import { branchAtJoin, isAbsorbed, loopsOf } from './check-tokens.ts';
import { keepResult, mergedIn } from './check-values.ts';
import type { DrawnJoin } from './drawing.ts';
import type { BranchFact, GroupFact, TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import { evaluate } from './scope.ts';
import { isEqual, type Writing } from './values.ts';

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
