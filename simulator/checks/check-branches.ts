// What must be true of the ends of branches and groups: I8, I10, I12, I14, I17, I18.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import type { RunFacts } from './run-facts.ts';

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
