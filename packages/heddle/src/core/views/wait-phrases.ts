// Wait phrases: what a token does or waits for, as people say it. Each phrase continues a sentence about the run or a
// branch: `runs "score"`, `waits for the event "paid"`.
//
// Always true: ids and titles are quoted and shortened; times are in UTC, to the second.

import type { Token } from '../state.ts';
import { actionAt, type WaitingRun, type WaitKind } from './wait.ts';

export function describeToken(token: Token, kind: WaitKind, run: WaitingRun): string {
  const { node, dueAt, attempt } = token;
  const at = quoted(node);
  switch (kind) {
    case 'task':
      return attempt > 1 ? `runs ${at}, attempt ${attempt}` : `runs ${at}`;
    case 'worker':
      return describeLack(token, run);
    case 'turn':
      return describeTurn(token, run);
    case 'retry':
      return `tries ${at} again${describeUntil(dueAt, 'at')}, after attempt ${attempt} failed`;
    case 'timer':
      return `waits at ${at}${describeUntil(dueAt, 'until')}${token.waitLabel === null ? '' : `: ${shorten(token.waitLabel)}`}`;
    case 'prompt':
      return `waits for a reply at ${at}${titleOf(token)}${describeUntil(dueAt, 'until')}`;
    case 'event':
      return `waits for the event ${eventOf(token, run)}${describeUntil(dueAt, 'until')}`;
    case 'credits':
      return `waits for credits for ${at}`;
    case 'subrun':
      return `waits for the run ${token.childRunId ?? ''} of ${at}${token.childSuspended ? ', which only people or events can wake' : ''}`;
    case 'join':
      return token.status === 'waiting_for_batch' ? `waits for the slices of ${at}` : `waits at the join ${at}`;
    case 'paused':
      return 'is paused';
  }
}

/** Nobody has the action, or no worker has taken its task. */
function describeLack({ node, status }: Token, { graph, tasks }: WaitingRun): string {
  const action = actionAt(graph, node) ?? node;
  if (status === 'waiting_for_action')
    return `waits for the action ${quoted(action)} of ${quoted(node)}, which nobody has`;
  const { lastAskedAt } = tasks.standingOf(action);
  const asked =
    lastAskedAt === null ? 'none has asked for it yet' : `the last one asked${describeUntil(lastAskedAt, 'at')}`;
  return `waits at ${quoted(node)} for a worker that does ${quoted(action)}; ${asked}`;
}

function describeTurn({ node, status }: Token, { state }: WaitingRun): string {
  if (status === 'waiting_for_input') return `waits for its turn to ask at ${quoted(node)}`;
  if (state.paused) return `runs ${quoted(node)} when it is resumed`;
  return `has ${quoted(node)} next`;
}

const titleOf = ({ texts }: Token): string => (texts?.title === undefined ? '' : ` (${quoted(texts.title)})`);

function eventOf({ node, correlationId }: Token, { graph }: WaitingRun): string {
  const work = graph.nodes.get(node)?.work;
  const name = quoted(work?.type === 'event' ? work.event : node);
  return correlationId === null || correlationId === '' ? name : `${name} (${shorten(correlationId)})`;
}

export const quoted = (text: string): string => `"${shorten(text)}"`;

const lengthMax = 80;

const shorten = (text: string): string => (text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`);

/** ` until 2026-11-18 10:02:05 UTC`; nothing if there is no time. */
export function describeUntil(at: number | null, word: 'at' | 'until' | 'since'): string {
  return at === null ? '' : ` ${word} ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
