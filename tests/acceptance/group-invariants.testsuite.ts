// What must be true of fan-outs and joins: I9–I12, I14–I16, I18; and whenever a command has been worked off: I2 too.

import type { SiblingSynchronization } from '../../packages/heddle/src/definition/definition.ts';
import { type EventOf, type Facts, type GroupFact, isOpen, keyOf, type Ref } from './journal-facts.testsuite.ts';
import { merge, stable } from './oracle.testsuite.ts';

export function openGroup(facts: Facts, event: EventOf<'fan_out.started'>): void {
  facts.must(!facts.groups.has(event.group), 'I9', 'a group was opened twice');
  const total = event.spawns.reduce((sum, { count }) => sum + count, 0);
  facts.must(total === event.total, 'I9', 'the total is not the sum of the spawns');
  facts.groups.set(event.group, {
    id: event.group,
    start: event,
    spawned: new Set(),
    arrived: new Map(),
    ended: new Set(),
    detached: new Set(),
    join: null,
    deadline: null,
    firings: 0,
    continuations: 0,
    isClosed: false,
    isTimedOut: false,
  });
}

export function fireJoin(facts: Facts, event: EventOf<'fan_in.completed'>): void {
  const group = facts.group(event.group);
  group.join ??= event.join;
  group.firings += 1;
  group.isTimedOut = event.timedOut;
  facts.must(group.firings === 1 && group.join === event.join, 'I11', 'a join fired twice, or another one');
  facts.must(event.branches === group.arrived.size, 'I12', 'the count of branches is off');
  const { strategy = 'all' } = facts.synchronization(group);
  if (event.timedOut) facts.must(group.deadline !== null && event.at >= group.deadline, 'I12', 'timed out too early');
  else if (strategy === 'all') mustBeAll(facts, group);
  else facts.must(event.branches === requiredBy(strategy), 'I12', 'the quorum fired too early or too late');
}

/** A join that has failed is decided, and calls off whatever is in its group. */
export function failJoin(facts: Facts, event: EventOf<'fan_in.failed'>): void {
  const group = facts.group(event.group);
  group.join ??= event.join;
  group.firings += 1;
  group.isTimedOut = true;
  facts.must(group.firings === 1 && group.join === event.join, 'I11', 'a join failed after it was decided');
}

function mustBeAll(facts: Facts, group: GroupFact): void {
  const isAttached = (branch: Ref): boolean => facts.isInside(branch, group.id) && !facts.isDetached(branch, group.id);
  const isMissing = facts.alive.some(({ id, branch }) => group.arrived.get(branch[1]) !== id && isAttached(branch));
  const isAll = group.arrived.size + group.ended.size === group.start.total;
  facts.must(isAll && !isMissing, 'I12', 'all were not there');
  const inner = [...facts.groups.values()].filter((other) => isOpen(other) && isAttached(other.start.parent));
  facts.must(inner.length === 0, 'I18', 'an inner join had not fired');
}

export function mergeBranches(facts: Facts, event: EventOf<'branches.merged'>): void {
  const group = facts.group(event.group);
  const [configured] = [facts.synchronization(group).merge ?? []].flat();
  const indices = [...group.arrived.keys()].toSorted((a, b) => a - b);
  const given = indices.flatMap((index): [number, unknown][] => {
    const value = branchX(facts, [group.id, index]);
    return value === undefined ? [] : [[index, value]];
  });
  const merged = merge(configured!.strategy, given, indices.length);
  facts.must(merged !== undefined, 'I16', 'expected nothing to be merged');
  facts.must(stable(event.writes) === stable([['state.x', merged]]), 'I16', `expected ${stable(merged)}`);
  facts.must(stable(event.branch) === stable(group.start.parent), 'I16', 'merged into another branch');
  facts.write(event.branch, event.writes);
}

function branchX(facts: Facts, branch: Ref): unknown {
  const writes = facts.writes.get(keyOf(branch));
  if (writes !== undefined) return writes.get('state.x');
  return (facts.raws.get(keyOf(branch)) as { x?: unknown } | undefined)?.x;
}

/** A branch that fails after one of its tokens has arrived takes the arrival with it. */
export function endBranch(facts: Facts, { branch, how }: EventOf<'branch.ended'>): void {
  const group = facts.group(branch[0]);
  const isLost = group.arrived.delete(branch[1]);
  facts.must(!group.ended.has(branch[1]) && !(isLost && how === 'completed'), 'I10', 'a branch ended twice');
  group.ended.add(branch[1]);
  facts.writes.delete(keyOf(branch));
  facts.raws.delete(keyOf(branch));
}

/** What must hold whenever a command has been worked off. */
export function checkRest(facts: Facts): void {
  for (const group of facts.groups.values()) {
    if (group.firings > 0) checkFired(facts, group);
    else if (!group.isClosed && facts.end === null) checkOpen(facts, group);
  }
  facts.must(facts.alive.length > 0 || facts.end !== null, 'I2', 'nothing lives, but the run goes on');
}

function checkFired(facts: Facts, group: GroupFact): void {
  facts.must(group.continuations === 1 || facts.end !== null, 'I15', `${group.continuations} continuations`);
  const inside = facts.alive.filter(({ branch }) => facts.isInside(branch, group.id));
  const abandons = !group.isTimedOut && facts.synchronization(group).onEarlyComplete === 'abandon';
  const isLeft = abandons && inside.every(({ branch }) => facts.isDetached(branch, group.id));
  const ids = inside.map(({ id }) => id).join();
  facts.must(isLeft || inside.length === 0, 'I14', `tokens ${ids} live in group ${group.id} after its join`);
}

function checkOpen(facts: Facts, group: GroupFact): void {
  const { total } = group.start;
  let settled = 0;
  for (let index = 0; index < total; index++) {
    const isAlive = facts.lives([group.id, index]);
    const states = [!group.spawned.has(index), group.ended.has(index), isAlive || group.arrived.has(index)];
    facts.must(states.filter(Boolean).length === 1, 'I10', `branch ${index} of group ${group.id} is lost`);
    if (!isAlive && group.spawned.has(index)) settled += 1;
  }
  if (group.join === null) return facts.must(settled < total, 'I12', `group ${group.id} is over, but still open`);
  const { strategy = 'all' } = facts.synchronization(group);
  const isDue = strategy === 'all' ? settled === total : group.arrived.size >= requiredBy(strategy);
  facts.must(!isDue, 'I12', `the join of group ${group.id} is due, but did not fire`);
  const canCome = total - group.ended.size;
  if (strategy !== 'all') facts.must(canCome >= requiredBy(strategy), 'I12', `the join of ${group.id} can never fire`);
}

function requiredBy(strategy: Exclude<NonNullable<SiblingSynchronization['strategy']>, 'all'>): number {
  return strategy === 'any' ? 1 : Number(strategy.mOfN);
}
