// The remote engine: one in another program, asked over real sockets; its actions are done in this process, by a worker that
// leases tasks over HTTP. To a test it looks like any engine on virtual time.
//
// Always true: time moves in both processes together; after `settle` nothing is on its way between them.

import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { Client } from '../../packages/heddle/src/client/client.ts';
import { Transport } from '../../packages/heddle/src/client/transport.ts';
import { Worker } from '../../packages/heddle/src/client/worker.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import { ScriptedActions } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing/test-engine.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import {
  type Elsewhere,
  type EngineEvent,
  type EngineLink,
  linkTo,
  type Place,
  type Standing,
} from './engine-link.testsuite.ts';

let lastName = 0;

/** Leases and polls last longer than any test: nothing but what a test is about comes due. */
const ageMs = 50 * 365 * 86_400_000;
const turns = 4;

/** Time in both processes. What the other one waits for is known as of the last time it came to rest. */
class SharedClock extends VirtualClock {
  elsewhere: number | null = null;
  #isMoving = false;
  move: (to: number) => Promise<void> = () => Promise.resolve();

  override get nextAt(): number | null {
    const next = super.nextAt;
    // What is due elsewhere has happened there.
    if (this.#isMoving) return next;
    const here = next !== null && next < this.now() + ageMs / 4 ? next : null;
    if (here === null || this.elsewhere === null) return here ?? this.elsewhere;
    return Math.min(here, this.elsewhere);
  }

  override async advanceTo(at: number): Promise<void> {
    await this.move(at);
    this.#isMoving = true;
    await super.advanceTo(at);
    this.#isMoving = false;
  }
}

export class RemoteTestEngine implements TestEngine {
  readonly engine: Engine;
  readonly clock: SharedClock;
  readonly store: Store;
  readonly script = new ScriptedActions();
  readonly #place: Place;
  readonly #link: EngineLink;
  readonly #client: Client;
  readonly #worker: Worker;
  readonly #names: ReadonlySet<string>;
  readonly #options: TestEngineOptions;
  readonly #unlisten: () => void;
  readonly #leaving = new AbortController();
  /** Requests that will be answered without anybody's help. */
  #pending = 0;
  #requests = 0;
  /** What the worker had when the engine was closed. */
  #leases: readonly string[] = [];
  /** Up to which place in the feed. */
  #heard: number;

  static async open(
    kind: Elsewhere,
    options: TestEngineOptions,
    earlier?: RemoteTestEngine,
  ): Promise<RemoteTestEngine> {
    const link = await linkTo(kind);
    lastName += 1;
    const clock = earlier?.clock ?? new SharedClock();
    const place = { tenant: `tenant-${lastName}`, storeId: earlier ? earlier.#place.storeId : `store-${lastName}` };
    const { feedEnd } = await link.ask<Pick<Standing, 'feedEnd'>>('open', place, {
      now: clock.now(),
      options: sentOptions(options),
    });
    const opened = new RemoteTestEngine({ link, place, clock, options, feedEnd });
    await earlier?.handBack(opened);
    await opened.#worker.whenAnnounced;
    if (options.onEvent) void opened.#follow(options.onEvent);
    return opened;
  }

  private constructor({ link, place, clock, options, feedEnd }: Opened) {
    this.#heard = feedEnd;
    const { actions = {}, scripted = [], executors, nodeTypes, loadAction } = options;
    this.#link = link;
    this.#place = place;
    this.#options = options;
    this.clock = clock;
    clock.move = (to) => link.ask('advance', place, { to });
    const connection = { url: link.url, key: place.tenant, fetch: this.#fetch, retries: 0 };
    this.#client = new Client(new Transport(connection));
    this.engine = this.#asEngine();
    this.store = this.#storeThere();
    this.#unlisten = link.listen(place.tenant, (event) => this.#hear(event));
    const all = { ...this.script.actions(...scripted), ...actions };
    this.#worker = new Worker({
      ...connection,
      actions: all,
      ...(executors ? { executors } : {}),
      ...(nodeTypes ? { nodeTypes } : {}),
      ...(loadAction ? { loadAction } : {}),
      capacity: 100_000,
      leaseMs: ageMs,
      clock,
      ...(options.limits ? { limits: options.limits } : {}),
      onError: (error) => this.#refuseError(error),
    });
    this.#names = new Set(Object.keys(all));
  }

  settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 2; ) {
      // What nobody wants any more is aborted as soon as it is known.
      await this.#worker.heartbeat();
      const before = this.#requests;
      await this.#turn();
      const { waiting, leased, nextAt, feedEnd } = await this.#link.ask<Standing>('settle', this.#place);
      this.clock.elsewhere = nextAt !== null && nextAt < this.clock.now() + ageMs / 2 ? nextAt : null;
      const isWanted = waiting.some(([name, count]) => count > 0 && this.#names.has(name));
      const isQuiet = !isWanted && leased === this.#worker.begun && this.#pending === 0 && this.#requests === before;
      const hasHeard = this.#options.onEvent === undefined || this.#heard >= feedEnd;
      quiet = isQuiet && hasHeard ? quiet + 1 : 0;
    }
  };

  advance = async (ms: number): Promise<void> => {
    const until = this.clock.now() + ms;
    await this.settle();
    for (let next = this.clock.nextAt; next !== null && next <= until; next = this.clock.nextAt) {
      await this.clock.advanceTo(Math.max(next, this.clock.now()));
      await this.settle();
    }
    await this.clock.advanceTo(until);
    await this.settle();
  };

  /** Ends both; what the worker had is lost, as in a crash. */
  async close(): Promise<void> {
    this.#unlisten();
    // While there is no engine, time goes on here alone; the next one begins at the time of now.
    this.clock.move = () => Promise.resolve();
    this.clock.elsewhere = null;
    this.#leaving.abort();
    this.#worker.abandon();
    this.#leases = await this.#link.ask('close', this.#place);
  }

  forget(): Promise<void> {
    return this.#link.ask('forget', this.#place);
  }

  /** What the worker of an engine before this had is handed back: nobody waits for its leases to end. */
  async handBack(next: RemoteTestEngine): Promise<void> {
    const tasks = this.#leases.map((lease) => ({ lease }));
    if (tasks.length > 0) await next.#client.call('releaseTasks', { tasks });
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const isOpen = /\/tasks\/lease|\/result|\/stream/.test(input as string); // as the transport calls it
    if (!isOpen) this.#pending += 1;
    try {
      return await this.#link.fetch(this.#place, input as string, init); // as above
    } finally {
      this.#requests += 1;
      if (!isOpen) this.#pending -= 1;
    }
  };

  async #follow(onEvent: (event: RunEvent) => void): Promise<void> {
    const after = `${this.#heard}.999999999`;
    const events = this.#client.events({ after, signal: this.#leaving.signal });
    for await (const { feedId, runWorkflow: _, ...event } of events) {
      this.#heard = Number(feedId.split('.')[0]);
      onEvent(event);
    }
  }

  /** A task that nobody wants any more is nothing wrong. */
  #refuseError(error: Error): void {
    if (this.#leaving.signal.aborted || (error as { readonly code?: string }).code === 'LEASE_LOST') return;
    this.#options.onError?.(error, {});
  }

  async #turn(): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => this.clock.defer(resolve));
  }

  /** The tests know engines; what a client does not have, they do not use here. */
  #asEngine(): Engine {
    const close = async (): Promise<void> => this.close();
    const snapshotKey = () => this.#link.ask<string>('snapshotKey', this.#place);
    return Object.assign(this.#client, { close, snapshotKey }) as unknown as Engine;
  }

  #storeThere(): Store {
    const ask =
      (method: string) =>
      (...args: unknown[]) =>
        this.#link.ask('store', this.#place, { method, args });
    return new Proxy({}, { get: (_, method) => ask(String(method)) }) as Store; // every method of it is asked for there
  }

  #hear({ type, first, second }: EngineEvent): void {
    const { onError, onTrace } = this.#options;
    const event = first as never; // as the engine told it
    if (type === 'error') onError?.(Object.assign(new Error(), event), second as never);
    else onTrace?.(event);
  }
}

interface Opened {
  readonly link: EngineLink;
  readonly place: Place;
  readonly clock: SharedClock;
  readonly options: TestEngineOptions;
  readonly feedEnd: number;
}

/** What can be sent: the rest is done in this process. */
function sentOptions(options: TestEngineOptions) {
  const { limits, readOnly, onTrace, workers = 'announced', trustedSnapshotKeys, missingActions } = options;
  return {
    workers,
    limits: { ...limits, leaseMsMax: ageMs, leaseWaitMsMax: ageMs },
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(missingActions === undefined ? {} : { missingActions }),
    ...(trustedSnapshotKeys === undefined ? {} : { trustedSnapshotKeys }),
    trace: onTrace !== undefined,
    hasNetwork: options.http?.transport !== undefined,
  };
}
