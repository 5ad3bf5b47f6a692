// The program of the host's tests: a Worker as users write it, whose objects can also be killed, and asked what they know.

import { env as environment } from 'cloudflare:workers';
import { engineBehind, heddle, rpcAction, rpcWorker } from '../../packages/heddle/src/cloudflare.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly SHARDS?: string;
  readonly WORK: object;
  readonly SERVICE: { fetch(request: Request): Promise<Response> };
  readonly OUTSIDE: { fetch(url: string, init?: RequestInit): Promise<Response> };
}

const nap = { id: 'nap', wait: { seconds: 1 } };
const double = {
  id: 'double',
  action: 'double',
  timeoutMs: 500,
  inputMapping: { n: 'input.n' },
  outputMapping: { 'output.n': 'result.n', 'output.attempt': 'result.attempt' },
  retry: { maxAttempts: 2, backoff: 'none', initialDelayMs: 1 },
};
const secret = { id: 'secret', action: 'secret', outputMapping: { 'output.length': 'result.length' } };
const tell = { id: 'tell', action: 'tell' };

/** Read once, when the program is loaded: it differs by test. */
const { SHARDS } = (globalThis as { process?: { env: Partial<Env> } }).process?.env ?? {};

const {
  HeddleObject: Base,
  HeddleService,
  worker,
} = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: SHARDS === undefined ? 'tenant' : SHARDS === 'run' ? 'run' : { shards: Number(SHARDS) },
  definitions: [
    { id: 'tell', initialNode: 'tell', nodes: [tell], transitions: [] },
    {
      id: 'other',
      initialNode: 'other',
      nodes: [{ id: 'other', action: 'other', outputMapping: { 'output.runId': 'result.runId' } }],
      transitions: [],
    },
    { id: 'secret', initialNode: 'secret', nodes: [secret], transitions: [] },
    { id: 'double', initialNode: 'double', nodes: [double], transitions: [] },
    { id: 'nap', initialNode: 'nap', nodes: [nap, tell], transitions: [{ from: 'nap', to: 'tell' }] },
  ],
  engine: (env) => ({
    actions: {
      double: rpcAction(env.WORK, 'double'),
      async other() {
        const run = await engineBehind(env.SERVICE).start('tell', {});
        return { runId: run.id };
      },
      async secret({ secrets }) {
        return { length: (await secrets.get('token', { host: 'example.com' })).length };
      },
      async tell({ input, runId, workflow }) {
        await env.OUTSIDE.fetch('http://outside/', {
          method: 'POST',
          body: JSON.stringify({ runId, workflow, input }),
        });
        return { told: true };
      },
    },
  }),
});

/** What another Worker does, over a service binding. */
export const Work = rpcWorker({
  async double({ input, attempt, idempotencyKey, runId, signal }) {
    const n = Number(input['n']);
    if (n === 0) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await (environment as Env).OUTSIDE.fetch('http://outside/', {
        method: 'POST',
        body: JSON.stringify({ runId: `aborted ${runId} ${attempt}` }),
      });
    }
    if (n < 0 && attempt === 1) throw Object.assign(new Error('once more'), { code: 'n.negative', retryable: true });
    if (n > 100) throw Object.assign(new Error('too many'), { code: 'n.many', retryable: false, details: { n } });
    return { n: 2 * n, attempt, key: idempotencyKey };
  },
});

/** With what only tests do to an object. */
export class HeddleObject extends Base {
  die(): void {
    (this as unknown as { ctx: { abort(reason: string): void } }).ctx.abort('killed by a test'); // every object has it
  }
}

export { HeddleService, worker as default };
