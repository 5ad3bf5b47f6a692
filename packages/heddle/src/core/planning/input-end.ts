// The end of a prompt: its answer comes, or its deadline. Rules IN6 to IN9.

import type { Failure } from '../../base/failure.ts';
import type { InputReply, PromptMessage, Reply } from '../commands.ts';
import type { Token } from '../state.ts';
import {
  activate,
  answered,
  dequeue,
  enqueue,
  heldReply,
  inputWorkOf,
  makePrompt,
  notePrompt,
  release,
} from './input.ts';
import { holdCommand } from './lifecycle.ts';
import { failNode, finishNode } from './nodes.ts';
import { isHolding, type Planning, record } from './planning.ts';

export function acceptReply(p: Planning, reply: InputReply & { readonly at: number }): Reply {
  const token = p.state.tokens.get(reply.token);
  // IN6: only a prompt that asks can be answered, and once.
  if (token?.status !== 'waiting_for_input' || token.correlationId !== reply.correlationId)
    return { applied: false, reason: 'prompt does not wait' };
  if (!token.asked)
    return refuse('PROMPT_NOT_ACTIVE', `Expected prompt ${reply.correlationId} to be asked, but it waits for its turn`);
  const mismatch = refusePayload(p, token, reply);
  if (mismatch) return mismatch;
  if (isHolding(p)) {
    if (heldReply(p, token)) return { applied: false, reason: 'prompt was answered' };
    notePrompt(p, token, answered(reply));
    return holdCommand(p, reply);
  }
  notePrompt(p, token, answered(reply));
  const prompt = makePrompt(p, token);
  record(p, {
    type: 'input.resumed',
    token: token.id,
    correlationId: reply.correlationId,
    payload: reply.payload,
  });
  release(p, prompt);
  finishNode(p, token, reply.payload, []);
  return { applied: true };
}

// IN7: an answer must fit the schema of its prompt; one that does not changes nothing.
function refusePayload(p: Planning, token: Token, { correlationId, payload }: InputReply): Reply | null {
  const problems = inputWorkOf(p, token).check?.(payload) ?? [];
  const [first] = problems;
  if (!first) return null;
  const message = `Expected the answer to prompt ${correlationId} to fit its schema, but it does not: ${first.message}`;
  return refuse(
    'PAYLOAD_INVALID',
    message,
    problems.map(({ pointer, message: text }) => ({ pointer, message: text })),
  );
}

function refuse(code: string, message: string, details?: Failure['details']): Reply {
  return { applied: false, reason: message, refusal: { code, message, ...(details === undefined ? {} : { details }) } };
}

// IN8: a prompt that is not answered in time fails its node.
export function expirePrompt(p: Planning, token: Token): void {
  const prompt = makePrompt(p, token);
  const { deadlineMs } = inputWorkOf(p, token);
  notePrompt(p, token, { status: 'expired' });
  record(p, { type: 'input.expired', token: token.id, correlationId: prompt.correlationId });
  release(p, prompt);
  failNode(p, token, {
    code: 'INPUT_EXPIRED',
    message: `Expected an answer to the prompt of node ${token.node} within ${deadlineMs} ms, but none came`,
  });
}

/** What runs of one tree tell each other about the queue that their root keeps. */
export function acceptPromptMessage(p: Planning, message: PromptMessage): Reply {
  if (message.type === 'input.enqueue') enqueue(p, message);
  else if (message.type === 'input.release') dequeue(p, message);
  else {
    const token = p.state.tokens.get(message.token);
    // IN9: a turn that comes for a prompt that is over is not taken.
    if (token?.status !== 'waiting_for_input' || token.asked) return { applied: false, reason: 'prompt does not wait' };
    activate(p, token);
  }
  return { applied: true };
}
