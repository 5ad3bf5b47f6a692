// Fan-out: fired transitions become tokens, alone or as the branches of a group. Rules FO….

import type { Failure } from '../../base/failure.ts';
import { isJsonArray, type Json } from '../../base/json.ts';
import type { Transition } from '../../definition/graph.ts';
import { refOf } from '../apply/branches.ts';
import type { IterationCounts, Lineage, SpawnPlan } from '../events.ts';
import type { Group, SpawnProgress, Token } from '../state.ts';
import { mayTakeMore } from './allowance.ts';
import { describeCause, evaluate } from './mapping.ts';
import { nodeOf, type Planning, record } from './planning.ts';
import { countIteration } from './routing.ts';
import { createTokens, exceedsTokenLimits, limitFailure } from './tokens.ts';

interface Firing {
  readonly transition: Transition;
  readonly plan: SpawnPlan;
}

/** Fires transitions of a token that has just ended; answers with a failure if one cannot be. */
export function fireTransitions(
  p: Planning,
  token: Token,
  transitions: readonly Transition[],
  failures: PathFailures,
): Failure | null {
  if (transitions.every(({ opens }) => !opens)) {
    for (const transition of transitions) continueInBranch(p, token, transition, failures);
    return null;
  }
  const firings: Firing[] = [];
  for (const transition of transitions) {
    const planned = planSpawn(p, token, transition, failures);
    if ('refusal' in planned) return planned.refusal;
    firings.push({ transition, plan: planned });
  }
  const opened = new Set<string>();
  for (const { transition } of firings) {
    const { opens } = transition;
    if (!opens) continueInBranch(p, token, transition, failures);
    // FO2: all matches of the tier that share a name form one group.
    else if (!opened.has(opens.name)) {
      opened.add(opens.name);
      openGroup(
        p,
        token,
        firings.filter((f) => f.transition.opens?.name === opens.name),
      );
    }
  }
  return null;
}

// FO1: without a group, a token stays in the branch it comes from.
function continueInBranch(p: Planning, token: Token, transition: Transition, failures: PathFailures): void {
  const created = { node: transition.to, from: token.id, via: transition.id, branch: refOf(token.branch) };
  const iterations = countIteration(token.iterations, transition);
  const isPlain = !iterations && failures === noFailures;
  createTokens(p, isPlain ? created : { ...created, ...lineage(iterations, failures) });
}

// FO3: spawnCount makes that many branches, foreach one per item.
function planSpawn(
  p: Planning,
  token: Token,
  transition: Transition,
  failures: PathFailures,
): SpawnPlan | { refusal: Failure } {
  const base = {
    node: transition.to,
    via: transition.id,
    ...lineage(countIteration(token.iterations, transition), failures),
  };
  const { spawn } = transition;
  if (spawn.type === 'one') return { ...base, count: 1 };
  if (spawn.type === 'count') return { ...base, count: spawn.count };
  const items = evaluateList(p, token, transition, failures);
  if ('failure' in items) return { refusal: items.failure };
  return {
    ...base,
    count: items.list.length,
    items: items.list,
    ...(spawn.itemVar === null ? {} : { itemVar: spawn.itemVar }),
    ...(spawn.maxParallel === null ? {} : { maxParallel: spawn.maxParallel }),
  };
}

// FO4: a collection that is missing or no list is a failure.
function evaluateList(
  p: Planning,
  token: Token,
  transition: Transition,
  failures: PathFailures,
): { list: readonly Json[] } | { failure: Failure } {
  if (transition.spawn.type !== 'foreach') return { list: [] };
  const { collection } = transition.spawn;
  const evaluated = evaluate(p, { branch: token.branch, ...failures }, collection);
  if (!('failure' in evaluated) && isJsonArray(evaluated.value)) return { list: evaluated.value };
  const cause = describeCause(evaluated);
  return {
    failure: {
      code: 'FOREACH_NOT_A_LIST',
      message: `Expected a list from ${collection.source} for the foreach of transition ${transition.id}, but ${cause}`,
      nodeId: transition.from,
      details: { transition: transition.id, expression: collection.source },
    },
  };
}

function openGroup(p: Planning, token: Token, firings: readonly Firing[]): void {
  const spawns = firings.map(({ plan }) => plan);
  const total = spawns.reduce((sum, { count }) => sum + count, 0);
  if (exceedsFanOutLimits(p, token, total)) return;
  const [first] = firings;
  const opens = first?.transition.opens;
  if (!first || !opens) return;
  // FO8: every fan-out is an instance of its own, so that loops, re-entry and nesting never mix generations.
  const id = p.state.lastGroup + 1;
  record(p, {
    type: 'fan_out.started',
    group: id,
    name: opens.name,
    token: token.id,
    node: token.node,
    parent: refOf(token.branch),
    total,
    spawns,
    tolerateFailures: opens.tolerateFailures,
    maxFailures: opens.maxFailures,
    // FO7: the join that acts when no branch can arrive is known from the start.
    homeJoin: opens.homeJoin?.id ?? null,
    ...(p.graph.policy.unjoinedBranches === 'last_wins' ? { keepsLast: true } : {}),
    ...lineage(
      firings.reduce((counts: IterationCounts | null, f) => countIteration(counts, f.transition), token.iterations),
      noFailures,
    ),
  });
  const group = p.state.groups.get(id) as Group; // just recorded
  spawnBranches(p, group);
  // Some joins are decided before anybody comes: over no branches, or a quorum above their number.
  p.steps.push({ type: 'check', group });
}

// FO5: a fan-out wider or deeper than the limits fails the run.
export function exceedsFanOutLimits(p: Planning, token: Token, total: number): boolean {
  const { branchesPerFanOutMax, branchDepthMax } = p.graph.limits;
  let depth = 1;
  for (let b = token.branch; b.group; b = b.group.parent) depth++;
  if (total > branchesPerFanOutMax) p.fatal = limitFailure(p, 'branchesPerFanOutMax', branchesPerFanOutMax, total);
  else if (depth > branchDepthMax) p.fatal = limitFailure(p, 'branchDepthMax', branchDepthMax, depth);
  return p.fatal !== null;
}

/**
 * FO6: at most `maxParallel` branches of a foreach are running; the others follow as those settle. What an inner join
 * left alone lives in no branch that counts.
 */
export function spawnBranches(p: Planning, group: Group): void {
  if (group.spawned === group.total) return;
  for (const spawn of group.spawns) {
    const room = (spawn.maxParallel ?? Number.POSITIVE_INFINITY) - spawn.underWay;
    const count = Math.min(room, spawn.count - spawn.spawned, p.branchesLeft);
    if (count <= 0 || exceedsTokenLimits(p, count)) continue;
    p.branchesLeft -= count;
    spawnSome(p, group, spawn, count);
  }
}

/**
 * FO13: at most `spawnWindow` branches begin at a time; when those are worked off the next begin, in this command or,
 * if it has done enough (PL7), in one that follows. Answers whether any did.
 */
export function beginBranches(p: Planning): boolean {
  if (p.state.paused || !mayTakeMore(p)) return false;
  p.branchesLeft = p.graph.limits.spawnWindow;
  for (const group of [...(p.state.spawnable ?? [])].toSorted((a, b) => a.id - b.id))
    if (p.branchesLeft > 0) spawnBranches(p, group);
  return true;
}

function spawnSome(p: Planning, group: Group, spawn: SpawnProgress, count: number): void {
  const first = spawn.first + spawn.spawned;
  const common = { from: group.token, branch: [group.id, first], ...(count > 1 ? { count } : {}) } as const;
  createTokens(p, { ...common, node: spawn.node, via: spawn.via, ...lineageOf(spawn) });
  // BA10: a slice takes all transitions for slices.
  const others = group.batch === null ? [] : nodeOf(p, group.node).onSlice.slice(1);
  for (const { to, id } of others) createTokens(p, { ...common, node: to, via: id, ...lineageOf(spawn) });
}

const lineageOf = ({ iterations, lastError, failure }: Lineage): Lineage =>
  lineage(iterations ?? null, { lastError: lastError ?? null, failure: failure ?? null });

export function lineage(iterations: IterationCounts | null, { lastError, failure }: PathFailures): Lineage {
  return {
    ...(iterations ? { iterations } : {}),
    ...(lastError ? { lastError } : {}),
    ...(failure ? { failure } : {}),
  };
}

/** What a path knows of failures: the last error, or the one that a route was taken for and a success has cleared. */
export type PathFailures = Pick<Token, 'lastError' | 'failure'>;

export const noFailures: PathFailures = { lastError: null, failure: null };

/** FL6: a success clears the last error, and what its route was taken for is known on; a new failure replaces it. */
export function failuresAfter(lastError: Failure | null, before: Partial<PathFailures>): PathFailures {
  if (lastError) return { lastError, failure: null };
  const failure = before.lastError ?? before.failure ?? null;
  return failure ? { lastError: null, failure } : noFailures;
}
