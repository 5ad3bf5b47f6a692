// What must be true of waits, for a time, a sub-run, a person, an event or credits: I8, I26, I27, I29, I35, I41, I43.

import { shortHash } from '../../packages/heddle/src/base/hash.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { EventOf } from '../../packages/heddle/src/core/events.ts';
import { checkInput } from './check-mappings.ts';
import { checkWork } from './check-tokens.ts';
import { keepResult } from './check-values.ts';
import type { PromptFact, TokenFact, TokenState } from './facts.ts';
import type { RunFacts } from './run-facts.ts';

// ------------------------------------------------------------------------------------------------------------- times

/** A simulated engine fails tasks whose action it does not have. */
export function refuseWaitForAction(
  facts: RunFacts,
  { token, action }: Extract<EventOf<'token.waiting'>, { for: 'action' }>,
): void {
  facts.broken('I20', `Expected no task to wait for an action, but token ${token} waits for ${action}`);
}

export function waitForTime(
  facts: RunFacts,
  { token: id, until, result }: Extract<EventOf<'token.waiting'>, { for: 'timer' }>,
): void {
  const token = facts.token(id);
  const isHeld = facts.drawing.policy.controlKeys && token.state === 'over' && result !== undefined;
  if (!isHeld) {
    if (token.node.kind !== 'wait') facts.broken('I1', `Expected token ${id} not to wait for a time, but it does`);
    checkWork(facts, token);
    checkWaitEnd(facts, token, until);
  }
  if (until <= facts.at) facts.broken('I26', `Expected token ${id} to wait for what is to come, but ${until} is past`);
  facts.move(token, 'timer');
  facts.setDue(token, until);
}

/** Where the definition says how long, and no expression does. */
function checkWaitEnd(facts: RunFacts, { id, node }: TokenFact, until: number): void {
  const wait = (node.source.wait ?? {}) as { readonly seconds?: number | string; readonly until?: number | string };
  const end =
    typeof wait.seconds === 'number'
      ? Math.ceil(facts.at + wait.seconds * 1000)
      : typeof wait.until === 'number'
        ? Math.ceil(wait.until)
        : until;
  if (until !== end) facts.broken('I27', `Expected token ${id} to wait until ${end}, but it waits until ${until}`);
}

export function fireTimer(facts: RunFacts, { token: id }: EventOf<'timer.fired'>): void {
  const token = facts.token(id);
  if (token.state !== 'timer' && token.state !== 'retrying')
    facts.broken('I29', `Expected no timer of token ${id}, which is ${token.state}, but one fired`);
  facts.reachDue(token.dueAt, `token ${id}`);
  const isRetry = token.state === 'retrying';
  facts.move(token, isRetry ? 'ready' : 'over');
  if (isRetry) token.attempt++;
}

/** I29: of what is awaited and its deadline exactly one ends the wait. */
function endWait(facts: RunFacts, token: TokenFact, from: TokenState): void {
  if (token.state === 'over')
    facts.broken('I29', `Expected the wait of token ${token.id} to end once, but it ended again`);
  if (token.state !== from)
    facts.broken('I43', `Expected token ${token.id} to wait (${from}), but it is ${token.state}`);
  facts.move(token, 'over');
  token.correlation = null;
}

// ---------------------------------------------------------------------------------------------------------- sub-runs

export function dispatchChild(facts: RunFacts, event: EventOf<'subworkflow.dispatched'>): void {
  const token = facts.token(event.token);
  const { childRunId, attempt } = event;
  if (token.node.kind !== 'workflow') facts.broken('I1', `Expected no sub-run of node ${token.node.id}, but one began`);
  if (attempt !== token.attempt || facts.children.has(childRunId))
    facts.broken('I21', `Expected sub-run ${childRunId} of token ${token.id} to be started once for each attempt`);
  checkChildId(facts, event);
  if (!token.hasInput) checkInput(facts, token, event.input);
  checkWork(facts, token);
  facts.move(token, 'subworkflow');
  token.childRunId = childRunId;
  token.since = facts.at;
  token.hasInput = true;
  facts.setDue(token, event.deadline ?? null);
  facts.descendantsUsed++;
  facts.children.set(childRunId, { ...event, token: token.id, standing: 'awaited', told: null });
  checkNesting(facts);
}

/** I35: the id of a sub-run follows from parent, token and attempt. I27: so does its deadline from its definition. */
function checkChildId(
  facts: RunFacts,
  { childRunId, token: id, attempt, deadline }: EventOf<'subworkflow.dispatched'>,
): void {
  const token = facts.token(id);
  const expected = besides(facts, facts.runId.slice(0, 10) + shortHash(`${facts.runId}/${id}/${attempt}`).slice(0, 16));
  if (childRunId !== expected) facts.broken('I35', `Expected sub-run ${expected}, but found ${childRunId}`);
  const { workflow, timeoutMs: own } = token.node.source;
  const timeoutMs = (typeof workflow === 'object' ? workflow.timeoutMs : undefined) ?? own;
  const due = timeoutMs === undefined ? undefined : facts.at + timeoutMs;
  if (deadline !== due) facts.broken('I27', `Expected the deadline ${due} of ${childRunId}, but found ${deadline}`);
}

/** What is made of a run is in its shard. */
function besides({ runId }: RunFacts, id: string): string {
  const [, shard] = runId.split('~');
  return shard === undefined ? id : `${id}~${shard}`;
}

function checkNesting(facts: RunFacts): void {
  const { depth = 0, descendantBudget = 0 } = facts.start ?? {};
  const { nestingMax } = facts.drawing.limits;
  if (depth + 1 > nestingMax)
    facts.broken('I8', `Expected at most ${nestingMax} levels of sub-runs, but found one more`);
  if (facts.descendantsUsed > descendantBudget)
    facts.broken('I8', `Expected at most ${descendantBudget} sub-runs, but found ${facts.descendantsUsed}`);
}

/** I41: the sub-run that a token waits for ends its wait, and once. */
export function endChild(facts: RunFacts, event: EventOf<'subworkflow.completed'>): void {
  const { childRunId, status, nodesUsed, descendantsUsed } = event;
  const token = facts.token(event.token);
  const child = facts.children.get(childRunId);
  if (child?.standing !== 'awaited' || child.token !== event.token)
    facts.broken('I41', `Expected token ${event.token} not to wait for ${childRunId}, but it was told of its end`);
  child.standing = 'told';
  child.told = event;
  facts.childNodesUsed += nodesUsed;
  facts.descendantsUsed += descendantsUsed;
  endWait(facts, token, 'subworkflow');
  if (status === 'completed') keepResult(token, event.output ?? {});
}

export function endChildLate(facts: RunFacts, event: EventOf<'subworkflow.ended_late'>): void {
  const child = facts.children.get(event.childRunId);
  if (child?.standing !== 'given-up')
    facts.broken('I41', `Expected ${event.childRunId} to have been given up once, but it was ${child?.standing}`);
  child.standing = 'told';
  facts.childNodesUsed += event.nodesUsed;
  facts.descendantsUsed += event.descendantsUsed;
}

export function timeOutChild(facts: RunFacts, event: EventOf<'subworkflow.timed_out'>): void {
  const token = facts.token(event.token);
  const child = facts.children.get(event.childRunId);
  if (token.state === 'over') facts.broken('I29', `Expected ${event.childRunId} to end once, but it was timed out too`);
  facts.reachDue(token.dueAt, `token ${token.id} for its sub-run`);
  if (child?.standing !== 'awaited' || token.childRunId !== event.childRunId)
    facts.broken('I41', `Expected token ${token.id} not to wait for ${event.childRunId}, but that was timed out`);
  if (event.timeoutMs !== (token.dueAt ?? 0) - token.since || event.elapsedMs !== facts.at - token.since)
    facts.broken('I26', `Expected ${event.childRunId} to have had its time, but its times do not add up`);
  child.standing = 'given-up';
  endWait(facts, token, 'subworkflow');
}

export function changeChild(facts: RunFacts, event: EventOf<'subworkflow.suspended' | 'subworkflow.resumed'>): void {
  const token = facts.token(event.token);
  const isSuspended = event.type === 'subworkflow.suspended';
  const isAwaited = token.state === 'subworkflow' && token.childRunId === event.childRunId;
  if (!isAwaited || token.isChildSuspended === isSuspended)
    facts.broken('I41', `Expected token ${token.id} not to hear that from ${event.childRunId}, but it did`);
  facts.setChildSuspended(token, isSuspended);
}

// ------------------------------------------------------------------------------------------------------------ people

export function queuePrompt(facts: RunFacts, { token: id, correlationId }: EventOf<'input.queued'>): void {
  const token = beginPrompt(facts, id, correlationId, 'queued');
  if (facts.drawing.policy.inputPolicy !== 'serial')
    facts.broken('I43', `Expected token ${token.id} to ask at once, but it waits for its turn`);
}

function beginPrompt(facts: RunFacts, id: number, correlationId: string, state: 'queued' | 'asked'): TokenFact {
  const token = facts.token(id);
  if (token.node.kind !== 'input') facts.broken('I1', `Expected node ${token.node.id} to ask nobody, but it does`);
  if (correlationId !== besides(facts, shortHash(`prompt/${facts.runId}/${id}`)))
    facts.broken(
      'I35',
      `Expected the prompt of token ${id} to be known by its run and token, but it is ${correlationId}`,
    );
  if (facts.prompts.has(correlationId)) facts.broken('I43', `Expected token ${id} to ask once, but it asks again`);
  checkWork(facts, token);
  facts.move(token, state);
  token.correlation = correlationId;
  facts.prompts.set(correlationId, { token: id, standing: state === 'asked' ? 'active' : 'queued', answer: undefined });
  return token;
}

/** Where prompts are serial the root keeps a queue, and only its first is asked. */
export function askPrompt(facts: RunFacts, { token: id, correlationId, deadline }: EventOf<'input.requested'>): void {
  const isSerial = facts.drawing.policy.inputPolicy === 'serial';
  if (isSerial) takeTurn(facts, facts.token(id), correlationId);
  else beginPrompt(facts, id, correlationId, 'asked');
  const token = facts.token(id);
  const { input } = token.node.source;
  const deadlineMs = typeof input === 'object' ? input.deadlineMs : undefined;
  const due = deadlineMs === undefined ? undefined : facts.at + deadlineMs;
  if (deadline !== due) facts.broken('I27', `Expected the deadline ${due} of token ${id}, but found ${deadline}`);
  facts.setDue(token, deadline ?? null);
}

function takeTurn(facts: RunFacts, token: TokenFact, correlationId: string): void {
  const prompt = facts.prompts.get(correlationId);
  if (token.state !== 'queued' || prompt?.standing !== 'queued')
    facts.broken('I43', `Expected token ${token.id} to wait for its turn to ask, but it is ${token.state}`);
  const [first] = facts.queue.keys();
  if (facts.start?.parent === null && first !== correlationId)
    facts.broken('I43', `Expected prompt ${first} to be asked, the first in the queue, but ${correlationId} was`);
  prompt.standing = 'active';
  facts.move(token, 'asked');
}

/** I43: a prompt that is asked takes one answer. I25: one that fits its schema. */
export function answerPrompt(facts: RunFacts, { token: id, correlationId, payload }: EventOf<'input.resumed'>): void {
  const token = facts.token(id);
  const prompt = endPrompt(facts, token, correlationId, 'answered');
  prompt.answer = payload;
  const [problem] = facts.drawing.answerSchema(token.node)?.(payload) ?? [];
  if (problem)
    facts.broken('I25', `Expected the answer to ${correlationId} to fit its schema, but: ${problem.message}`);
  keepResult(token, payload);
}

export function expirePrompt(facts: RunFacts, { token: id, correlationId }: EventOf<'input.expired'>): void {
  const token = facts.token(id);
  if (token.state === 'asked') facts.reachDue(token.dueAt, `prompt ${correlationId}`);
  endPrompt(facts, token, correlationId, 'expired');
}

function endPrompt(facts: RunFacts, token: TokenFact, correlationId: string, how: 'answered' | 'expired'): PromptFact {
  const prompt = facts.prompts.get(correlationId);
  if (token.state === 'over') facts.broken('I29', `Expected prompt ${correlationId} to end once, but it ended again`);
  if (prompt?.token !== token.id || prompt.standing !== 'active')
    facts.broken('I43', `Expected prompt ${correlationId} not to be asked, but it was ${how}`);
  prompt.standing = how;
  endWait(facts, token, 'asked');
  return prompt;
}

/** Only a root keeps a queue, in which a prompt stands once. */
export function changeQueue(facts: RunFacts, event: EventOf<'input_queue.joined' | 'input_queue.left'>): void {
  const { askingRunId, token, correlationId } = event;
  const isJoining = event.type === 'input_queue.joined';
  if (facts.start?.parent !== null || facts.queue.has(correlationId) === isJoining)
    facts.broken(
      'I43',
      `Expected prompt ${correlationId} not to have ${isJoining ? 'joined' : 'left'} the queue, but it has`,
    );
  if (isJoining) facts.queue.set(correlationId, { askingRunId, token, correlationId });
  else facts.queue.delete(correlationId);
}

// ------------------------------------------------------------------------------------------------ events and credits

export function awaitEvent(
  facts: RunFacts,
  { token: id, event, correlation, deadline }: EventOf<'event.awaited'>,
): void {
  const token = facts.token(id);
  const { wait } = token.node.source;
  const awaited = wait !== undefined && 'event' in wait ? wait : null;
  if (awaited?.event !== event)
    facts.broken('I6', `Expected node ${token.node.id} not to wait for ${event}, but it does`);
  checkWork(facts, token);
  facts.move(token, 'event');
  token.correlation = correlation;
  const due = awaited.timeoutMs === undefined ? undefined : facts.at + awaited.timeoutMs;
  if (deadline !== due) facts.broken('I27', `Expected the deadline ${due} of token ${id}, but found ${deadline}`);
  facts.setDue(token, deadline ?? null);
}

/** I43: a wait takes one event, and an event only the waits that were there when it first came. */
export function receiveEvent(
  facts: RunFacts,
  { token: id, eventId, payload, expiresAt }: EventOf<'event.received'>,
): void {
  const token = facts.token(id);
  endWait(facts, token, 'event');
  const before = facts.received.get(eventId);
  const isKnown = before !== undefined && before.expiresAt > facts.at;
  if (isKnown && id > before.lastToken)
    facts.broken(
      'I43',
      `Expected event ${eventId} to be taken by those who waited for it, but token ${id} did so later`,
    );
  if (!isKnown) facts.received.set(eventId, { lastToken: facts.lastToken, expiresAt });
  keepResult(token, payload);
}

export function requestCredits(facts: RunFacts, { token: id, amount }: EventOf<'credits.requested'>): void {
  if (facts.start?.organization === undefined)
    facts.broken('I22', 'Expected nobody to pay, but credits were asked for');
  facts.credits.requested += amount;
  if (id === undefined) {
    facts.credits.isAwaited = true;
    return;
  }
  const token = facts.token(id);
  const { cost = amount } = token.node.source;
  if (token.isPaid || token.node.kind !== 'action' || amount !== cost)
    facts.broken('I43', `Expected token ${id} to ask for ${cost} credits once, but it asked for ${amount}`);
  checkWork(facts, token);
  facts.move(token, 'credits');
}

export function grantCredits(facts: RunFacts, { token: id }: EventOf<'credits.granted'>): void {
  if (id !== undefined) {
    const token = facts.token(id);
    if (token.state !== 'credits') facts.broken('I43', `Expected token ${id} not to wait for credits, but it got some`);
    facts.move(token, 'ready');
    token.isPaid = true;
    return;
  }
  if (!facts.credits.isAwaited) facts.broken('I43', 'Expected the run not to wait for credits, but it got some');
  facts.credits.isAwaited = false;
}

/** What a run that has not ended waits for: what each token waits for, in words. */
export function waitsOf(facts: RunFacts): string[] {
  const waits: string[] = [];
  if (facts.isPaused) waits.push('to go on: it is paused');
  if (facts.credits.isAwaited) waits.push('credits');
  for (const { state, node, correlation, childRunId, dueAt } of facts.tokens.values()) {
    if (state === 'asked' || state === 'queued') waits.push(`an answer to prompt ${correlation} of node ${node.id}`);
    if (state === 'event') waits.push(`event ${eventOf(node.source.wait as Json)}/${correlation}`);
    if (state === 'credits') waits.push(`credits for node ${node.id}`);
    if (state === 'subworkflow') waits.push(`run ${childRunId}`);
    if (dueAt !== null) waits.push(`the time ${dueAt}`);
  }
  return waits;
}

const eventOf = (wait: Json): string => (wait as { readonly event: string }).event;
