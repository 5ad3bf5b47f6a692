// What must hold whenever a command has been worked off: I2, I4, I10, I12, I14, I15, I18, I23, I33, I34, I40, I47. Only
// what the command has touched is looked at.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import { defaultLimits } from '../../packages/heddle/src/definition/limits.ts';
import { checkEdgesAtRest } from './check-edges.ts';
import { countSpawned } from './check-groups.ts';
import { requiredBy } from './check-joins.ts';
import { checkRoute } from './check-mappings.ts';
import { hasBranchesLeft, isSuspended } from './check-run.ts';
import type { DrawnJoin } from './drawing.ts';
import type { BranchFact, GroupFact, TokenFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

export function checkRest(facts: RunFacts, events: number): void {
  const { touched } = facts;
  checkBounds(facts, events);
  if (facts.end === null) {
    checkTokens(facts);
    for (const group of touched.groups) checkGroup(facts, group);
    for (const branch of touched.branches) checkEdgesAtRest(facts, branch);
    for (const command of touched.held) checkTaken(facts, command);
    for (const { token, ways } of touched.routes) if (ways) checkRoute(facts, token, ways);
    if (!facts.isPaused && isSuspended(facts) !== facts.isSuspended)
      facts.broken('I40', 'Expected it to be told when only people or events can wake the run, but it was not');
  }
  if (facts.end === null || facts.end.type === 'workflow.completed')
    for (const token of touched.cancelled) checkCancelled(facts, token);
  touched.clear();
}

/** I47: what follows from one message is bounded by what it touches. */
function checkBounds(facts: RunFacts, events: number): void {
  const { tokens, timers, groups } = facts.touched;
  if (timers > facts.drawing.limits.timersPerAlarmMax)
    facts.broken('I47', `Expected at most ${facts.drawing.limits.timersPerAlarmMax} timers to fire, but ${timers} did`);
  const most = 32 + 8 * (tokens + facts.live + timers + groups.size);
  if (events > most) facts.broken('I47', `Expected at most ${most} events of one command, but found ${events}`);
}

function checkTokens(facts: RunFacts): void {
  const { touched, live, created, credits, isPaused } = facts;
  if (facts.count('over') > 0)
    facts.broken('I23', `Expected every token whose work is done to go on, but ${facts.count('over')} did not`);
  let counted = 0;
  for (const [state, count] of facts.counts) if (!ended.has(state)) counted += count;
  if (counted !== live) facts.broken('I4', `Expected ${live} of ${created} tokens to live, but ${counted} do`);
  if (touched.continuations.length + touched.edgeContinuations.length > 0)
    facts.broken('I15', 'Expected a join that has fired to go on with a token, but it did not');
  if (live === 0 && !credits.isAwaited && !isPaused && !hasBranchesLeft(facts))
    facts.broken('I2', 'Expected a run in which nothing lives to have ended, but it goes on');
  if (touched.written !== null || touched.merge !== null)
    facts.broken('I17', 'Expected what was written to be of somebody, but it is of nobody');
  checkReady(facts);
}

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'timed_out', 'cancelled']);

/** I23: what is ready waits only because it must: the run is paused, its window full, or a wait holds it. */
function checkReady(facts: RunFacts): void {
  if (facts.count('ready') === 0 || facts.isPaused) return;
  const { oneAtATime } = facts.drawing.policy;
  if (oneAtATime && facts.timed + facts.count('credits') > 0) return;
  const { dispatchWindow, commandCostMax } = facts.drawing.limits;
  // What a command has spent is not followed here; that the next takes on the rest is seen by the end of the run.
  if (commandCostMax < defaultLimits.commandCostMax) return;
  const dispatched = facts.count('dispatched');
  const isFull = dispatched * 2 > dispatchWindow || dispatched >= (oneAtATime ? 1 : dispatchWindow);
  if (!isFull) facts.broken('I23', `Expected ${facts.count('ready')} ready tokens to be handed out, but they were not`);
}

function checkGroup(facts: RunFacts, group: GroupFact): void {
  if (group.isClosed) return;
  if (group.hasFired) return checkFired(facts, group);
  const { id, total, arrived, ended: gone, idle, busy } = group;
  const spawned = countSpawned(group);
  // I10: arrived, in flight, ended elsewhere and not yet spawned are all there are. Who has arrived may also be busy.
  if (idle > 0) facts.broken('I10', `Expected branches of group ${id} to live, arrive or end, but ${idle} do not`);
  const settled = spawned - busy;
  if (settled < gone || gone + arrived > spawned)
    facts.broken('I10', `Expected ${spawned} branches of group ${id}, but ${arrived} arrived, ${gone} ended`);
  if (settled === total)
    facts.broken('I12', `Expected group ${id}, of which all has come or ended, to be joined or closed`);
  checkJoin(facts, group);
}

/** I12: a join that is due does not wait, and one that can never be met does not either. */
function checkJoin(facts: RunFacts, group: GroupFact): void {
  const { id, total, arrived, ended: gone, homeJoin } = group;
  const home = group.isBypassed ? undefined : facts.drawing.joins.get(homeJoin ?? '');
  const isKnown = home && !isAskedLater(home) && facts.drawing.isOnlyJoin(home, group.name);
  const required = group.join !== null ? group.required : isKnown ? (requiredBy(facts, group, home) ?? 0) : 0;
  if (required === 0) return;
  if (arrived >= required) facts.broken('I12', `Expected the join of group ${id} to fire at ${required}, but it waits`);
  if (total - gone < required)
    facts.broken('I12', `Expected group ${id} to fail, as ${required} of ${total} can no longer come, but it waits`);
}

/** A quorum that is an expression is known with the first arrival. */
const isAskedLater = ({ source: { strategy } }: DrawnJoin): boolean =>
  typeof strategy === 'object' && typeof strategy.mOfN !== 'number';

/** I14: after a join that cancels nothing lives in the group; of one that abandons only what it has left alone. */
function checkFired(facts: RunFacts, { id, busy, detachedBusy }: GroupFact): void {
  if (detachedBusy === 0 || busy !== detachedBusy)
    facts.broken('I14', `Expected nothing but what was left alone to live in group ${id} after its join`);
}

/** I34: a token is called off only with its branch, by a join or a failure, or with the run. */
function checkCancelled(facts: RunFacts, { id, branch }: TokenFact): void {
  for (let b: BranchFact = branch; b.group !== null; b = b.group.parent) if (b.hasEnded || b.group.isClosed) return;
  facts.broken(
    'I34',
    `Expected token ${id} to have been called off by a join, a failure or the end, but it was by nobody`,
  );
}

/** I33: what was kept while the run was paused has had its effect. */
function checkTaken(facts: RunFacts, command: JsonObject): void {
  const token = facts.tokens.get(Number(command['token']));
  if (!token) return;
  const { type } = command;
  const isUntaken =
    (type === 'task.result' && token.state === 'dispatched' && token.dispatches === command['dispatch']) ||
    (type === 'child.ended' && token.state === 'subworkflow' && token.childRunId === command['childRunId']) ||
    (type === 'reply' && token.state === 'asked' && token.correlation === command['correlationId']) ||
    (type === 'credits.answer' && token.state === 'credits');
  if (isUntaken) facts.broken('I33', `Expected the ${type} that was kept for token ${token.id} to count now`);
}
