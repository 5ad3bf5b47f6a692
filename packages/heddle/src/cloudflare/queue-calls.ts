// Queue calls: while tasks of an action wait that the consumers of a queue do, messages in the queue call for them. Rules DO54
// to DO56.
//
// Always true: how many calls nobody has answered is stored before they are sent, with the time from which on they count as lost:
// an object that is lost neither calls twice for the same nor forgets to call.

import type { Clock, Store } from '../actor/ports.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { LocalShard } from '../fleet/local-shard.ts';
import type { Place } from './place.ts';
import type { QueuedAction, TaskCall } from './task-queue.ts';

const kind = 'call';
/** Of an action, at a time; the most that the platform takes at once. */
const callsMax = 100;
const callAgainMsDefault = 300_000;
/** After a queue has refused. */
const retryMs = 10_000;

export interface QueueCallsOptions {
  readonly shard: LocalShard;
  readonly store: Store;
  readonly clock: Clock;
  readonly place: Place;
  readonly report: (error: unknown) => void;
}

type Queues = Readonly<Record<string, QueuedAction>>;

export class QueueCalls {
  readonly #actions = new Map<string, CalledAction>();

  private constructor(queues: Queues, options: QueueCallsOptions) {
    for (const [action, queued] of Object.entries(queues))
      this.#actions.set(action, new CalledAction(action, queued, options));
  }

  static async open(queues: Queues, options: QueueCallsOptions): Promise<QueueCalls> {
    const { shard, store } = options;
    const { work, tasks } = shard.engine.parts;
    const own = Object.keys(queues).find((action) => tasks.localActions().has(action));
    if (own !== undefined) throw refused(`but ${own} is among \`actions\` too`);
    if (work === null) throw refused('but the engine has none: `workers: false`');
    const calls = new QueueCalls(queues, options);
    for (const { key, value, dueAt } of await store.listRecords(kind, { limit: recordsMax })) {
      const action = calls.#actions.get(key);
      if (action)
        action.resume((JSON.parse(value) as Called).calls, dueAt ?? 0); // as it was written
      else await store.commit(sideCommit({ records: [{ kind, key, value: null, dueAt: null }] }));
    }
    work.callFor(Object.keys(queues), (action) => calls.#actions.get(action)?.look());
    for (const action of calls.#actions.values()) action.look();
    return calls;
  }

  /** Somebody has come, for so many calls, and was given what there was. */
  answered(action: string, calls: number): void {
    this.#actions.get(action)?.answered(calls);
  }
}

/** More actions nobody names. */
const recordsMax = 1_000;

interface Called {
  readonly calls: number;
}

/** One action. What it does, it does one after the other. */
class CalledAction {
  readonly #action: string;
  readonly #queued: QueuedAction;
  readonly #options: QueueCallsOptions;
  /** Calls in the queue that nobody has answered. */
  #calls = 0;
  /** When they count as lost; null while there are none. */
  #lostAt: number | null = null;
  #cancelAlarm: (() => void) | null = null;
  #doing: Promise<void> = Promise.resolve();
  #isToLook = false;

  constructor(action: string, queued: QueuedAction, options: QueueCallsOptions) {
    this.#action = action;
    this.#queued = queued;
    this.#options = options;
  }

  /** As an earlier life of the object has left it. */
  resume(calls: number, lostAt: number): void {
    this.#calls = calls;
    this.#setAlarm(lostAt);
  }

  /** Tasks may wait. Those that come together are called for together. */
  look(): void {
    if (this.#isToLook) return;
    this.#isToLook = true;
    this.#then(() => {
      this.#isToLook = false;
      return this.#callForAll();
    });
  }

  answered(calls: number): void {
    this.#then(async () => {
      const left = Math.max(0, this.#calls - calls);
      await this.#note(left, left === 0 && this.#waiting === 0 ? null : this.#now + this.#callAgainMs);
      await this.#callForAll();
    });
  }

  // DO54: there are as many calls as tasks that wait, and no more than the queue takes at once.
  async #callForAll(): Promise<void> {
    const missing = Math.min(this.#waiting, callsMax) - this.#calls;
    if (missing <= 0) return;
    await this.#note(this.#calls + missing, this.#now + this.#callAgainMs);
    const { place } = this.#options;
    const call: TaskCall = { place, action: this.#action };
    try {
      await this.#queued.queue.sendBatch(Array.from({ length: missing }, () => ({ body: call })));
    } catch (error) {
      this.#options.report(error);
      await this.#note(this.#calls, this.#now + Math.min(retryMs, this.#callAgainMs));
    }
  }

  // DO55: where tasks wait and nobody comes, the calls were lost.
  async #loseCalls(): Promise<void> {
    if (this.#lostAt === null || this.#now < this.#lostAt) return this.#setAlarm(this.#lostAt);
    if (this.#waiting === 0) return this.#note(0, null);
    this.#calls = 0;
    return this.#callForAll();
  }

  async #note(calls: number, lostAt: number | null): Promise<void> {
    const value = lostAt === null ? null : JSON.stringify({ calls } satisfies Called);
    const record = { kind, key: this.#action, value, dueAt: lostAt };
    if (value !== null || this.#lostAt !== null) await this.#options.store.commit(sideCommit({ records: [record] }));
    this.#calls = calls;
    this.#setAlarm(lostAt);
  }

  #setAlarm(lostAt: number | null): void {
    this.#lostAt = lostAt;
    this.#cancelAlarm?.();
    this.#cancelAlarm =
      lostAt === null ? null : this.#options.clock.wakeAt(lostAt, () => this.#then(() => this.#loseCalls()));
  }

  #then(work: () => Promise<void>): void {
    this.#doing = this.#doing.then(work).catch((error: unknown) => {
      this.#options.report(error);
      this.#setAlarm(this.#now + retryMs); // what could not be noted was not sent
    });
  }

  get #waiting(): number {
    return this.#options.shard.engine.parts.work?.standingOf(this.#action).waiting ?? 0;
  }

  get #callAgainMs(): number {
    return this.#queued.callAgainMs ?? callAgainMsDefault;
  }

  get #now(): number {
    return this.#options.clock.now();
  }
}

const refused = (why: string): HeddleError =>
  new HeddleError('OPTION_INVALID', `Expected \`queues\` to name actions of workers outside the object, ${why}`);
