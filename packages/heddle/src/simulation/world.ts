// World: the production engine, core, actor and executor, in a process that can die at any moment, on a store or the shards
// of a fleet, each of which can fail by itself, with workers and clients that see nothing of this but answers that do not come. Everything that is left to
// chance comes from one set of dice.
//
// Always true: the same dice give the same history, to the last event.

import type { Commit, Stamp, Store } from '../actor/ports.ts';
import { isMoving } from '../actor/refusals.ts';
import { isFenced, StoreError } from '../actor/store-error.ts';
import type { Limits } from '../definition/limits.ts';
import type { Engine, EngineOptions } from '../engine/engine.ts';
import { openEngine } from '../engine/local-engine.ts';
import type { Action, ActionContext, ActionFunction } from '../executor/action.ts';
import { ActionError } from '../executor/action-error.ts';
import { openFleet } from '../fleet/open-fleet.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { processClock } from './process-clock.ts';
import { microtasks, Schedule, worldLife } from './schedule.ts';
import { type LeasedAnswer, SharedWorld } from './shared-world.ts';
import { SimulatedFence } from './simulated-fence.ts';
import { type ProcessLife, quickHash, type StoreWorld, simulatedStore } from './simulated-store.ts';
import { simulatedWire } from './simulated-wire.ts';
import { died, type OpenProcess, WorldProcess } from './world-process.ts';

export interface WorldOptions {
  readonly dice: Dice;
  readonly faults: Faults;
  /** Called when their time is up. */
  readonly actions: Readonly<Record<string, Action>>;
  /** A task begins, in this process. */
  readonly begin: (action: string, context: ActionContext, process: ProcessLife) => Performance;
  readonly limits?: Partial<Limits>;
  /** More than one: the engine is a fleet of so many. */
  readonly shards?: number;
  /** Of each shard. Default: one in memory. */
  readonly makeStore?: () => Store;
  /** What stores that are not simulated have not answered yet, for which the world waits; null if there is nothing. */
  readonly unanswered?: () => Promise<unknown> | null;
  /** More than one: so many share the shards, by leases. */
  readonly processes?: number;
  /** What a process says of a shard leaves it, to whomever. */
  readonly onAnswer?: (answer: LeasedAnswer) => void;
  /** Time has passed: how many processes own each shard now, as they believe. */
  readonly onOwners?: (owners: readonly number[], at: number) => void;
  /** Whatever was committed, as it is committed. */
  readonly onCommit?: (commit: Commit, place: CommitPlace) => void;
  /** What happens in the world beside the journals, in words. */
  readonly onNote?: (note: string, at: number) => void;
  readonly onError?: (error: Error) => void;
}

/** Where something was committed. */
export interface CommitPlace {
  readonly shard: number;
  /** By whom; null where there is no fence. */
  readonly stamp: Stamp | null;
  /** Who owned the store then. */
  readonly holder: SimulatedFence['holder'] | null;
}

/** What a worker does with a task. */
export interface Performance {
  /** How long it takes. */
  readonly delayMs: number;
  /** Called when its time is up, in a process that lives. */
  readonly onEnd: () => void;
}

/** A store of the world. */
interface Shard {
  readonly store: Store;
  /** Null: one process alone can reach it. */
  readonly fence: SimulatedFence | null;
  readonly outage: { until: number };
}

const closingStepsMax = 100;

export class World {
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly dice: Dice;
  readonly hash = quickHash;
  /** One, unless the world is a fleet's. */
  readonly #shards: readonly Shard[];
  readonly #processes: readonly WorldProcess[];
  readonly #options: WorldOptions;
  readonly limits: Partial<Limits>;
  readonly #waiters: ((process: OpenProcess) => void)[] = [];
  /** Of processes that share the shards. */
  readonly #shared: SharedWorld | null;
  /** When it was looked who owns the shards. */
  #lookedAt = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.dice = options.dice;
    this.faults = options.faults;
    this.schedule = new Schedule(options.dice);
    const { shards = 1, processes = 1, makeStore = memoryStore } = options;
    const losesAnswers = this.faults.has('lost-answer') || this.faults.has('late-write');
    // Half of all worlds have stores that several processes can reach, and all in which answers are lost.
    const hasFences = losesAnswers || this.dice.chance(1, 2) || processes > 1;
    this.#shards = Array.from({ length: shards }, () => {
      return { store: makeStore(), fence: hasFences ? new SimulatedFence() : null, outage: { until: 0 } };
    });
    this.#processes = Array.from({ length: processes }, () => this.#makeProcess(processes > 1));
    this.#shared = processes > 1 ? new SharedWorld(this, this.#processes, options.onAnswer) : null;
    this.limits = { ...drawLimits(options.dice, options.faults), ...options.limits };
  }

  #makeProcess(isShared: boolean): WorldProcess {
    const { schedule, faults, dice } = this;
    return new WorldProcess({
      schedule,
      faults,
      dice,
      zombieMs: isShared ? 20_000 : 500,
      note: (note) => this.note(note),
      start: (life, process) => this.#start(life, process),
      onOpen: (opened) => {
        for (const resolve of this.#waiters.splice(0)) resolve(opened);
      },
    });
  }

  /** One for each shard. */
  get stores(): readonly Store[] {
    return this.#shards.map(({ store }) => store);
  }

  /** The only one, or that of the first shard. */
  get store(): Store {
    return (this.#shards[0] as Shard).store; // there is one
  }

  /** The time, as the processes see it. */
  get now(): number {
    return this.schedule.now + (this.#processes[0]?.skewMs ?? 0);
  }

  /** How many processes there were. */
  get lives(): number {
    return this.#processes.reduce((sum, { lives }) => sum + lives, 0);
  }

  /** How many of the processes that share the shards own each, as they believe. */
  get owners(): readonly number[] {
    const shared = this.#shared;
    return shared ? this.#shards.map((_, shard) => shared.ownersOf(shard)) : [];
  }

  /** Whether something always happens by itself: then it never comes to rest. */
  get isRestless(): boolean {
    return this.#shared !== null;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule.at(this.schedule.now + ms, worldLife, resolve));
  }

  note(note: string): void {
    this.#options.onNote?.(note, this.now);
  }

  /** Processes are started, and started again until they are open. */
  async open(): Promise<void> {
    await this.#shared?.makeFleet();
    await Promise.all(this.#processes.map((process) => process.open()));
  }

  /** Null if a store failed. */
  async #start(life: ProcessLife, process: WorldProcess): Promise<Engine | null> {
    try {
      const options = this.#engineOptions(life, process);
      const storeOf = (shard: number): Store => this.#storeOf(shard, life, process);
      const stores = this.#shards.map((_, shard) => storeOf(shard));
      const [only] = stores;
      if (this.#shared) return await this.#shared.start(life, { stores, storeOf, options });
      if (only && stores.length === 1) return await openEngine(only, options);
      return await openFleet(stores, options, { wire: simulatedWire(life, this) });
    } catch (error) {
      if (error instanceof StoreError) return null;
      throw error;
    }
  }

  #engineOptions(life: ProcessLife, process: WorldProcess): EngineOptions {
    return {
      missingActions: 'fail',
      clock: processClock(life, process),
      limits: this.limits,
      actions: this.#actionsOf(life),
      onError: (error) => this.#hear(error, life, process),
    };
  }

  #hear(error: Error, life: ProcessLife, process: WorldProcess): void {
    // Of processes that share the shards, one that loses some goes on.
    if (isFenced(error) && this.#shared) return;
    // A fleet that opens leaves out a shard whose store fails.
    const isLeftOut = this.#shards.length > 1 && !life.isOpen && error instanceof StoreError;
    if (!this.#shared && (isFenced(error) || isLeftOut)) process.giveUp(life);
    if (!isFenced(error)) this.#options.onError?.(error);
    else if (this.#shards.length === 1) process.leave(life);
    else process.leaveSoon(life);
  }

  #storeOf(shard: number, life: ProcessLife, process: WorldProcess): Store {
    return simulatedStore(life, this.#storeWorld(this.#shards[shard] as Shard, shard, process)); // one of them
  }

  #storeWorld({ store, fence, outage }: Shard, shard: number, process: WorldProcess): StoreWorld {
    const { schedule, faults, dice, hash } = this;
    const onCommit = (commit: Commit, stamp: Stamp | null): void =>
      this.#options.onCommit?.(commit, { shard, stamp, holder: fence?.holder ?? null });
    const crash = (life: ProcessLife): void => process.die(life);
    return { store, shards: this.#shards.length, schedule, faults, dice, hash, fence, outage, onCommit, crash };
  }

  /** The engines are closed, as a program does at its end; answers whether they were, with nothing to wait for. */
  async close(): Promise<boolean> {
    const askedAt = this.schedule.now;
    this.#lookedAt = Number.POSITIVE_INFINITY; // nobody owns anything from now on
    let isClosed = false;
    void Promise.all(this.#processes.map(async ({ current }) => current?.engine.close())).then(() => {
      isClosed = true;
    });
    await this.play(closingStepsMax, () => isClosed);
    return isClosed && this.schedule.now === askedAt;
  }

  /** All processes die, or are cut off; others take their places. */
  crash(): void {
    for (const process of this.#processes) process.crash();
  }

  /**
   * SM4: a client's question, asked again as long as nobody can know whether it was heard: that is what idempotency keys are
   * for. A refusal is an answer, and is thrown.
   */
  async ask<T>(question: (engine: Engine) => Promise<T>): Promise<T> {
    for (;;) {
      const { engine, death, life } = await this.#whoIsThere();
      try {
        // One that stands still hears what was asked when it continues.
        if (this.#shared)
          await Promise.race([new Promise<void>((resolve) => this.schedule.soon(life, resolve)), death]);
        const answer = await Promise.race([question(engine), death]);
        if (answer !== died) return answer;
        this.note('a client has heard nothing, and asks again');
      } catch (error) {
        if (!(error instanceof StoreError || isMoving(error))) throw error;
      }
      await this.sleep(100);
    }
  }

  #whoIsThere(): Promise<OpenProcess> {
    const one = this.dice.pick(this.#processes.flatMap(({ current }) => current ?? []));
    return one ? Promise.resolve(one) : new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Lets things happen, at most so many, until it is over; asked whenever nothing is left to do at the present instant. */
  async play(stepsMax: number, isOver: () => boolean): Promise<'over' | 'nothing left' | 'too long'> {
    for (let step = 0; step < stepsMax; step++) {
      await this.#followed();
      if (this.schedule.isQuiet && isOver()) return 'over';
      this.#lookAtOwners();
      const one = this.dice.pick(this.#processes) as WorldProcess; // there is one
      if (this.faults.strikes('crash')) one.crash();
      if (this.faults.strikes('clock-jumps')) one.skewMs += this.dice.pick([60_000, -60_000, 3_600_000]);
      if (this.faults.strikes('stands-still')) one.standStill(this.dice.pick([500, 12_000, 25_000]));
      if (this.faults.strikes('restart')) void one.restart();
      if (!this.schedule.step(this.faults.strikes('slow-engine'))) return 'nothing left';
    }
    return 'too long';
  }

  /** All that follows from the last step has happened. */
  async #followed(): Promise<void> {
    await microtasks();
    for (let answer = this.#unanswered(); answer !== null; answer = this.#unanswered()) {
      await answer;
      await microtasks();
    }
  }

  #unanswered(): Promise<unknown> | null {
    return this.#options.unanswered?.() ?? null;
  }

  #lookAtOwners(): void {
    const { now } = this.schedule;
    if (this.#shared === null || now <= this.#lookedAt) return;
    this.#lookedAt = now;
    this.#options.onOwners?.(this.owners, now);
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
