// What must be true of fan-outs and batches when they begin: I8, I9. Their joins stand in `check-joins.ts`, their branches in
// `check-branches.ts`; what must hold when a command has been worked off in `check-rest.ts`.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { EventOf, SpawnPlan } from '../../packages/heddle/src/core/events.ts';
import { checkIterations, checkLastError, checkWork, fire, loopsOf } from './check-tokens.ts';
import type { BranchFact, GroupFact, SpawnFact, TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

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

export const viasOf = (spawns: readonly { readonly via: string }[]): string[] => spawns.map(({ via }) => via);

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

export const countSpawned = ({ spawns }: GroupFact): number => spawns.reduce((sum, { spawned }) => sum + spawned, 0);
