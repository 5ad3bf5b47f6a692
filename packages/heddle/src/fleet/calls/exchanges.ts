// Exchanges: what this process says to the others and hears from them, one round trip after the other: all that was said in a turn
// goes as one. Rules OW6 to OW8.
//
// Always true: one exchange is on its way at most, so that a number tells which was heard; without anything to do they are few.

import type { Calls, Clock, Listening } from '../../actor/ports.ts';
import { closedError } from '../../actor/refusals.ts';
import { asError } from '../../actor/store-error.ts';
import type { Shard } from '../shards.ts';
import { Answerer } from './answerer.ts';
import { Caller } from './caller.ts';
import { FeedWatch } from './feed-watch.ts';

export interface ExchangesOptions {
  readonly calls: Calls;
  readonly clock: Clock;
  /** As it has leases. */
  readonly process: string;
  /** A shard of this process; null if another owns it. */
  readonly shardHere: (shard: number) => Shard | null;
  readonly report: (error: Error) => void;
}

/** Between two exchanges where the store says when there is something to hear: it may be missed. */
const toldMs = 1_000;
/** Where it does not say so: at first after something was said or heard, then twice as long each time. */
const soonMs = 20;
const quietMs = 300;
const retryMs = 200;
/** Nobody waits longer for a store that cannot be reached. */
const unheardMsMax = 10_000;
/** In one exchange. */
const takenMax = 100;

export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #caller: Caller;
  readonly #answerer: Answerer;
  readonly #watch = new FeedWatch();
  #number = 0;
  #heard = 0;
  #heardAt: number;
  #hasJoined = false;
  #isWanted = false;
  #isClosing = false;
  #running: Promise<void> | null = null;
  #pauseMs = soonMs;
  #listening: Listening | null = null;
  #cancelAlarm: () => void = () => undefined;
  #alarmAt = Number.POSITIVE_INFINITY;

  constructor(options: ExchangesOptions) {
    const { process, shardHere } = options;
    const onNews = (): void => this.#want();
    this.#options = options;
    this.#caller = new Caller({ process, elapsed: () => this.#elapsed, onNews });
    this.#answerer = new Answerer({ shardHere, onNews });
    this.#heardAt = this.#elapsed;
  }

  open(): void {
    const { calls, process } = this.#options;
    this.#listening = calls.listen?.(process, () => this.#want()) ?? null;
    this.#want();
  }

  ask<Answer>(shard: number, question: unknown, signal?: AbortSignal): Promise<Answer> {
    return this.#caller.ask(shard, question, signal);
  }

  /** When the shard has commits behind this place, or nobody waits any more. */
  past(shard: number, end: number, signal: AbortSignal | undefined): Promise<void> {
    const waiting = this.#watch.past(shard, end, signal);
    this.#arm();
    return waiting;
  }

  /** What others have asked has been answered by then, for the engines are closed; they hear of it. */
  async close(): Promise<void> {
    const { calls, process, report } = this.#options;
    this.#isClosing = true;
    this.#cancelAlarm();
    this.#listening?.stop();
    this.#watch.close(closedError());
    this.#caller.close(closedError());
    await this.#running;
    await this.#answerer.whenIdle();
    try {
      while (this.#answerer.say().length > 0) await this.#exchange();
      await calls.leave(process);
    } catch (error) {
      report(asError(error)); // who asks hears that it is gone
    }
  }

  get #elapsed(): number {
    const { clock } = this.#options;
    return clock.elapsed?.() ?? clock.now();
  }

  /** With all that is said in this turn. */
  #want(): void {
    if (this.#isWanted || this.#isClosing) return;
    this.#isWanted = true;
    if (this.#running === null) this.#beginSoon();
  }

  #beginSoon(): void {
    this.#options.clock.defer(() => {
      if (this.#isWanted) this.#begin();
    });
  }

  #begin(): void {
    if (this.#running !== null || this.#isClosing) return;
    this.#cancelAlarm();
    this.#alarmAt = Number.POSITIVE_INFINITY;
    this.#isWanted = false;
    this.#running = this.#run().finally(() => {
      this.#running = null;
      if (this.#isWanted) this.#beginSoon();
    });
  }

  async #run(): Promise<void> {
    try {
      const isLively = await this.#exchange();
      this.#pauseMs = isLively ? soonMs : Math.min(2 * this.#pauseMs, quietMs);
      this.#arm();
    } catch (error) {
      this.#options.report(asError(error));
      if (this.#elapsed - this.#heardAt >= unheardMsMax) this.#caller.giveUp();
      this.#arm(retryMs);
    }
  }

  /** OW8: few, where nothing is to be done. */
  #arm(ms = this.#restMs): void {
    if (this.#isClosing) return;
    const { clock } = this.#options;
    const at = this.#elapsed + ms;
    if (this.#alarmAt > this.#elapsed && this.#alarmAt <= at) return; // it comes sooner
    this.#cancelAlarm();
    this.#alarmAt = at;
    this.#cancelAlarm = clock.schedule(clock.now() + ms, () => this.#begin());
  }

  get #restMs(): number {
    if (this.#watch.followed.length > 0) return Math.min(this.#pauseMs, quietMs);
    return this.#listening?.isTold ? toldMs : this.#pauseMs;
  }

  /** Whether anything was said or heard. */
  async #exchange(): Promise<boolean> {
    const { calls, process } = this.#options;
    if (!this.#hasJoined) await calls.join(process, ++this.#number);
    this.#hasJoined = true;
    this.#number += 1;
    const [number, sentAt] = [this.#number, this.#elapsed];
    const [asking, answers, followed] = [this.#caller.say(), this.#answerer.say(), this.#watch.followed];
    const said = { process, number, heard: this.#heard, ...asking, answers, followed };
    const heard = await calls.exchange({ ...said, takenMax: this.#isClosing ? 0 : takenMax });
    this.#heard = number;
    this.#heardAt = sentAt;
    if (heard === null) {
      this.#hasJoined = false;
      this.#caller.giveUp();
      return true;
    }
    this.#caller.hear(asking, heard);
    this.#answerer.hear(answers, heard);
    this.#watch.hear(followed, heard.ends);
    const [calledHere, heardHere] = [
      [asking.calls, answers],
      [heard.taken, heard.answers],
    ];
    return [...calledHere, ...heardHere].some((some) => some.length > 0);
  }
}
