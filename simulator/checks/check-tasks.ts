// What must be true of tasks: I8, I19 to I22, and of attempts and their back-off.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import { checkInput, routeOf } from './check-mappings.ts';
import { checkWork } from './check-tokens.ts';
import { keepResult } from './check-values.ts';
import type { TokenFact } from './facts.ts';
import { isOver, type RunFacts } from './run-facts.ts';

export function dispatchTask(facts: RunFacts, event: EventOf<'task.dispatched'>): void {
  const token = facts.token(event.token);
  if (isOver(token) || token.node.kind !== 'action')
    facts.broken('I22', `Expected no task for token ${token.id} at ${token.node.id}, but one was handed out`);
  if (event.attempt !== token.attempt || event.dispatch !== token.dispatches + 1)
    facts.broken(
      'I21',
      `Expected attempt ${token.attempt}, hand-out ${token.dispatches + 1} of token ${token.id}, but found ${event.attempt}, ${event.dispatch}`,
    );
  if ((event.input !== undefined) === token.hasInput)
    facts.broken('I21', `Expected the input of token ${token.id} with its first hand-out alone, but it is not so`);
  checkWork(facts, token);
  checkPaid(facts, token, event);
  if (event.input !== undefined) checkInput(facts, token, event.input);
  facts.move(token, 'dispatched');
  token.dispatches = event.dispatch;
  token.process = facts.process;
  if (!token.hasInput) facts.tasksStarted++;
  facts.credits.spent += event.cost ?? 0;
  token.hasInput = true;
  checkTaskLimits(facts, token);
}

function checkPaid(facts: RunFacts, token: TokenFact, { cost = 0 }: EventOf<'task.dispatched'>): void {
  const isOwnCost = facts.drawing.policy.charge === 'node' && facts.start?.organization !== undefined;
  const { cost: price = cost } = token.node.source;
  if (isOwnCost && !token.hasInput && price > 0 && !token.isPaid)
    facts.broken('I22', `Expected token ${token.id} to wait for its credits, but it was handed out`);
}

/** I8: no more tasks at a time, in all, or lost, than there may be. */
function checkTaskLimits(facts: RunFacts, { id, dispatches, attempt }: TokenFact): void {
  const { oneAtATime, tasksMax } = facts.drawing.policy;
  const most = oneAtATime ? 1 : facts.drawing.limits.dispatchWindow;
  const count = facts.count('dispatched');
  if (count > most) facts.broken('I8', `Expected at most ${most} tasks at a time, but found ${count}`);
  if (oneAtATime && facts.timed > 0) facts.broken('I8', `Expected a wait to hold token ${id}, but it was handed out`);
  if (tasksMax !== null && facts.tasksStarted > tasksMax)
    facts.broken('I8', `Expected at most ${tasksMax} tasks, but token ${id} is one more`);
  if (dispatches - attempt >= facts.drawing.limits.dispatchesMax)
    facts.broken(
      'I8',
      `Expected token ${id} to be given up after ${dispatches - attempt} lost hand-outs, but it was not`,
    );
}

/** I19, I20: a result is of a hand-out that is under way, and there is one. */
export function completeTask(facts: RunFacts, event: EventOf<'task.completed'>): void {
  const token = facts.token(event.token);
  keepResult(token, event.output);
  if (facts.drawing.policy.keepsOutputs) facts.outputs.set(token.node.id, event.output);
  if (token.hasResult) facts.broken('I19', `Expected one result of token ${token.id}, but a second was accepted`);
  token.hasResult = true;
  // What is caught of a sub-run that failed is the result of its node.
  if (token.state === 'over' && token.node.kind === 'workflow') return;
  if (token.state !== 'dispatched')
    facts.broken('I20', `Expected no result of token ${token.id}, which is ${token.state}, but one was accepted`);
  facts.move(token, 'over');
}

/** I19, I20: a step is of the hand-out that is under way, and is finished once for all attempts. */
export function completeStep(facts: RunFacts, { token: id, attempt, step }: EventOf<'step.completed'>): void {
  const token = facts.token(id);
  if (token.state !== 'dispatched' || token.attempt !== attempt)
    facts.broken(
      'I20',
      `Expected no step of attempt ${attempt} of token ${id}, which is ${token.state}, but found one`,
    );
  if (token.steps.has(step))
    facts.broken('I19', `Expected step ${step} of token ${id} once, but it was finished twice`);
  token.steps.add(step);
}

/** I21: attempts rise by one, within the policy, and the back-off is kept. */
export function failAttempt(facts: RunFacts, event: EventOf<'task.attempt_failed'>): void {
  const token = facts.token(event.token);
  const { id, node, attempt } = token;
  if (event.attempt !== attempt)
    facts.broken('I21', `Expected attempt ${attempt} of token ${id} to fail, but ${event.attempt} did`);
  checkPolicy(facts, token, event);
  if (token.state !== 'dispatched' && node.kind !== 'workflow')
    facts.broken('I20', `Expected no failure of token ${id}, which is ${token.state}, but one was accepted`);
  facts.move(token, 'retrying');
  token.childRunId = null;
  facts.setDue(token, event.retryAt);
}

/** Where the node has no policy the action may have one, which no definition tells. */
function checkPolicy(facts: RunFacts, { id, node, attempt }: TokenFact, event: EventOf<'task.attempt_failed'>): void {
  const delayMs = event.retryAt - facts.at;
  if (delayMs < 0) facts.broken('I21', `Expected token ${id} to be tried again later, but its time is past`);
  const { retry } = node.source;
  if (retry === undefined) return;
  if (attempt >= retry.maxAttempts)
    facts.broken('I21', `Expected ${retry.maxAttempts} attempts of token ${id}, but there will be one more`);
  if (retry.retryableErrors && !retry.retryableErrors.includes(event.error.code))
    facts.broken('I21', `Expected ${event.error.code} of token ${id} not to be tried again, but it is`);
  const { backoff = 'none', initialDelayMs = backoff === 'none' ? 0 : 1_000, jitter = 0 } = retry;
  const { maxDelayMs = Math.max(initialDelayMs, 300_000) } = retry;
  const factor = backoff === 'none' ? 1 : backoff === 'linear' ? attempt : 2 ** (attempt - 1);
  const leastMs = Math.floor(Math.min(initialDelayMs * factor, maxDelayMs) * (1 - jitter));
  const mostMs = facts.workersAskForDelays ? Infinity : Math.min(initialDelayMs * factor, maxDelayMs);
  if (delayMs < leastMs || delayMs > mostMs)
    facts.broken('I21', `Expected a back-off from ${leastMs} to ${mostMs} ms for token ${id}, but found ${delayMs}`);
}

/** I21: a hand-out that was lost costs no attempt. What was answered while the run was paused is not lost. */
export function loseTasks(facts: RunFacts, { tokens }: EventOf<'tasks.lost'>): void {
  for (const id of tokens) {
    const token = facts.token(id);
    if (token.state !== 'dispatched' && !isOver(token))
      facts.broken('I20', `Expected token ${id} to be handed out when it was lost, but it is ${token.state}`);
    const isAnswered = facts.held.some(({ type, token: held }) => type === 'task.result' && held === id);
    if (isAnswered) facts.broken('I33', `Expected the result of token ${id} to be kept, but the task was lost`);
    if (token.process !== null && token.process === facts.process)
      facts.broken('I23', `Expected token ${id} to be under way where it was handed out, but it was said to be lost`);
    facts.move(token, 'ready');
  }
}

export function failTask(facts: RunFacts, { token: id, error }: EventOf<'task.failed'>): void {
  const token = facts.token(id);
  if (token.state === 'event') checkEventTimeout(facts, token, error);
  checkNamed(facts, token, error);
  if (token.mustFail !== null && (token.mustFail.code !== error.code || token.mustFail.message !== error.message))
    facts.broken('I15', `Expected token ${id} to fail as its join has, but it failed with ${error.code}`);
  token.mustFail = null;
  if (facts.drawing.policy.keepsOutputs) facts.errors.set(token.node.id, error);
  facts.move(token, 'failed');
  facts.touched.failed = { token, error };
  facts.touched.routes.push({ token, ways: routeOf(facts, token, error) });
}

/** I38: a failure names its node, its cause and the attempts that were made. */
function checkNamed(facts: RunFacts, { id, node, attempt }: TokenFact, error: Failure): void {
  const { code, message, nodeId, attempts } = error;
  if (code === '' || message === '' || nodeId === undefined || !facts.drawing.nodes.has(nodeId))
    facts.broken('I38', `Expected the failure of token ${id} at ${node.id} to name node and cause, but it does not`);
  if (attempts !== attempt)
    facts.broken('I21', `Expected the failure of token ${id} to tell of ${attempt} attempts, but found ${attempts}`);
}

function checkEventTimeout(facts: RunFacts, { id, dueAt }: TokenFact, { code }: Failure): void {
  if (code !== 'EVENT_TIMED_OUT')
    facts.broken('I1', `Expected token ${id} to wait for its event, but it failed: ${code}`);
  facts.reachDue(dueAt, `token ${id} for its event`);
}
