// Stage: an engine on a real file in virtual time, and the world around it: callers who repeat what was not answered,
// workers, people, and the time that goes on.
//
// Always true: what the world outside has heard is in `outside`; a stage that goes on from there knows nothing else.

import { statSync } from 'node:fs';
import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Engine } from '../../packages/heddle/src/engine/engine.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import type { SqliteConstructor } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import type { StartOptions } from '../../packages/heddle/src/operations/runs.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { VirtualClock } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { answerLater } from '../answer-later.ts';
import type { LostAnswer } from '../lost-answer.ts';
import { CrashPoints } from './crash-points.ts';
import { storeName } from './image.ts';
import type { Outside } from './outside.ts';
import type { Shape } from './shape.ts';
import { watchedSqlite } from './watched-sqlite.ts';
import { watchedStore } from './watched-store.ts';
import { Workers } from './workers.ts';

export interface StageOptions {
  readonly shape: Shape;
  readonly Sqlite: SqliteConstructor;
  /** Where the files are. */
  readonly folder: string;
  readonly outside: Outside;
  /** What ids of runs are drawn with. */
  readonly seed: number;
  /** Commits are answered later, and turns are planned meanwhile. */
  readonly isAside: boolean;
  /** The answer to one write is lost, on a store with a fence. */
  readonly lost: LostAnswer | null;
}

/** How long, in real time, an engine may be at work: after that it never comes to rest. */
const atWorkMsMax = 5_000;
/** Quiet for several turns in a row: a result that is on its way has then arrived. */
const quietTurns = 4;
const sentAt = 'sent at';

export class Stage {
  readonly shape: Shape;
  readonly points: CrashPoints;
  /** What the engine told of that went wrong. */
  readonly reports: string[] = [];
  readonly #options: StageOptions;
  readonly #clock: VirtualClock;
  /** Of the process that lives now. */
  workers: Workers;
  #outside: Outside;
  #engine: Engine | null = null;
  #store: Store | null = null;

  constructor(options: StageOptions) {
    this.#options = options;
    this.shape = options.shape;
    this.#outside = options.outside;
    const dice = new Dice(options.seed);
    this.#clock = Object.assign(new VirtualClock(options.outside.now), { random: () => dice.draw(2 ** 30) / 2 ** 30 });
    this.points = new CrashPoints(options.folder, () => this.outside);
    this.workers = this.#newWorkers();
  }

  get outside(): Outside {
    return { ...this.#outside, now: this.#clock.now() };
  }

  get engine(): Engine {
    if (this.#engine) return this.#engine;
    throw new Error('Expected the engine to be open, but it is not');
  }

  /** Without the watch. */
  get store(): Store {
    if (this.#store) return this.#store;
    throw new Error('Expected the store to be open, but it is not');
  }

  get isOpen(): boolean {
    return this.#engine !== null;
  }

  get file(): string {
    return path.join(this.#options.folder, storeName);
  }

  /** In bytes. */
  get logLength(): number {
    return statSync(`${this.file}-wal`).size;
  }

  // -------------------------------------------------------------------------------------------------- the process

  async open(look: (store: Store) => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { Sqlite, shape } = this.#options;
    this.#store = await openStoreWith(watchedSqlite(Sqlite, this.points, shape.logPages ?? null), this.file);
    await look(this.#store);
    this.workers = this.#newWorkers();
    const { isAside, lost } = this.#options;
    const store = lost?.on(this.#store) ?? (isAside ? answerLater(this.#store) : this.#store);
    this.#engine = await openEngine(watchedStore(store, this.points), {
      missingActions: 'fail',
      ...shape.options,
      clock: this.#clock,
      actions: this.workers.actions(),
      onError: (error) => this.reports.push(error.message),
    });
  }

  /** The process ends in order, and another begins. */
  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  /** For a situation: nobody is there for a while. */
  async away(ms: number): Promise<void> {
    await this.close();
    this.#engine = null;
    await this.#clock.advance(ms);
  }

  async close(): Promise<void> {
    await this.#engine?.close({ graceMs: 0 });
  }

  /** Lets everything happen that can happen now. */
  async settle(): Promise<void> {
    const deadline = performance.now() + atWorkMsMax;
    for (let quiet = 0; quiet < quietTurns; ) {
      if (performance.now() > deadline)
        throw new Error(`Expected the engine to come to rest, but after ${atWorkMsMax} ms it is still at work`);
      await new Promise<void>((resolve) => this.#clock.defer(resolve));
      quiet = this.engine.isIdle && this.workers.isIdle ? quiet + 1 : 0;
    }
  }

  /** They remember what they were called for, whatever becomes of the process. */
  #newWorkers(): Workers {
    return new Workers(this.shape, ({ runId, nodeId, tokenId, attempt, idempotencyKey }: ActionContext) => {
      const calls = [...this.#outside.calls, { runId, nodeId, tokenId, attempt, idempotencyKey }];
      this.#outside = { ...this.#outside, calls };
      this.points.pass(`after the call of ${nodeId}`);
    });
  }

  // -------------------------------------------------------------------------------------------------- the callers

  /** Gives an order that was not answered yet; answered is also what was refused. */
  async order(name: string, order: (engine: Engine) => Promise<unknown>): Promise<void> {
    if (this.#outside.answers.has(name)) return;
    const answer = await answerTo(() => order(this.engine));
    this.#outside = { ...this.#outside, answers: new Map(this.#outside.answers).set(name, answer) };
    this.points.pass(`after the answer to ${name}`);
  }

  note(name: string, text: string): void {
    this.#outside = { ...this.#outside, notes: new Map(this.#outside.notes).set(name, text) };
  }

  noted(name: string): string {
    const text = this.#outside.notes.get(name);
    if (text !== undefined) return text;
    throw new Error(`Expected the situation to have noted ${name}, but it has not`);
  }

  async register(definition: JsonObject): Promise<void> {
    const { problems } = await this.engine.register(definition);
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (errors.length > 0) throw new Error(`Expected a legal definition, but: ${JSON.stringify(errors)}`);
  }

  /** For a situation: starts a run, notes its id under the name of its workflow, and lets it go as far as it can. */
  async start(workflow: string, input: unknown = {}, options: StartOptions = {}): Promise<Run> {
    const run = await this.engine.start(workflow, input, options);
    this.note(workflow, run.id);
    await this.settle();
    return run;
  }

  /** For a situation: somebody writes into the file. */
  damage(sql: string): void {
    const options = { readOnly: false, enableForeignKeyConstraints: false, defensive: true };
    const database = new this.#options.Sqlite(this.file, options);
    database.exec(sql);
    database.close();
  }

  /** For a situation: notes what is asked now, under the names of the nodes that ask: `prompt <node>`. */
  async notePrompts(): Promise<void> {
    for (const { nodeId, correlationId } of await this.engine.prompts()) this.note(`prompt ${nodeId}`, correlationId);
  }

  /** The run that the situation started last of a workflow. */
  run(workflow: string): Run {
    return this.engine.run(this.noted(workflow));
  }

  // -------------------------------------------------------------------------------------------- workers and the time

  /** Answers the first call at a node with this input, if there is one, as the shape says; and lets the run go on. */
  async answer(node: string, input: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const call = this.workers.callAt(node, input);
    if (call) this.workers.give(call);
    await this.settle();
  }

  /** The message is sent now: what `pass` counts from. */
  noteSending(): void {
    if (this.#outside.notes.has(sentAt)) return;
    this.note(sentAt, String(this.#clock.now()));
    this.#outside = { ...this.#outside, answersBefore: this.#outside.answers.size };
  }

  /** Lets the time go on to so much after the message was sent; before it, by so much. */
  async pass(ms: number): Promise<void> {
    const from = Number(this.#outside.notes.get(sentAt) ?? this.#clock.now());
    await this.#advance(from + ms);
  }

  /** Goes on to the next alarm, unless there is none so soon. */
  async passToNext(restMs: number): Promise<boolean> {
    const next = this.#clock.nextAt;
    if (next === null || next > Number(this.noted(sentAt)) + restMs) return false;
    await this.#advance(next);
    return true;
  }

  async #advance(until: number): Promise<void> {
    await this.settle();
    for (let next = this.#clock.nextAt; next !== null && next <= until; next = this.#clock.nextAt) {
      await this.#clock.advanceTo(next);
      await this.settle();
    }
    await this.#clock.advanceTo(until);
    await this.settle();
  }
}

async function answerTo(order: () => Promise<unknown>): Promise<string> {
  try {
    await order();
    return 'done';
  } catch (error) {
    if (error instanceof HeddleError) return error.code;
    throw error;
  }
}
