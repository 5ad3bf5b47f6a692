// Background: what the engine does beside the runs, with nobody waiting for it: handing events over, firing triggers.
//
// Always true: no work of it rejects unheard; after `close` it begins nothing and tells nobody of what a closed store
// refuses, for the next engine finds what is left.

import { HeddleError } from '../base/heddle-error.ts';
import type { ErrorContext } from './observers.ts';
import type { Awaitable, Clock, Store } from './ports.ts';
import { type SideWrite, SideWriter } from './side-writer.ts';

/** What is looked for in a store in the background. */
export type RecordStore = Pick<
  Store,
  'readRecord' | 'listRecords' | 'dueRecords' | 'nextDueAt' | 'readRun' | 'findDefinition'
>;

type Tell = (error: unknown, context: ErrorContext) => void;

const firstDelayMs = 100;
const delayMsMax = 10_000;

export class Background {
  isClosed = false;
  /** The store, whose answers are waited for before it is closed. */
  readonly store: RecordStore;
  readonly #writer: SideWriter;
  readonly #clock: Clock;
  readonly #tell: Tell;
  #unanswered = 0;
  #owed = 0;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(store: Store, clock: Clock, tell: Tell) {
    this.#clock = clock;
    this.#writer = new SideWriter(store, clock);
    this.#tell = tell;
    this.store = {
      readRecord: (kind, key) => this.count(store.readRecord(kind, key)),
      listRecords: (kind, query) => this.count(store.listRecords(kind, query)),
      dueRecords: (kind, at, limit) => this.count(store.dueRecords(kind, at, limit)),
      nextDueAt: (kind) => this.count(store.nextDueAt(kind)),
      readRun: (runId) => this.count(store.readRun(runId)),
      findDefinition: (id, version) => this.count(store.findDefinition(id, version)),
    };
  }

  /** Nothing is running; what a store refused may wait to be tried again, and what waits for a run is that run's. */
  get isIdle(): boolean {
    return this.#unanswered === 0;
  }

  /** Something was not done yet that is done now, or tried again until it works. */
  get isOwing(): boolean {
    return this.#owed > 0;
  }

  whenIdle(): Promise<void> {
    return this.isIdle ? Promise.resolve() : new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  report(error: unknown, context: ErrorContext = {}): void {
    const isClosing = error instanceof HeddleError && error.code === 'ENGINE_CLOSED';
    if (!this.isClosed && !isClosing) this.#tell(error, context);
  }

  /** Durable when it returns. */
  async commit(write: SideWrite): Promise<void> {
    await this.count(this.#writer.write(write));
  }

  /** What fails is reported. */
  run(work: () => Promise<void>): void {
    if (!this.isClosed) void work().catch((error: unknown) => this.report(error));
  }

  /** What the engine owes: done now or, if that fails, again and again until it works or the engine is closed. */
  async keepTrying(work: () => Promise<void>): Promise<void> {
    if (!(await this.#succeeds(work))) await this.tryLater(work);
  }

  /** The same, for somebody who waits for the first try alone. */
  async tryNow(work: () => Promise<void>): Promise<void> {
    if (!(await this.#succeeds(work))) void this.tryLater(work);
  }

  /** Ever more slowly. */
  async tryLater(work: () => Promise<void>): Promise<void> {
    this.#owed++;
    for (let delayMs = firstDelayMs; !this.isClosed; delayMs = Math.min(2 * delayMs, delayMsMax)) {
      await new Promise<void>((resolve) => this.#clock.schedule(this.#clock.now() + delayMs, resolve));
      if (await this.#succeeds(work)) break;
    }
    this.#owed--;
  }

  /** What waited for work that was given up at the close is not begun: it may have had to come after it. */
  async #succeeds(work: () => Promise<void>): Promise<boolean> {
    if (this.isClosed) return false;
    this.#owed++;
    try {
      await work();
      return true;
    } catch (error) {
      this.report(error);
      return false;
    } finally {
      this.#owed--;
    }
  }

  /** Waits for what the store was asked. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.whenIdle();
  }

  /** What is waited for before it is closed. A store that answers at once leaves nothing to wait for. */
  count<T>(answer: Awaitable<T>): Awaitable<T> {
    if (!(answer instanceof Promise)) return answer;
    this.#unanswered++;
    return answer.finally(() => {
      this.#unanswered--;
      if (this.#unanswered === 0) for (const waiter of this.#idleWaiters.splice(0)) waiter();
    });
  }
}
