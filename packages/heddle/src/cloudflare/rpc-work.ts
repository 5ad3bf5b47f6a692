// RPC work: actions that another Worker does, asked over a service binding.
//
// Always true: what was thrown there fails the task here as if it had been thrown here; whoever works is told when nobody wants the
// result any more.

import { WorkerEntrypoint } from 'cloudflare:workers';
import type { Action, ActionContext } from '../executor/action.ts';
import { packThrown, type ThrownThere, unpackThrown } from './thrown-there.ts';

/** What the other Worker is told of a task. */
export type RpcTask = Pick<
  ActionContext,
  'input' | 'attempt' | 'idempotencyKey' | 'runId' | 'nodeId' | 'tokenId' | 'workflow'
>;

/** What work is given there. */
export interface RpcWork extends RpcTask {
  /** Aborted when the result is no longer wanted: timeout, cancel, shutdown. */
  readonly signal: AbortSignal;
}

type Done = { readonly result: unknown } | ThrownThere;

interface WorkBinding {
  work(name: string, task: RpcTask, untilAborted: () => Promise<void>): Promise<Done>;
}

/** DO9: an action of the engine that the Worker behind a service binding does, by its name there. */
export function rpcAction(binding: object, name: string): Action {
  return async ({ input, attempt, idempotencyKey, runId, nodeId, tokenId, workflow, signal }: ActionContext) => {
    const task: RpcTask = { input, attempt, idempotencyKey, runId, nodeId, tokenId, workflow };
    // The platform carries functions: the other side calls it, and hears of it when it answers.
    const untilAborted = (): Promise<void> =>
      new Promise((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    const done = await (binding as WorkBinding).work(name, task, untilAborted); // one of `rpcWorker`
    if ('error' in done) throw unpackThrown(done);
    return done.result;
  };
}

type Works = Readonly<Record<string, (task: RpcWork) => unknown>>;

/** The entry point of a Worker that does actions for engines: `export const Work = rpcWorker({ resize })`. */
export function rpcWorker(works: Works): new (...given: never) => WorkBinding {
  return class extends WorkerEntrypoint<unknown> implements WorkBinding {
    async work(name: string, task: RpcTask, untilAborted: () => Promise<void>): Promise<Done> {
      const aborting = new AbortController();
      // Whoever asked may be gone: then nobody can say so.
      untilAborted().then(
        () => aborting.abort(),
        () => aborting.abort(),
      );
      try {
        const work = Object.hasOwn(works, name) ? works[name] : undefined;
        if (work === undefined) throw new Error(`Expected one of ${Object.keys(works).join(', ')}, but found ${name}`);
        return { result: await work({ ...task, signal: aborting.signal }) };
      } catch (error) {
        return packThrown(error);
      }
    }
  };
}
