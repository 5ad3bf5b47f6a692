// Synchronization: when siblings come together. Rules SY….
//
// Always true: a group instance has at most one continuation, ever; it is created where `joined` becomes true.

import type { Failure } from '../../base/failure.ts';
import type { GroupOpening, Join } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { Branch, Group, Token } from '../state.ts';
import { checkSlices } from './batch.ts';
import { discardedBy } from './branch-end.ts';
import { continueAfter, countArrivals, listArrivals } from './continuation.ts';
import { noteJoin } from './explain.ts';
import { failJoin, timeoutFailure, unreachableFailure } from './join-failure.ts';
import { mergeBranches } from './join-merge.ts';
import { describeCause, evaluate } from './mapping.ts';
import { fail, joinOf, noteFailing, type Planning, record, traceDecision } from './planning.ts';
import { clearBranches } from './tokens.ts';

/** A token has come along a transition with a synchronization. */
export function arrive(p: Planning, token: Token, join: Join): void {
  const target = branchFor(token, join);
  if (!target) return passJoin(p, token, join);
  if (isAbsorbed(token, target)) return absorb(p, token);
  // SY2: the first arrival binds the group to its join; an arrival at another one is a failure.
  if (target.group.join !== null && target.group.join !== join.id) return divergeAt(p, token, target.group, join);
  wait(p, token, target, join);
}

// SY1: a token in no instance of the named group passes straight through.
function passJoin(p: Planning, token: Token, join: Join): void {
  if (p.graph.policy.joinOutsideGroup === 'pass') {
    p.steps.push({ type: 'begin', token: token.id });
    return;
  }
  // TH1: a thread that no fan-out made has nobody to meet at a fan-in.
  const message = `Expected a thread at fan-in ${join.node} to come from a fan-out, but it comes from none`;
  const failure = { code: 'FAN_IN_WITHOUT_FAN_OUT', message, nodeId: join.node };
  fail(p, token.branch, failure);
}

interface MemberBranch extends Branch {
  readonly group: Group;
}

/** SY3: a name means the nearest enclosing instance; no name means the innermost group. */
function branchFor(token: Token, join: Join): MemberBranch | null {
  for (let b = token.branch; b.group; b = b.group.parent) {
    // BA5: a slice is a wall: nobody arrives from inside it at a join outside.
    if (b.group.batch !== null) return null;
    if (join.group === null || b.group.name === join.group) return b as MemberBranch; // its group is not null
  }
  return null;
}

// SY4: what reaches a join that does not need it ends there without effect: a second token of a branch that has
// arrived, and whatever was left alone by a join on the way.
function isAbsorbed(token: Token, target: MemberBranch): boolean {
  if (target.arrival !== null || target.group.joined) return true;
  for (let b: Branch = token.branch; b.group; b = b.group.parent) {
    if (b.detached) return true;
    if (b === target) break;
  }
  return false;
}

function absorb(p: Planning, token: Token): void {
  record(p, { type: 'token.completed', token: token.id });
  p.steps.push({ type: 'leave', branch: token.branch });
}

function divergeAt(p: Planning, token: Token, group: Group, join: Join): void {
  fail(p, token.branch, {
    code: 'FAN_IN_DIVERGED',
    message: `Expected all branches of group ${group.name} to meet at join ${group.join}, but one arrived at join ${join.id}`,
    nodeId: join.node,
    details: { group: group.name, joins: [group.join, join.id] },
  });
}

function wait(p: Planning, token: Token, target: MemberBranch, join: Join): void {
  const left = token.branch;
  const isFirst = target.group.join === null;
  const required = isFirst ? requiredBy(p, target.group, join) : target.group.required;
  if (typeof required !== 'number') return failJoin(p, { group: target.group, join, branch: left }, required);
  record(p, {
    type: 'token.waiting',
    token: token.id,
    for: 'siblings',
    join: join.id,
    branch: refOf(target),
    arrivedAt: p.at,
    required,
    // SY8: the time limit of a join counts from its first arrival.
    ...(isFirst && join.timeoutMs !== null ? { deadline: p.at + join.timeoutMs } : {}),
  });
  // SY5: an arrival from an inner group is one of the enclosing branch; what it leaves may have ended by that.
  if (left !== target) p.steps.push({ type: 'leave', branch: left });
  p.steps.push({ type: 'leave', branch: target });
  // `any` and `mOfN` count a branch with its first arrival, whatever else lives in it, and act before the next one.
  if (required > 0) checkGroup(p, target.group);
}

/** How many arrivals the join needs; 0 for all. */
function requiredBy(p: Planning, group: Group, { id, node, strategy }: Join): number | Failure {
  if (strategy.type === 'all') return 0;
  if (strategy.type === 'any') return 1;
  if (typeof strategy.count === 'number') return strategy.count;
  // SY13: a quorum is a whole number from 1 on, asked in the branch that fanned out.
  const evaluated = evaluate(p, { branch: group.parent }, strategy.count);
  const value = 'failure' in evaluated ? undefined : evaluated.value;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  const cause = describeCause(evaluated);
  return {
    code: 'QUORUM_INVALID',
    message: `Expected a whole number from 1 on from ${strategy.count.source} for join ${id}, but ${cause}`,
    nodeId: node,
  };
}

/** Looks at a group of which something has arrived, ended or been spawned. */
export function checkGroup(p: Planning, group: Group): void {
  // FO9: a group whose join has acted begins no further branch.
  if (group.joined || p.failing?.has(group) || !p.state.groups.has(group.id)) return;
  if (group.batch !== null) return checkSlices(p, group);
  const join = boundJoin(p, group);
  if (p.trace)
    traceDecision(p, 'decision.sync.check_condition', {
      group: group.name,
      join: join?.id ?? null,
      arrived: group.arrived,
      ended: group.ended,
      settled: group.settled,
      total: group.total,
    });
  const verdict = judgeGroup(p, group, join);
  if (p.decisions) noteVerdict(p, group, join, verdict);
  switch (verdict.type) {
    case 'waits': // Branches that may begin now do so when all steps are done (FO13).
      return;
    case 'closes':
      return close(p, group);
    case 'fires':
      return activate(p, group, verdict.join, false);
    case 'fails':
      return failJoin(p, { group, join: verdict.join }, verdict.failure);
  }
}

type Verdict =
  | { readonly type: 'waits' | 'closes' }
  | { readonly type: 'fires'; readonly join: Join }
  | { readonly type: 'fails'; readonly join: Join; readonly failure: Failure };

const waits: Verdict = { type: 'waits' };
const closes: Verdict = { type: 'closes' };

function judgeGroup(p: Planning, group: Group, join: Join | null): Verdict {
  if (!join) return group.settled === group.total ? closes : waits;
  // A quorum that is an expression is asked for by the first arrival, or when none can come (SY13).
  if (group.join === null && group.settled < group.total && isAskedLater(join)) return waits;
  const required = group.join === null ? requiredBy(p, group, join) : group.required;
  if (typeof required !== 'number') return { type: 'fails', join, failure: required };
  // SY6: `all` acts when every branch has arrived or ended elsewhere; `any` and `mOfN` at the required arrival.
  if (required === 0 ? group.settled === group.total : group.arrived >= required) return { type: 'fires', join };
  // SY7: a join that can no longer be met fails at once.
  if (group.total - group.ended < required)
    return { type: 'fails', join, failure: unreachableFailure(group, join, required) };
  return waits;
}

function noteVerdict(p: Planning, group: Group, join: Join | null, verdict: Verdict): void {
  const error = verdict.type === 'fails' ? { error: verdict.failure } : {};
  noteJoin(p, group, join, { verdict: verdict.type, ...error });
}

const isAskedLater = ({ strategy }: Join): boolean => strategy.type === 'mOfN' && typeof strategy.count !== 'number';

/**
 * The join that decides about the group: the one that its first arrival chose, or, while or once none can arrive, the
 * only one that its branches could reach.
 */
function boundJoin(p: Planning, group: Group): Join | null {
  if (group.join !== null) return joinOf(p, group.join);
  // SY9: a group that was left for an enclosing join, or has no join, closes unjoined.
  if (group.bypassed || group.homeJoin === null) return null;
  const isKnown = group.settled === group.total || openingOf(p, group)?.isOnlyJoin;
  return isKnown ? joinOf(p, group.homeJoin) : null;
}

function openingOf(p: Planning, { spawns }: Group): GroupOpening | null {
  return p.graph.transitionsById.get(spawns[0]?.via ?? '')?.opens ?? null;
}

function close(p: Planning, group: Group): void {
  // TH2: where the last finished branch of a fan-out without a join counts, what it wrote goes to whoever fanned out.
  const writes = group.last?.list() ?? [];
  if (writes.length > 0) record(p, { type: 'context.updated', branch: refOf(group.parent), writes });
  record(p, { type: 'group.closed', group: group.id });
  p.steps.push({ type: 'leave', branch: group.parent });
}

/** The join fires. */
function activate(p: Planning, group: Group, join: Join, timedOut: boolean): void {
  const merged = mergeBranches(p, { group, at: `join ${join.id}`, nodeId: join.node }, join.merges);
  if ('failure' in merged) {
    noteFailing(p, group);
    return failJoin(p, { group, join }, merged.failure);
  }
  const waiting = listArrivals(group);
  const iterations = countArrivals(p, group);
  const arrived = group.branches.filter(({ arrival }) => arrival !== null);
  record(p, {
    type: 'fan_in.completed',
    group: group.id,
    join: join.id,
    branches: waiting.length,
    timedOut,
    ...discardedBy(join.merges, arrived),
  });
  if (merged.writes.length > 0)
    record(p, { type: 'branches.merged', group: group.id, branch: refOf(group.parent), writes: merged.writes });
  if (waiting.length > 0) record(p, { type: 'tokens.completed', tokens: waiting });
  releaseOthers(p, group, join);
  continueAfter(p, group, join, iterations);
}

// SY10: branches that the join does not need are cancelled, at any depth, or left alone.
function releaseOthers(p: Planning, group: Group, join: Join): void {
  const live = group.branches.filter((b) => b.live > 0);
  if (join.onEarlyComplete === 'abandon' && live.length > 0) {
    record(p, { type: 'branches.detached', group: group.id, indices: live.map((b) => b.index) });
    return;
  }
  if (join.onEarlyComplete === 'cancel') {
    const others = group.branches.filter((b) => b.live > 0 || b.groups?.size);
    clearBranches(p, others, `join ${join.id} has completed`);
  }
  record(p, { type: 'group.closed', group: group.id });
}

// SY12: when its time is up a join fails, or continues with what it has.
export function timeOutJoin(p: Planning, group: Group): void {
  const join = joinOf(p, group.join as string); // one that times out has a join
  const isEnough = join.onTimeout === 'proceed_with_available';
  if (p.decisions) noteJoin(p, group, join, { verdict: isEnough ? 'fires' : 'fails', timedOut: true });
  if (isEnough) return activate(p, group, { ...join, onEarlyComplete: 'cancel' }, true);
  failJoin(p, { group, join }, timeoutFailure(group, join));
}
