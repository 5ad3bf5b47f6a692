// Object answers: what an object does for the other objects of its tenant, and for the Worker.
//
// Always true: what is asked of the store needs no engine: the first object makes a fleet of stores whose engines wait for it.

import type { Store } from '../actor/ports.ts';
import { assert } from '../base/assert.ts';
import { answerShard, type ShardQuestion } from '../fleet/asked-shard.ts';
import { type CrossingAnswer, packAnswer } from '../fleet/crossing-answer.ts';
import { packError } from '../fleet/crossing-error.ts';
import { readShared } from '../fleet/open-run-shard.ts';
import type { Access } from '../http/access.ts';
import type { ApiKeys } from '../http/api-keys.ts';
import type { ReadOptions, StreamName } from '../operations/carrier.ts';
import type { RequestOf } from '../operations/operations.ts';
import { type Coordinator, coordinatorOver } from './coordinator.ts';
import type { SentItem } from './far-object.ts';
import type { Awake } from './object-life.ts';
import type { Question } from './object-stub.ts';
import type { Projector } from './projection/projector.ts';
import type { CalledFor } from './task-queue.ts';
import { isTenant, noteTenant, pageTenants } from './tenants.ts';

/** What questions are answered with. */
export interface Answering {
  readonly store: Store;
  readonly keys: () => ApiKeys;
  readonly projector?: Projector;
  /** For other objects. */
  readonly wake: () => Promise<Awake>;
  /** For what comes from outside. */
  readonly ready: () => Promise<Awake>;
}

export interface ShownCredentials {
  readonly key: string | null;
  readonly session: string | null;
}

type Handler = (answering: Answering, args: never, signal: AbortSignal) => unknown;

const handlers: Readonly<Record<string, Handler>> = {
  perform: async ({ ready }, args, signal) => answerShard((await ready()).shard, 'perform', args, signal),
  peer: ofShard('peer'),
  waitForEnd: ofShard('waitForEnd'),
  newestEvent: ofShard('newestEvent'),
  pendingDeliveries: ofShard('pendingDeliveries'),
  store({ store }, [method, args]: readonly [keyof Store, readonly unknown[]]) {
    const asked = store[method] as unknown;
    assert(typeof asked === 'function' && method !== 'close', `Expected a method of a store, but found ${method}`);
    return asked.apply(store, args) as unknown;
  },
  shared: ({ store }) => readShared(store),
  wake: async ({ wake }) => void (await wake()),
  ready: async ({ ready }) => void (await ready()),
  receiveWebhook: ofShard('receiveWebhook'),

  async rebuildProjection({ wake, projector }) {
    await wake();
    await projector?.rebuild();
  },

  async coordinate({ ready }, [method, args]: readonly [keyof Coordinator, readonly unknown[]]) {
    const asked = coordinatorOver(await ready())[method] as (...args: readonly unknown[]) => unknown; // as `coordinatorOf` sends them
    return asked(...args);
  },
  /** Leases whose asker hears nothing of them end, and their tasks are called for again. */
  async takeCalled({ ready }, [{ action, calls, leaseMs }]: readonly [CalledFor]) {
    const awake = await ready();
    const request = { actions: [action], max: calls, leaseMs, worker: 'queue' };
    const answer = await awake.shard.engine.call('leaseTasks', request);
    awake.calls?.answered(action, calls);
    return answer;
  },

  // Of the operator's first object, which has the keys of all.
  async tenantOf({ store, keys }, [shown]: readonly [ShownCredentials]) {
    const access = await accessOf(keys(), shown);
    if (access !== null) await noteTenant(store, access.tenant);
    return access?.tenant ?? null;
  },
  isTenant: ({ store }, [tenant]: readonly [string]) => isTenant(store, tenant),
  pageTenants: ({ store }, [after]: readonly [string | null]) => pageTenants(store, after),
};

function ofShard(name: ShardQuestion): Handler {
  return async ({ wake }, args, signal) => answerShard((await wake()).shard, name, args, signal);
}

async function accessOf(keys: ApiKeys, { key, session }: ShownCredentials): Promise<Access | null> {
  if (key !== null) return keys.authenticate(key);
  return session === null ? null : keys.sessions.authenticate(session);
}

export class ObjectAnswers {
  /** What is being done for others who may give up waiting, by the id of the question. */
  readonly #doing = new Map<string, AbortController>();

  async answer(answering: Answering, { name, args, id = crypto.randomUUID() }: Question): Promise<CrossingAnswer> {
    const controller = new AbortController();
    this.#doing.set(id, controller);
    const answer = await packAnswer(() => {
      const handler = handlers[name];
      assert(handler, `Expected a question of this program, but found ${name}`);
      return handler(answering, args as never, controller.signal); // of this program, which sent them
    }, controller.signal);
    this.#doing.delete(id);
    return answer;
  }

  stop(id: string): void {
    this.#doing.get(id)?.abort();
  }
}

const encoder = new TextEncoder();

/** What an object reads for another, a line for each item. */
export async function sendItems(answering: Answering, { name, args }: Question): Promise<ReadableStream<Uint8Array>> {
  const [request, options] = args as readonly [RequestOf<StreamName>, ReadOptions]; // as `readFar` sends them
  const { shard } = await answering.wake();
  const stopping = new AbortController();
  const items = shard.read(name as StreamName, request, { ...options, signal: stopping.signal }); // as above
  const write = (sent: SentItem): Uint8Array<ArrayBuffer> => encoder.encode(`${JSON.stringify(sent)}\n`);
  // The platform carries streams of bytes alone from one object to another.
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const line = await nextLine(items);
      if (line === null) controller.close();
      else controller.enqueue(write(line));
    },
    cancel: () => stopping.abort(),
  });
}

/** Null: there are no more. */
async function nextLine(items: AsyncIterableIterator<unknown>): Promise<SentItem | null> {
  try {
    const { done, value } = await items.next();
    return done === true ? null : { item: value };
  } catch (error) {
    return { error: packError(error) }; // after which there are none
  }
}
