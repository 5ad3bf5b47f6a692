// Handlers: what the server does itself, beside the engine: its own health, backups, and calls as they came.

import { untilFirst } from '../../actor/first-signal.ts';
import { hasAccess, lostAccess, whileWanted } from '../access.ts';
import { RequestError } from '../problem-document.ts';
import type { Handler, HandlersOf } from './handler.ts';

export const serverHandlers: HandlersOf<
  'health' | 'ready' | 'metrics' | 'backUp' | 'receiveWebhook' | 'receiveWebhookByPut' | 'leaseTasks'
> = {
  health() {
    return { status: 'ok' };
  },
  async ready(_, { engine }) {
    // What the store of the engine answers, or the first of a fleet: one that lacks another shard takes work (SH14).
    await engine.definitions({ limit: 1 });
    return { status: 'ready' };
  },
  metrics(_, { metrics }) {
    return metrics();
  },
  backUp(_, { access, backup }) {
    if (backup !== null) return backup(access.tenant);
    throw new RequestError(
      501,
      'NOT_AVAILABLE',
      'Expected a server that keeps backups, but this one has no place for them',
    );
  },
  receiveWebhook: receive('POST'),
  receiveWebhookByPut: receive('PUT'),
  async leaseTasks({ waitMs = 0, ...request }, context) {
    const { engine, access } = context;
    const lease = async (options: { readonly waitMs?: number }, signal?: AbortSignal) => {
      const answer = await engine.perform('leaseTasks', { ...request, ...options }, { signal });
      if (hasAccess(access)) return answer;
      // AC14: whoever has lost access while a task was leased to them hears nothing of it: others may have it at once.
      if (answer.tasks.length > 0) await engine.tasks.release(answer.tasks.map(({ lease: text }) => ({ lease: text })));
      throw lostAccess();
    };
    if (waitMs === 0) return lease({});
    const found = await lease({}, context.signal);
    // Only whoever must wait is watched meanwhile.
    if (found.tasks.length > 0) return found;
    // The time that a worker waits is real time, whatever clock the engine has.
    const longest = { waitMs: engine.limits.leaseWaitMsMax };
    return whileWanted(context, (wanted) => untilFirst([wanted], (signal) => lease(longest, signal), waitMs));
  },
};

function receive(method: string): Handler<'receiveWebhook' | 'receiveWebhookByPut'> {
  return ({ id }, { engine, headers, parameters }, rawBody) =>
    engine.webhooks.receive(id, { method, headers: headers(), rawBody, query: Object.fromEntries(parameters) });
}
