// What must be true of tokens, from their creation to their end: I1, I5, I6, I8, I9, I13 to I15, I26.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { EventOf, IterationCounts, Lineage } from '../../packages/heddle/src/core/events.ts';
import { checkWrites, routeOf } from './check-mappings.ts';
import type { DrawnJoin, DrawnTransition } from './drawing.ts';
import type { BranchFact, GroupFact, SpawnFact, TokenFact } from './facts.ts';
import { isOver, type RunFacts } from './run-facts.ts';

type Created = EventOf<'token.created'>;

// ---------------------------------------------------------------------------------------------------------- creation

export function createTokens(facts: RunFacts, event: Created): void {
  const count = event.count ?? 1;
  checkNumbers(facts, event, count);
  const group = causeOf(facts, event);
  const isSpawned = group !== null && spawnTokens(facts, group, event, count);
  if (!isSpawned) createToken(facts, event, event.token, branchToLiveIn(facts, event));
  facts.lastToken = event.token + count - 1;
  facts.created += count;
  facts.touched.tokens += count;
  facts.touched.failedJoin = null;
  checkLimits(facts);
}

/** I5: ids are counted up. I6: nodes and transitions are those of the pinned definition. */
function checkNumbers(facts: RunFacts, event: Created, count: number): void {
  if (event.token !== facts.lastToken + 1 || count < 1)
    facts.broken('I5', `Expected token ${facts.lastToken + 1} to be the next, but found ${event.token}`);
  if (facts.credits.isAwaited)
    facts.broken('I22', `Expected nothing to begin before its credits, but token ${event.token} did`);
}

function checkLimits(facts: RunFacts): void {
  const { tokensAliveMax } = facts.drawing.limits;
  if (facts.live > tokensAliveMax)
    facts.broken('I8', `Expected at most ${tokensAliveMax} live tokens, but found ${facts.live}`);
  const used = facts.lastToken + facts.childNodesUsed;
  if (used > (facts.start?.nodeBudget ?? 0))
    facts.broken('I8', `Expected at most ${facts.start?.nodeBudget} node visits, but found ${used}`);
}

/** I5: everything but the roots has one cause. The group that it is spawned for, where it is. */
function causeOf(facts: RunFacts, event: Created): GroupFact | null {
  const { via, from, node, token } = event;
  if (via === undefined) {
    if (from === undefined) beginAnew(facts, event);
    else continueAfterJoin(facts, event, from);
    return null;
  }
  const transition = facts.drawing.transitions.get(via);
  if (transition?.to !== node) facts.broken('I6', `Expected transition ${via} to lead to ${node}, but it does not`);
  if (from === undefined) facts.broken('I5', `Expected token ${token} to have a cause, but it has none`);
  const [groupId] = event.branch;
  const group = groupId === 0 ? null : facts.group(groupId);
  const isSlice = transition.on === 'slice';
  if (group !== null && group.token === from && (transition.opens === group.name || isSlice)) return group;
  takeTransition(facts, facts.token(from), transition, event);
  return null;
}

/** A root, or what an edge join goes on with. */
function beginAnew(facts: RunFacts, { token, node, branch: ref }: Created): void {
  const { initialNode, moreInitialNodes = [] } = facts.drawing.definition;
  const roots = [initialNode, ...moreInitialNodes];
  if (facts.created < roots.length && facts.created === facts.live) {
    if (node !== roots[facts.created] || ref[0] !== 0)
      facts.broken('I6', `Expected the run to begin at its initial nodes, but it begins at ${node}`);
    return;
  }
  const branch = facts.branch(ref);
  const pending = facts.touched.edgeContinuations;
  const place = pending.findIndex((edge) => edge.branch === branch && edge.node === node);
  if (place === -1) facts.broken('I5', `Expected token ${token} at ${node} to have a cause, but it has none`);
  pending.splice(place, 1);
}

/** I15: a join that has fired goes on with one token, where the fan-out was. */
function continueAfterJoin(facts: RunFacts, event: Created, from: number): void {
  const { token, node, branch, iterations } = event;
  const pending = facts.touched.continuations;
  const place = pending.findIndex(
    (group) => group.token === from && facts.drawing.joins.get(group.join ?? '')?.node === node,
  );
  const group = pending[place];
  if (!group) facts.broken('I15', `Expected token ${token} to go on after a join that has fired, but none has`);
  pending.splice(place, 1);
  if (facts.branch(branch) !== group.parent)
    facts.broken('I15', `Expected token ${token} to go on where group ${group.id} fanned out, but it is elsewhere`);
  checkIterations(facts, group.iterations, iterations, group.loops);
  checkLastError(facts, event, null);
  checkKnown(facts, event, group.known);
  facts.touched.failedJoin = group.failure;
}

/** A transition that opens no group is taken once, by a token that has just ended as it asks for. */
function takeTransition(facts: RunFacts, from: TokenFact, transition: DrawnTransition, event: Created): void {
  if (transition.opens !== null || transition.on === 'slice' || event.count !== undefined)
    facts.broken(
      'I9',
      `Expected transition ${transition.id} to open a group, but token ${event.token} is in none of it`,
    );
  fire(facts, from, transition);
  if (facts.branch(event.branch) !== from.branch)
    facts.broken('I5', `Expected token ${event.token} to stay in the branch of token ${from.id}, but it left it`);
  checkIterations(facts, from.iterations, event.iterations, loopsOf(facts, [transition.id]));
  checkLastError(facts, event, from);
}

/** I38: the last error goes along the path of a failure, and ends with the next success and at every join. */
export function checkLastError(facts: RunFacts, lineage: Lineage, from: TokenFact | null): void {
  const { lastError } = lineage;
  if ((lastError !== undefined) !== (from?.state === 'failed'))
    facts.broken('I38', 'Expected the last error to go along the path of a failure alone, but it does not');
  if (from !== null) checkKnown(facts, lineage, from.state === 'failed' ? null : (from.lastError ?? from.failure));
}

/** I38: what a failure route was taken for stays known on that path, behind successes and behind joins. */
function checkKnown(facts: RunFacts, { failure }: Lineage, known: Failure | null): void {
  if (failure?.code !== known?.code || failure?.nodeId !== known?.nodeId)
    facts.broken('I38', `Expected the path to know of the failure ${known?.code}, but it knows ${failure?.code}`);
}

/** I5: transitions of one tier, each once, of a token that has ended in this command. */
export function fire(facts: RunFacts, from: TokenFact, transition: DrawnTransition): void {
  const { id, on } = transition;
  if (transition.from !== from.node.id)
    facts.broken('I5', `Expected transition ${id} to leave node ${from.node.id}, but it leaves ${transition.from}`);
  const hasEnded = from.endedIn === facts.seq && (from.state === 'completed' ? on !== 'failure' : on !== 'success');
  if (!hasEnded || (from.state !== 'completed' && from.state !== 'failed'))
    facts.broken('I5', `Expected token ${from.id} to end before it takes ${id}, but it is ${from.state}`);
  from.fired ??= [];
  const [first] = from.fired;
  if (first !== undefined && facts.drawing.transitions.get(first)?.priority !== transition.priority)
    facts.broken('I5', `Expected one tier of node ${from.node.id} to be taken, but ${first} and ${id} were`);
  if (from.fired.includes(id))
    facts.broken('I5', `Expected ${id} to be taken once by token ${from.id}, but it was twice`);
  from.fired.push(id);
}

/**
 * I8: a loop is taken at most as often as it may be. What was taken is counted once; other counts stay, or begin anew.
 * Where several were taken together, one may begin another anew before that is counted.
 */
export function checkIterations(
  facts: RunFacts,
  before: IterationCounts | null,
  after: IterationCounts | undefined,
  taken: readonly string[],
): void {
  if (after === undefined && before === null && taken.length === 0) return;
  for (const [id, count] of Object.entries(after ?? {})) {
    const most = facts.drawing.transitions.get(id)?.source.loop?.maxIterations ?? 0;
    if (count > most) facts.broken('I8', `Expected loop ${id} to be taken at most ${most} times, but it was ${count}`);
    const next = (before?.[id] ?? 0) + Number(taken.includes(id));
    if (taken.length > 1 ? count > next : count !== next)
      facts.broken('I8', `Expected loop ${id} to have been taken ${next} times, not ${count}`);
  }
  const missed = taken.find((id) => (after?.[id] ?? 0) === 0);
  if (missed !== undefined) facts.broken('I8', `Expected loop ${missed} to be counted, but it was not`);
}

/** The transitions among them that are loops. */
export const loopsOf = (facts: RunFacts, ids: Iterable<string>): string[] =>
  [...new Set(ids)].filter((id) => facts.drawing.transitions.get(id)?.source.loop !== undefined);

/** I9: branches are spawned in the order of their indices, each once. True unless it is a further path of a slice. */
function spawnTokens(facts: RunFacts, group: GroupFact, event: Created, count: number): boolean {
  const [, first] = event.branch;
  const spawn = group.spawns.find((one) => first >= one.first && first < one.first + one.count);
  if (!spawn) facts.broken('I9', `Expected at most ${group.total} branches of group ${group.id}, but found ${first}`);
  if (group.isDecided) facts.broken('I14', `Expected nothing to begin in group ${group.id}, but branch ${first} did`);
  if (event.via !== spawn.via) return followSlice(facts, group, event, count);
  if (event.node !== spawn.node || first !== spawn.first + spawn.spawned || spawn.spawned + count > spawn.count)
    facts.broken(
      'I9',
      `Expected branch ${spawn.first + spawn.spawned} of group ${group.id} to be the next, not ${first}`,
    );
  for (let i = 0; i < count; i++) {
    const branch = facts.newBranch(group, first + i, spawn);
    group.branches.set(branch.index, branch);
    group.idle++;
    createToken(facts, event, event.token + i, branch);
  }
  spawn.spawned += count;
  checkParallel(facts, group, spawn);
  return true;
}

/** Several transitions for slices all fire for each slice, in the same branch. */
function followSlice(facts: RunFacts, group: GroupFact, event: Created, count: number): boolean {
  const slices = facts.drawing.nodes.get(group.node)?.slices ?? [];
  if (group.batch === null || !slices.some(({ id }) => id === event.via))
    facts.broken('I9', `Expected ${event.via} to have opened group ${group.id}, but it did not`);
  for (let i = 0; i < count; i++)
    createToken(facts, event, event.token + i, facts.branch([group.id, event.branch[1] + i]));
  return true;
}

/** I8: no more at a time than there may be. */
function checkParallel(facts: RunFacts, group: GroupFact, { maxParallel, busy }: SpawnFact): void {
  if (maxParallel === null || busy <= maxParallel) return;
  facts.broken('I8', `Expected at most ${maxParallel} branches of group ${group.id} at a time, but ${busy} are`);
}

function branchToLiveIn(facts: RunFacts, { branch: ref, token }: Created): BranchFact {
  const branch = facts.branch(ref);
  const { group } = branch;
  if (group?.isClosed || (group?.isDecided && !branch.isDetached))
    facts.broken('I14', `Expected nothing to come to life in group ${group.id}, but token ${token} did`);
  if (branch.hasEnded)
    facts.broken('I10', `Expected branch ${branch.index} of group ${group?.id} to have ended, but token ${token} came`);
  return branch;
}

function createToken(facts: RunFacts, event: Created, id: number, branch: BranchFact): void {
  const node = facts.drawing.nodes.get(event.node);
  if (!node) facts.broken('I6', `Expected node ${event.node} to be one of the definition, but it is none`);
  const token: TokenFact = {
    id,
    node,
    via: event.via ?? null,
    iterations: event.iterations ?? null,
    lastError: event.lastError ?? null,
    failure: event.failure ?? null,
    branch,
    state: 'ready',
    attempt: 1,
    dispatches: 0,
    process: null,
    hasInput: false,
    steps: new Set(),
    hasResult: false,
    result: {},
    dueAt: null,
    since: 0,
    childRunId: null,
    isChildSuspended: false,
    correlation: null,
    isPaid: false,
    endedIn: 0,
    fired: null,
    mustFail: facts.touched.failedJoin,
  };
  addToken(facts, token);
}

export function addToken(facts: RunFacts, token: TokenFact): void {
  facts.tokens.set(token.id, token);
  facts.live++;
  facts.counts.set(token.state, (facts.counts.get(token.state) ?? 0) + 1);
  facts.enter(token, token.branch);
  if (token.state !== 'edges' && token.state !== 'siblings') facts.hold(token.branch, token.node.id, 1);
}

// ---------------------------------------------------------------------------------------------------------- arrivals

/** The branch for which a token arrives at a join: of the nearest group of that name, and of none outside a slice. */
export function branchAtJoin(branch: BranchFact, { group: name }: DrawnJoin): BranchFact | null {
  for (let b = branch; b.group !== null; b = b.group.parent) {
    if (b.group.batch !== null) return null;
    if (name === null || b.group.name === name) return b;
  }
  return null;
}

/** Whether a join does not need who comes: its branch has arrived, the join has fired, or it was left alone on the way. */
export function isAbsorbed(token: TokenFact, target: BranchFact): boolean {
  if (target.arrival !== null || target.group?.isDecided) return true;
  for (let b = token.branch; b.group !== null; b = b.group.parent) {
    if (b.isDetached) return true;
    if (b === target) return false;
  }
  return false;
}

/** I13: who comes to a join does not go past it, unless it is in no group of it. */
export function checkWork(facts: RunFacts, token: TokenFact): void {
  const transition = token.via === null ? undefined : facts.drawing.transitions.get(token.via);
  if (!transition || token.hasInput || token.attempt > 1) return;
  const goesPast = transition.overEdges || (transition.join && branchAtJoin(token.branch, transition.join) !== null);
  if (goesPast)
    facts.broken('I13', `Expected token ${token.id} to arrive at ${token.node.id}, but it went past the join`);
}

// --------------------------------------------------------------------------------------------------------------- end

/** I1, I19: a node is done when its work is; one without work at once; who is not needed at a join, without effect. */
export function completeToken(facts: RunFacts, { token: id }: EventOf<'token.completed'>): void {
  const token = facts.token(id);
  const isReady = token.state === 'ready';
  if (isReady && !canEndUnworked(facts, token))
    facts.broken('I1', `Expected the work of token ${id} at ${token.node.id} before its end, but there was none`);
  const isDone = !isReady || !isOneTooMany(facts, token);
  facts.move(token, 'completed');
  if (!isDone) return;
  if (isReady && facts.takenOver.has(token.node.id)) token.result = facts.outputs.get(token.node.id) ?? {};
  if (facts.touched.before !== 'context.updated' && facts.touched.before !== 'workflow.result_set')
    checkWrites(facts, token, []);
  facts.touched.routes.push({ token, ways: routeOf(facts, token, null) });
}

/** It came to a join: what it does not do there it does nowhere. */
function isOneTooMany(facts: RunFacts, { via, branch }: TokenFact): boolean {
  const transition = via === null ? undefined : facts.drawing.transitions.get(via);
  if (!transition) return false;
  return transition.overEdges || (transition.join !== null && branchAtJoin(branch, transition.join) !== null);
}

function canEndUnworked(facts: RunFacts, token: TokenFact): boolean {
  const { node, via } = token;
  const transition = via === null ? undefined : facts.drawing.transitions.get(via);
  if (transition?.overEdges) {
    const edges = token.branch.edges;
    return edges !== null && (edges.taken.has(transition.id) || edges.decided.has(node.id));
  }
  const target = transition?.join ? branchAtJoin(token.branch, transition.join) : null;
  if (target !== null) return isAbsorbed(token, target);
  // A time to wait for may lie in the past, and a batch may lead nowhere.
  if (node.kind === 'batch') return node.slices.length === 0;
  return node.kind === 'pass' || node.kind === 'wait' || facts.takenOver.has(node.id);
}

/** Those who waited at a join that has fired. */
export function completeTokens(facts: RunFacts, { tokens }: EventOf<'tokens.completed'>): void {
  for (const id of tokens) {
    const token = facts.token(id);
    const { group, edges } = token.branch;
    if (token.state === 'siblings' && !group?.hasFired)
      facts.broken(
        'I12',
        `Expected the join of group ${group?.id} to fire before token ${id} leaves it, but it did not`,
      );
    if (token.state === 'edges' && !edges?.decided.has(token.node.id))
      facts.broken('I12', `Expected the join at ${token.node.id} to be decided before token ${id} leaves it`);
    if (token.state !== 'siblings' && token.state !== 'edges' && !isOver(token))
      facts.broken('I1', `Expected token ${id} to wait at a join, but it is ${token.state}`);
    facts.move(token, 'completed');
  }
}

export function timeOutTokens(facts: RunFacts, { tokens }: EventOf<'tokens.timed_out'>): void {
  // One timer for all that wait at a join. One whose failure is handled has said so before.
  const told = new Set<unknown>();
  for (const id of tokens) {
    const token = facts.token(id);
    const { group } = token.branch;
    if ((group?.failure ?? null) === null && !told.has(group))
      facts.reachDue(group?.deadline ?? null, `token ${id} at its join`);
    told.add(group);
    facts.move(token, 'timed_out');
  }
}

/** Whoever is called off gives up what it waited for. */
export function cancelTokens(facts: RunFacts, { tokens }: EventOf<'tokens.cancelled'>): void {
  for (const id of tokens) {
    const token = facts.token(id);
    const child = token.state === 'subworkflow' ? facts.children.get(token.childRunId ?? '') : undefined;
    if (child) child.standing = 'given-up';
    const prompt =
      token.state === 'asked' || token.state === 'queued' ? facts.prompts.get(token.correlation ?? '') : null;
    if (prompt) prompt.standing = 'cancelled';
    facts.move(token, 'cancelled');
    facts.touched.cancelled.push(token);
  }
}
