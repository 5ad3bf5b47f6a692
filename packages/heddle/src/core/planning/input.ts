// Prompts: nodes that ask a person. Rules IN….
//
// Where prompts are serial, the root of a tree of runs keeps one queue for all of them: whoever wants to ask joins it,
// the first may ask, and leaves it when it is answered or called off.

import type { Failure } from '../../base/failure.ts';
import { shortHash } from '../../base/hash.ts';
import { asJson } from '../../base/json.ts';
import { inShard, shardOf } from '../../base/shard.ts';
import type { InputWork } from '../../definition/graph.ts';
import type { InputReply } from '../commands.ts';
import type { PromptTexts, QueuedPrompt } from '../events.ts';
import { answerHash, openPromptKey, type PromptNote } from '../notes.ts';
import type { Token } from '../state.ts';
import { nodeOf, type Planning, record, request, runOf } from './planning.ts';
import { describeSubject, evaluateTexts } from './prompt-subject.ts';

/** IN1: the correlation id follows from run and token, so that asking twice is asking once. */
export function makeCorrelationId(runId: string, token: number): string {
  return inShard(shortHash(`prompt/${runId}/${token}`), shardOf(runId));
}

export function ask(p: Planning, token: Token, fail: (failure: Failure) => void): void {
  const texts = evaluateTexts(p, token);
  if ('failure' in texts) return fail(texts.failure);
  // IN2: open prompts are asked at once, any number of them.
  if (p.graph.policy.inputPolicy === 'open') return activate(p, token, texts);
  // IN3: serial prompts wait in the queue of the root for their turn.
  const prompt = makePrompt(p, token);
  record(p, { type: 'input.queued', token: token.id, correlationId: prompt.correlationId, ...texts });
  notePrompt(p, token, { status: 'queued' });
  const { runId, rootRunId } = runOf(p);
  if (runId === rootRunId) enqueue(p, prompt);
  else request(p, { type: 'send', to: rootRunId, message: { type: 'input.enqueue', ...prompt } });
}

export function makePrompt(p: Planning, { id, correlationId }: Token): QueuedPrompt {
  const { runId } = runOf(p);
  return { askingRunId: runId, token: id, correlationId: correlationId ?? makeCorrelationId(runId, id) };
}

/** At the root: a prompt of any run of the tree. */
export function enqueue(p: Planning, { askingRunId, token, correlationId }: QueuedPrompt): void {
  if (p.state.queue.has(correlationId)) return;
  record(p, { type: 'input_queue.joined', askingRunId, token, correlationId });
  if (p.state.queue.size === 1) grantFirst(p);
}

/** IN4: the first in the queue may ask; when it is answered or called off, the next. */
export function dequeue(p: Planning, { askingRunId, token, correlationId }: QueuedPrompt): void {
  if (!p.state.queue.has(correlationId)) return;
  const isFirst = firstOf(p)?.correlationId === correlationId;
  record(p, { type: 'input_queue.left', askingRunId, token, correlationId });
  if (isFirst) grantFirst(p);
}

const firstOf = (p: Planning): QueuedPrompt | undefined => p.state.queue.values().next().value;

function grantFirst(p: Planning): void {
  const first = firstOf(p);
  if (!first) return;
  if (first.askingRunId !== runOf(p).runId) {
    request(p, { type: 'send', to: first.askingRunId, message: { type: 'input.grant', token: first.token } });
    return;
  }
  const token = p.state.tokens.get(first.token);
  if (token) activate(p, token);
}

/** It asks: from now on it can be answered, and its deadline counts. */
export function activate(p: Planning, token: Token, texts: PromptTexts = token.texts ?? {}): void {
  const work = inputWorkOf(p, token);
  const { correlationId } = makePrompt(p, token);
  record(p, {
    type: 'input.requested',
    token: token.id,
    correlationId,
    at: p.at,
    ...texts,
    ...(work.deadlineMs === null ? {} : { deadline: p.at + work.deadlineMs }),
  });
  notePrompt(p, token, { status: 'active' });
}

export function inputWorkOf(p: Planning, token: Token): InputWork {
  return nodeOf(p, token.node).work as InputWork; // only tokens at input nodes have prompts
}

/**
 * IN5: every prompt is noted beside the run in the commit that changes it, also after it was answered; those that can
 * be answered stand together.
 */
export function notePrompt(p: Planning, token: Token, change: Standing): void {
  const { runId, rootRunId, workflow } = runOf(p);
  const { schema } = inputWorkOf(p, token);
  const { title = null, description } = token.texts ?? {};
  const note: PromptNote = {
    correlationId: makePrompt(p, token).correlationId,
    runId,
    rootRunId,
    workflow,
    token: token.id,
    node: token.node,
    title,
    ...(description === undefined ? {} : { description }),
    subject: describeSubject(token.branch),
    ...(token.asked && token.since > 0 ? { askedAt: token.since } : {}),
    schema,
    at: p.at,
    deadline: token.dueAt,
    answer: null,
    answerKey: null,
    ...change,
  };
  const value = asJson(note);
  request(p, { type: 'note', kind: 'prompt', key: note.correlationId, value });
  const key = openPromptKey(note);
  if (change.status === 'active') request(p, { type: 'note', kind: 'open-prompt', key, value });
  else if (change.status !== 'queued') request(p, { type: 'note', kind: 'open-prompt', key, value: null });
}

type Standing = Pick<PromptNote, 'status'> & Partial<Pick<PromptNote, 'answer' | 'answerKey'>>;

export const answered = ({ payload, key }: InputReply): Standing => ({
  status: 'answered',
  answer: answerHash(payload),
  answerKey: key ?? null,
});

/** An answer that came while the run is paused counts, though it is only kept. */
export function heldReply(p: Planning, token: Token): InputReply | undefined {
  return p.state.heldAnswers.get(token.id) as unknown as InputReply | undefined; // made by `holdCommand`
}

/** How the prompt of a token stands. */
export function readStanding(p: Planning, token: Token): Standing {
  const reply = heldReply(p, token);
  return reply ? answered(reply) : { status: token.asked ? 'active' : 'queued' };
}

/** The prompt is over: it leaves the queue, unless that ends with its run. */
export function release(p: Planning, prompt: QueuedPrompt, isEnd = false): void {
  if (p.graph.policy.inputPolicy === 'open') return;
  const { runId, rootRunId } = runOf(p);
  if (runId !== rootRunId) request(p, { type: 'send', to: rootRunId, message: { type: 'input.release', ...prompt } });
  else if (!isEnd) dequeue(p, prompt);
}

/** The token that asks, or waits to, is called off; its prompt is still to be released. */
export function dropPrompt(p: Planning, token: Token): QueuedPrompt {
  notePrompt(p, token, { status: 'cancelled' });
  return makePrompt(p, token);
}
