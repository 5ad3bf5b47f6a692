// World: the production engine, core, actor and executor, in a process that can die at any moment, on a store that can
// fail, with workers and clients that see nothing of this but answers that do not come. Everything that is left to
// chance comes from one set of dice.
//
// Always true: the same dice give the same history, to the last event.

import type { Commit, Store } from '../actor/ports.ts';
import { isFenced, StoreError } from '../actor/store-error.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Limits } from '../definition/limits.ts';
import { type Engine, openEngine } from '../engine/engine.ts';
import type { Action, ActionContext, ActionFunction } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { processClock } from './process-clock.ts';
import { microtasks, Schedule, worldLife } from './schedule.ts';
import { SimulatedFence } from './simulated-fence.ts';
import { type ProcessLife, quickHash, simulatedStore } from './simulated-store.ts';

export interface WorldOptions {
  readonly dice: Dice;
  readonly faults: Faults;
  /** Called when their time is up. */
  readonly actions: Readonly<Record<string, Action>>;
  /** A task begins, in this process. */
  readonly begin: (action: string, context: ActionContext, process: ProcessLife) => Performance;
  readonly limits?: Partial<Limits>;
  /** Whatever was committed, as it is committed. */
  readonly onCommit?: (commit: Commit) => void;
  /** What happens in the world beside the journals, in words. */
  readonly onNote?: (note: string, at: number) => void;
  readonly onError?: (error: Error) => void;
}

/** What a worker does with a task. */
export interface Performance {
  /** How long it takes. */
  readonly delayMs: number;
  /** Called when its time is up, in a process that lives. */
  readonly onEnd: () => void;
}

/** An engine while it lives. */
interface Process {
  readonly engine: Engine;
  /** Answers when it has died. */
  readonly death: Promise<typeof died>;
}

interface Waiter {
  readonly resolve: (process: Process) => void;
}

const died = Symbol('died');
const closingStepsMax = 100;

export class World {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly store: Store = memoryStore();
  readonly hash = quickHash;
  /** Half of all worlds have a store that several processes can reach, and all in which answers are lost. */
  readonly #fence: SimulatedFence | null;
  skewMs = 0;
  readonly #options: WorldOptions;
  readonly limits: Partial<Limits>;
  /** How many processes there were. */
  lives = 0;
  readonly #outage = { until: 0 };
  #process: Process | null = null;
  #life: ProcessLife | null = null;
  readonly #waiters: Waiter[] = [];
  #die: () => void = () => undefined;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.dice = options.dice;
    this.faults = options.faults;
    this.schedule = new Schedule(options.dice);
    const losesAnswers = this.faults.has('lost-answer') || this.faults.has('late-write');
    this.#fence = losesAnswers || this.dice.chance(1, 2) ? new SimulatedFence() : null;
    this.limits = { ...drawLimits(options.dice, options.faults), ...options.limits };
  }

  /** The time, as the processes see it. */
  get now(): number {
    return this.schedule.now + this.skewMs;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule.at(this.schedule.now + ms, worldLife, resolve));
  }

  note(note: string): void {
    this.#options.onNote?.(note, this.now);
  }

  /** A process is started, and started again until it is open. */
  async open(): Promise<void> {
    for (;;) {
      const life: ProcessLife = { hasEnded: false, isZombie: false, isOpen: false };
      this.#life = life;
      this.lives++;
      const death = new Promise<typeof died>((resolve) => {
        this.#die = () => resolve(died);
      });
      const opened = await Promise.race([this.#start(life), death]);
      if (opened !== died && opened !== null && !life.hasEnded) {
        life.isOpen = true;
        this.#process = { engine: opened, death };
        for (const { resolve } of this.#waiters.splice(0)) resolve(this.#process);
        return;
      }
      await this.sleep(50);
    }
  }

  /** Null if the store failed. */
  async #start(life: ProcessLife): Promise<Engine | null> {
    try {
      return await openEngine(simulatedStore(life, this.#storeWorld()), {
        missingActions: 'fail',
        clock: processClock(life, this),
        limits: this.limits,
        actions: this.#actionsOf(life),
        onError: (error) => {
          if (isFenced(error)) this.#leave(life);
          else this.#options.onError?.(error);
        },
      });
    } catch (error) {
      if (error instanceof StoreError) return null;
      throw error;
    }
  }

  #storeWorld() {
    const { store, schedule, faults, dice, hash } = this;
    const onCommit = (commit: Commit): void => this.#options.onCommit?.(commit);
    const crash = (life: ProcessLife): void => {
      // One that was replaced has its successor already.
      if (life.isZombie) life.hasEnded = true;
      else this.#end(life);
    };
    return { store, schedule, faults, dice, hash, fence: this.#fence, outage: this.#outage, onCommit, crash };
  }

  /** The engine is closed, as a program does at its end; answers whether it was, with nothing to wait for. */
  async close(): Promise<boolean> {
    const askedAt = this.schedule.now;
    let isClosed = false;
    void this.#process?.engine.close().then(() => {
      isClosed = true;
    });
    await this.play(closingStepsMax, () => isClosed);
    return isClosed && this.schedule.now === askedAt;
  }

  /** The process dies, or is cut off and continues for a while as if it were alone; another takes its place. */
  crash(): void {
    const life = this.#life;
    if (life === null || life.hasEnded || life.isZombie) return;
    if (this.faults.strikes('zombie')) {
      life.isZombie = true;
      this.schedule.at(this.schedule.now + 500, worldLife, () => {
        life.hasEnded = true;
      });
    }
    this.#end(life);
  }

  /** A process whose engine has given its store up ends; another takes its place. */
  #leave(life: ProcessLife): void {
    if (!life.isOpen || life.hasEnded || life.isZombie) return;
    this.#end(life);
  }

  #end(life: ProcessLife): void {
    if (!life.isZombie) life.hasEnded = true;
    this.note('the engine dies');
    const wasOpen = life.isOpen;
    this.#process = null;
    this.#die();
    if (wasOpen) this.schedule.at(this.schedule.now + this.dice.pick([0, 10, 1000]), worldLife, () => void this.open());
  }

  /**
   * SM4: a client's question, asked again as long as nobody can know whether it was heard: that is what idempotency keys are
   * for. A refusal is an answer, and is thrown.
   */
  async ask<T>(question: (engine: Engine) => Promise<T>): Promise<T> {
    for (;;) {
      const { engine, death } = await this.#whoIsThere();
      try {
        const answer = await Promise.race([question(engine), death]);
        if (answer !== died) return answer;
        this.note('a client has heard nothing, and asks again');
      } catch (error) {
        const isUnknown =
          error instanceof StoreError || (error instanceof HeddleError && error.code === 'ENGINE_CLOSED');
        if (!isUnknown) throw error;
      }
      await this.sleep(100);
    }
  }

  #whoIsThere(): Promise<Process> {
    return this.#process ? Promise.resolve(this.#process) : new Promise((resolve) => this.#waiters.push({ resolve }));
  }

  /** Lets things happen, at most so many, until it is over; asked whenever nothing is left to do at the present instant. */
  async play(stepsMax: number, isOver: () => boolean): Promise<'over' | 'nothing left' | 'too long'> {
    for (let step = 0; step < stepsMax; step++) {
      await microtasks();
      if (this.schedule.isQuiet && isOver()) return 'over';
      if (this.faults.strikes('crash')) this.crash();
      if (this.faults.strikes('clock-jumps')) this.skewMs += this.dice.pick([60_000, -60_000, 3_600_000]);
      if (!this.schedule.step(this.faults.strikes('slow-engine'))) return 'nothing left';
    }
    return 'too long';
  }

  /** As the user wrote them, but slow, mortal and fallible. */
  #actionsOf(life: ProcessLife): Record<string, Action> {
    return Object.fromEntries(
      Object.entries(this.#options.actions).map(([name, action]) => {
        if (typeof action === 'function') return [name, this.#slowly(life, name, action)];
        const run = this.#slowly(life, name, action.run.bind(action));
        // With its own prototype: a node type must stay one.
        return [name, Object.assign(Object.create(Object.getPrototypeOf(action) as object) as Action, action, { run })];
      }),
    );
  }

  #slowly(life: ProcessLife, action: string, run: ActionFunction): ActionFunction {
    return (context) => {
      if (life.hasEnded) return new Promise(() => undefined);
      const slowness = this.faults.strikes('slow-worker') ? this.dice.pick([100, 1_000, 10_000]) : 0;
      const end = this.#endOf(() => run(context));
      const { delayMs, onEnd } = this.#options.begin(action, context, life);
      const tookMs = delayMs + slowness;
      this.note(`a worker begins with ${action} of token #${context.tokenId}, which takes ${tookMs} ms`);
      return new Promise((resolve, reject) => {
        this.schedule.at(this.schedule.now + tookMs, life, () => {
          onEnd();
          void Promise.resolve().then(end).then(resolve, reject);
        });
      });
    };
  }

  /** What the worker answers in the end. */
  #endOf(end: () => unknown): () => unknown {
    if (this.faults.strikes('garbled-result')) return this.dice.pick(garbage);
    if (!this.faults.strikes('failing-worker')) return end;
    const isDone = this.dice.chance(1, 2);
    return async () => {
      if (isDone) await end();
      throw new ActionError('the worker died', { code: 'WORKER_DIED' });
    };
  }
}

function drawLimits(dice: Dice, faults: Faults): Partial<Limits> {
  const limits: Partial<Limits> = { dispatchesMax: 1_000 };
  if (faults.has('evictions')) {
    faults.count('evictions');
    Object.assign(limits, { idleRunsMax: 1 + dice.draw(2), snapshotEveryBytes: dice.pick([2_000, 200, 20_000]) });
  }
  if (faults.has('narrow')) {
    faults.count('narrow');
    const few = (): number => 1 + dice.draw(3);
    Object.assign(limits, { commandsPerCommitMax: few(), concurrencyPerProcess: few(), dispatchWindow: few() });
  }
  return limits;
}

const cyclic: unknown[] = [];
cyclic.push(cyclic);

/** Above `payloadBytesMax`. */
const large = 'x'.repeat(5_000_000);

/** What a broken worker answers in place of a result. */
const garbage: readonly [() => unknown, ...(() => unknown)[]] = [
  () => undefined,
  () => null,
  () => 'text where an object is due',
  () => Number.NaN,
  () => cyclic,
  () => ({ a: () => 1 }),
  () => ({ when: new Date(0) }),
  () => JSON.parse('{"__proto__": {"polluted": true}}') as unknown,
  () => [large],
  () => {
    // eslint-disable-next-line typescript/only-throw-error -- that is the point
    throw 'no error at all';
  },
];
