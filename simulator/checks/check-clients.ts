// What must be true of what clients sent and heard, and workers were given: I20, I22, I24, I33, I34, I36, I43.

import type { ClientOperation, ClientRequest, TaskCall } from '../../packages/heddle/src/simulation/client.ts';
import { CallCount } from './call-count.ts';
import type { DrawnNode } from './drawing.ts';
import { breaks, type Look } from './look.ts';
import type { RunFacts } from './run-facts.ts';
import { isEqual } from './values.ts';

type Request<T extends ClientRequest['type']> = Extract<ClientRequest, { type: T }>;
type Sent<T extends ClientRequest['type']> = ClientOperation & { readonly request: Request<T> };

export function checkClients(look: Look): void {
  const { operations, calls } = look.view;
  checkStarts(look, sentOf(operations, 'start'));
  checkRetries(look, sentOf(operations, 'retry'));
  checkReplies(look, sentOf(operations, 'reply'));
  for (const type of ['cancel', 'pause', 'resume'] as const) checkOrders(look, sentOf(operations, type), type);
  checkEvents(look, sentOf(operations, 'publish'));
  checkCalls(look, calls);
}

const sentOf = <T extends ClientRequest['type']>(operations: readonly ClientOperation[], type: T): Sent<T>[] =>
  operations.filter((operation): operation is Sent<T> => operation.request.type === type);

const isApplied = ({ answer }: ClientOperation): boolean =>
  typeof answer === 'object' && answer !== null && 'applied' in answer && answer.applied === true;

// ------------------------------------------------------------------------------------------------------------- starts

/** I36: one key, one run, one body. I33: a run that was answered is there. I34: and no run that nobody asked for. */
function checkStarts(look: Look, starts: readonly Sent<'start'>[]): void {
  const runOfKey = new Map<string, Sent<'start'>>();
  const keyOfRun = new Map<string, string>();
  for (const start of starts) {
    if (typeof start.answer !== 'string') continue;
    const { key } = start.request;
    const first = runOfKey.get(key) ?? start;
    runOfKey.set(key, first);
    const isSame = first.answer === start.answer && isSameStart(first.request, start.request);
    if (!isSame || (keyOfRun.get(start.answer) ?? key) !== key)
      breaks('I36', start.answer, `Expected key ${key} to stand for one start and one run, but it does not`);
    keyOfRun.set(start.answer, key);
    checkStarted(look, start.answer, start.request);
  }
  for (const { request, refusal } of starts)
    if (refusal === 'IDEMPOTENCY_KEY_REUSED' && !starts.some((other) => isOther(other.request, request)))
      breaks('I36', '', `Expected key ${request.key} to be refused for another start only, but there was none`);
  checkUnasked(look, starts);
}

const isSameStart = (one: Request<'start'>, other: Request<'start'>): boolean =>
  one.workflow === other.workflow && isEqual(one.input, other.input);

const isOther = (one: Request<'start'>, other: Request<'start'>): boolean =>
  one.key === other.key && !isSameStart(one, other);

function checkStarted({ factsOf }: Look, runId: string, { workflow, input }: Request<'start'>): void {
  const { start } =
    factsOf(runId) ?? breaks('I33', runId, 'Expected a run that was answered to be there, but it is not');
  // A trigger in the input of a handle graph is told apart from it.
  if (start?.workflow !== workflow || (!isEqual(start.input, input) && !('_trigger' in input)))
    breaks('I33', runId, `Expected a run of ${workflow} with the input that was sent, but it is another`);
}

/** Roots that nothing but a client can have started: no more than keys, and each with what was sent under one. */
function checkUnasked({ runs }: Look, starts: readonly Sent<'start'>[]): void {
  const roots = [...runs].filter(([, { start }]) => start?.parent === null && start.retryOf === null && !start.trigger);
  const isAsked = (facts: RunFacts, { request }: Sent<'start'>): boolean =>
    request.workflow === facts.start?.workflow &&
    ('_trigger' in request.input || isEqual(request.input, facts.start.input));
  for (const [runId, facts] of roots)
    if (!starts.some((start) => isAsked(facts, start)))
      breaks('I34', runId, 'Expected a run that somebody started, but nobody did');
  const keys = new Set(starts.map(({ request }) => request.key));
  if (roots.length > keys.size)
    breaks('I36', '', `Expected at most one run for each of ${keys.size} keys, but found ${roots.length}`);
}

/** I36: one key, one retry of one run. I33: a retry that was answered is there. I34: and none that nobody asked for. */
function checkRetries({ runs, factsOf }: Look, retries: readonly Sent<'retry'>[]): void {
  const runOfKey = new Map<string, string>();
  for (const { request, answer } of retries) {
    if (typeof answer !== 'string') continue;
    if ((runOfKey.get(request.key) ?? answer) !== answer)
      breaks('I36', answer, `Expected key ${request.key} to stand for one retry, but it stands for another too`);
    runOfKey.set(request.key, answer);
    if (factsOf(answer)?.start?.retryOf !== request.runId)
      breaks('I33', answer, `Expected a retry of ${request.runId} that was answered to be there, but it is not`);
  }
  const retried = [...runs].filter(([, { start }]) => typeof start?.retryOf === 'string');
  for (const [runId, { start }] of retried)
    if (!retries.some(({ request }) => request.runId === start?.retryOf))
      breaks('I34', runId, 'Expected a retry that somebody asked for, but nobody did');
  const keys = new Set(retries.map(({ request }) => request.key));
  if (retried.length > keys.size)
    breaks('I36', '', `Expected at most one retry for each of ${keys.size} keys, but found ${retried.length}`);
}

// -------------------------------------------------------------------------------------------------- people and events

/** I43: one answer is taken. I33: the one that was told so. I34: and only one that was sent. */
function checkReplies({ runs }: Look, replies: readonly Sent<'reply'>[]): void {
  const byPrompt = new Map<string, Sent<'reply'>[]>();
  for (const reply of replies) {
    const { correlationId } = reply.request;
    byPrompt.set(correlationId, [...(byPrompt.get(correlationId) ?? []), reply]);
  }
  for (const [runId, { prompts }] of runs) {
    for (const [correlationId, { answer }] of prompts) {
      const sent = byPrompt.get(correlationId) ?? [];
      const taken = sent.filter(isApplied);
      if (taken.length > 1)
        breaks('I43', runId, `Expected prompt ${correlationId} to take one answer, but ${taken.length} were taken`);
      if (taken.some(({ request }) => !isEqual(request.payload, answer)))
        breaks(
          'I33',
          runId,
          `Expected the answer to ${correlationId} that was taken in the journal, but it is not there`,
        );
      if (answer !== undefined && !sent.some(({ request }) => isEqual(request.payload, answer)))
        breaks('I34', runId, `Expected the answer to ${correlationId} to be one that was sent, but it is none`);
    }
  }
}

/** I33: an order that was followed is in the journal. I34: a root follows no other. */
function checkOrders(
  { runs, factsOf }: Look,
  orders: readonly Sent<'cancel' | 'pause' | 'resume'>[],
  type: 'cancel' | 'pause' | 'resume',
): void {
  const followed = new Map<string, number>();
  const asked = new Set(orders.map(({ request }) => request.runId));
  for (const order of orders)
    if (isApplied(order)) followed.set(order.request.runId, (followed.get(order.request.runId) ?? 0) + 1);
  for (const [runId, times] of followed) {
    const facts = factsOf(runId) ?? breaks('I33', runId, `Expected the run to be there to ${type}, but it is not`);
    if (countOf(facts, type) < times)
      breaks('I33', runId, `Expected ${type} to be ${times} times in the journal, but found ${countOf(facts, type)}`);
  }
  for (const [runId, facts] of runs)
    if (facts.start?.parent === null && countOf(facts, type) > 0 && !asked.has(runId))
      breaks('I34', runId, `Expected somebody to have asked for ${type}, but nobody did`);
}

function countOf({ end, pauses, resumes }: RunFacts, type: 'cancel' | 'pause' | 'resume'): number {
  if (type === 'cancel') return end?.type === 'workflow.cancelled' ? 1 : 0;
  return type === 'pause' ? pauses : resumes;
}

/** I34: a run receives what was published, by a client or by a task under its key. I36: one id, one event. */
function checkEvents({ runs, view }: Look, published: readonly Sent<'publish'>[]): void {
  const byId = new Map<string, Sent<'publish'>>();
  for (const publication of published) {
    const { id, name, payload } = publication.request;
    const first = byId.get(id) ?? publication;
    byId.set(id, first);
    const isOtherEvent = first.request.name !== name || !isEqual(first.request.payload, payload);
    if (isOtherEvent && isApplied(publication) && isApplied(first))
      breaks('I36', '', `Expected event ${id} to be published once, but another was published under its id`);
  }
  const keys = new Set(view.calls.map(({ idempotencyKey }) => idempotencyKey));
  for (const [runId, { received }] of runs)
    for (const id of received.keys())
      if (!byId.has(id) && !keys.has(id.slice(id.lastIndexOf(' ') + 1)))
        breaks('I34', runId, `Expected event ${id} to have been published, but it was not`);
}

// ------------------------------------------------------------------------------------------------------------ workers

/** I24: one key for each task. I22, I34: a worker is given what was handed out, and no result is of work never given. */
function checkCalls({ factsOf, runs }: Look, calls: readonly TaskCall[]): void {
  const counts = new CallCount();
  for (const call of calls) {
    const { runId, tokenId, idempotencyKey } = call;
    const facts = factsOf(runId) ?? breaks('I22', runId, 'Expected a task of a run that is there, but it is not');
    const wrong = counts.add(facts, call);
    if (wrong !== null) breaks('I22', runId, wrong);
    const key = `${facts.start?.keyRunId}/${tokenId}`;
    if (idempotencyKey !== key) breaks('I24', runId, `Expected the key ${key} for a task, but found ${idempotencyKey}`);
  }
  for (const [runId, facts] of runs)
    for (const { id, hasResult, node, dispatches } of facts.tokens.values())
      if (hasResult && dispatches > 0 && isSeen(node) && !counts.has(runId, id))
        breaks('I34', runId, `Expected the result of token ${id} to be of work that was given, but it was not`);
}

/** Workers see nothing of actions that are built in. */
const isSeen = ({ source: { action } }: DrawnNode): boolean =>
  action !== undefined && !(typeof action === 'string' ? action : action.name).startsWith('core.');
