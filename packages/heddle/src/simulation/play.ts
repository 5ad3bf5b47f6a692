// Play: one script in one world, from the first registration until everything has ended. Clients start runs, people
// answer prompts, somebody publishes events, somebody meddles; then the faults stop, and whatever is left must end.
//
// Always true: what the clients did and heard is written down as they did and heard it.

import type { Commit, RunRow, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { PromptNote } from '../core/notes.ts';
import type { Limits } from '../definition/limits.ts';
import type { Action, ActionContext } from '../executor/action.ts';
import type { FeedEvent } from '../operations/events.ts';
import { type CallUnderWay, type ClientOperation, type ClientRequest, send, type TaskCall } from './client.ts';
import type { Dice } from './dice.ts';
import type { Faults } from './faults.ts';
import { FeedReader } from './feed-reader.ts';
import type { LeasedAnswer } from './shared-world.ts';
import type { ProcessLife } from './simulated-store.ts';
import { type CommitPlace, type Performance, World } from './world.ts';

/** Who does what in the world. */
export interface Script {
  /** Registered in this order. */
  readonly definitions: readonly unknown[];
  /** Each under an idempotency key of its own. */
  readonly starts: readonly Start[];
  readonly actions: Readonly<Record<string, Action>>;
  /** How long a task takes, asked when it begins. */
  readonly delayOf: (action: string, context: ActionContext) => number;
  /** What a person answers. */
  readonly reply: (prompt: AskedPrompt) => Json;
  /** What is published from outside, once, and again when nothing else happens any more. */
  readonly outsideEvents: readonly OutsideEvent[];
  /** Made before the first start. */
  readonly preparations: readonly ClientRequest[];
  /** Made at some time, each once. */
  readonly requests: readonly ClientRequest[];
  /** Whether runs are paused and cancelled now and then, and newer versions of their definitions registered. */
  readonly hasMeddlers: boolean;
  /** Runs that have failed are retried, under one of so many keys. */
  readonly retryKeys?: number;
}

export interface Start {
  readonly workflow: string;
  readonly input: JsonObject;
  readonly organization?: string;
  readonly trace?: boolean;
}

export interface AskedPrompt {
  readonly workflow: string;
  readonly nodeId: string;
  readonly title: string;
}

export interface OutsideEvent {
  readonly name: string;
  readonly correlation?: string;
  readonly payload: Json;
  /** Early, and never again: whoever waits for it later finds it kept. */
  readonly isOnce?: true;
}

export interface PlayOptions {
  readonly dice: Dice;
  readonly faults: Faults;
  readonly limits?: Partial<Limits>;
  /** Of a fleet, how many. */
  readonly shards?: number;
  readonly makeStore?: () => Store;
  readonly unanswered?: () => Promise<unknown> | null;
  /** How many share the shards; 1 if absent. */
  readonly processes?: number;
  readonly onAnswer?: (answer: LeasedAnswer) => void;
  readonly onOwners?: (owners: readonly number[], at: number) => void;
  readonly onCommit: (commit: Commit, place: CommitPlace) => void;
  readonly onCall?: (call: CallUnderWay) => void;
  /** The worker is done with it, in a process that lives. */
  readonly onCallEnd?: (call: CallUnderWay) => void;
  readonly onNote?: (note: string, at: number) => void;
  /** A client reads all events, and gets these. */
  readonly onRead?: (event: FeedEvent) => void;
}

/** With faults, then without; and how often the world is nudged before it is given up. */
const stepsWithFaults = 1_000;
const stepsMax = 20_000;
const nudgesMax = 40;
const restMs = 60_000;
/** A run may have a timer of a process whose clock was hours ahead. */
const nudgeMs = 300_000;
const tooLong = `Expected the world to come to rest, but after ${stepsMax} steps it had not`;

export class Play {
  readonly world: World;
  readonly operations: ClientOperation[] = [];
  readonly calls: TaskCall[] = [];
  readonly errors: Error[] = [];
  /** At rest: how many of the processes that share the shards own each. */
  owners: readonly number[] = [];
  /** What is wrong with definitions that could not be registered. */
  readonly refused: string[] = [];
  /** Runs that have not ended. */
  readonly live = new Set<string>();
  readonly #endWaiters = new Map<string, () => void>();
  readonly #script: Script;
  readonly #dice: Dice;
  readonly #onCommit: (commit: Commit, place: CommitPlace) => void;
  readonly #reader: FeedReader | null;
  readonly #onCall: (call: CallUnderWay) => void;
  readonly #onCallEnd: (call: CallUnderWay) => void;
  /** What clients threw: what they did makes no sense, and neither does going on. */
  readonly #failures: unknown[] = [];
  #hasBegun = false;
  #isCalm = false;
  #clients = 0;
  /** Prompts that somebody has seen. */
  readonly #seen = new Set<string>();

  constructor(script: Script, { onCommit, onCall, onCallEnd, onRead, ...world }: PlayOptions) {
    this.#script = script;
    this.#onCall = onCall ?? (() => undefined);
    this.#onCallEnd = onCallEnd ?? (() => undefined);
    this.#dice = world.dice;
    this.#onCommit = onCommit;
    this.world = new World({
      ...world,
      actions: script.actions,
      begin: (action, context, life) => this.#begins(action, context, life),
      onCommit: (commit, place) => this.#notice(commit, place),
      onError: (error) => void this.errors.push(error),
    });
    this.#reader = onRead ? new FeedReader(this.world, onRead) : null;
  }

  /** Null, or why it did not come to its end. */
  async play(): Promise<string | null> {
    const { world } = this;
    void this.#client(() => world.open());
    void this.#client(() => this.#begin());
    void this.#reader?.read().catch((error: unknown) => this.#failures.push(error));
    await world.play(stepsWithFaults, () => this.#isOver);
    this.#calm();
    for (let round = 0; round < nudgesMax; round++) {
      const how = await this.#playOn();
      if (this.#failures.length > 0) throw this.#failures[0];
      if (how === 'over') return this.#comeToRest();
      if (how === 'too long') return tooLong;
      this.#nudge();
    }
    return `Expected every run to end once the faults had stopped, but ${[...this.live].join(', ')} did not`;
  }

  /** Processes that share a fleet always have something to do: they are nudged now and then. */
  async #playOn(): Promise<'over' | 'nothing left' | 'too long'> {
    const { world } = this;
    if (!world.isRestless) return world.play(stepsMax, () => this.#isOver);
    const until = world.schedule.now + nudgeMs;
    const how = await world.play(stepsMax, () => this.#isOver || world.schedule.now >= until);
    return how === 'over' && !this.#isOver ? 'nothing left' : how;
  }

  /** What the engine still does by itself, for a while: messages, triggers, what it tries again. */
  async #comeToRest(): Promise<string | null> {
    const until = this.world.schedule.now + restMs;
    const isLater = () => (this.world.schedule.nextAt ?? until) >= until;
    const how = await this.world.play(stepsMax, () => this.#isOver && isLater());
    if (how === 'too long') return tooLong;
    this.#reader?.stop();
    this.owners = this.world.owners;
    return (await this.world.close()) ? null : 'Expected an engine at rest to close, but it did not';
  }

  get #isOver(): boolean {
    return this.#failures.length > 0 || (this.#clients === 0 && this.live.size === 0);
  }

  /** Faults stop: whatever was left undone is done by the engine itself. Only for a lost alarm it takes a new one. */
  #calm(): void {
    const { faults } = this.world;
    this.#isCalm = true;
    faults.stop();
    this.world.note('the faults stop');
    if (faults.injected.has('bad-alarms')) this.world.crash();
  }

  /** What happens outside when nothing happens any more. */
  #nudge(): void {
    if (!this.#hasBegun) return;
    for (const [index, { isOnce }] of this.#script.outsideEvents.entries())
      if (!isOnce) void this.#client(() => this.#publish(index));
  }

  /** Somebody at work: the world is not over before they are done. */
  #client(work: () => Promise<unknown>): Promise<void> {
    this.#clients++;
    return work()
      .catch((error: unknown) => this.#failures.push(error))
      .then(() => {
        this.#clients--;
      });
  }

  async #begin(): Promise<void> {
    for (const definition of this.#script.definitions) await this.#register(definition);
    for (const request of this.#script.preparations) await this.#operate(request);
    this.#hasBegun = true;
    for (const request of this.#script.requests) void this.#client(() => this.#request(request));
    const starts = this.#script.starts.map((start, index) => this.#client(() => this.#start(start, index)));
    for (const index of this.#script.outsideEvents.keys())
      void this.#client(async () => {
        await this.#pause(200);
        await this.#publish(index);
      });
    if (this.#script.hasMeddlers && this.#dice.chance(1, 8)) void this.#client(() => this.#redefine(starts));
  }

  async #register(definition: unknown): Promise<void> {
    // What is no object is refused there.
    const { version, problems } = await this.world.ask((engine) => engine.register(definition as object));
    if (version !== null) return;
    for (const { severity, pointer, message } of problems)
      if (severity === 'error') this.refused.push(`at "${pointer}": ${message}`);
  }

  /** New versions, which must not touch runs of the old ones (FT39): quite others, where nothing else will be started. */
  async #redefine(starts: readonly Promise<void>[]): Promise<void> {
    await Promise.all(starts);
    const { definitions, preparations, requests } = this.#script;
    const everything = JSON.stringify([definitions, preparations, requests]);
    for (const definition of definitions) {
      const { id } = definition as { readonly id: unknown }; // definitions are objects
      const isCalled = everything.split(JSON.stringify(id)).length > 2;
      const other = { id, initialNode: 'elsewhere', nodes: [{ id: 'elsewhere' }] };
      await this.#register(isCalled ? { ...(definition as object), description: 'redefined' } : other); // as above
    }
  }

  async #start(start: Start, index: number): Promise<void> {
    await this.#pause(100);
    const key = `start-${index}`;
    const told = await this.#operate({ type: 'start', key, ...start });
    if (told === null) return;
    const runId = told as string; // what a start answers with
    if (this.world.faults.strikes('duplicates')) await this.#operate({ type: 'start', key, ...start });
    if (this.world.faults.strikes('duplicates'))
      await this.#operate({ type: 'start', key, workflow: start.workflow, input: { ...start.input, other: true } });
    if (this.#script.hasMeddlers && this.#dice.chance(1, 6)) void this.#client(() => this.#meddle(runId));
    if (this.#script.retryKeys !== undefined)
      await this.#retry({ type: 'retry', runId, key: `${index % this.#script.retryKeys}` });
  }

  /** When it has ended; what has not failed is refused. */
  async #retry(request: ClientRequest & { readonly type: 'retry' }): Promise<void> {
    await this.#whenEnded(request.runId);
    await this.#pause(300);
    await this.#operate(request);
    if (this.world.faults.strikes('duplicates')) await this.#operate(request);
  }

  #whenEnded(runId: string): Promise<void> {
    if (!this.live.has(runId)) return Promise.resolve();
    return new Promise((resolve) => this.#endWaiters.set(runId, resolve));
  }

  async #request(request: ClientRequest): Promise<void> {
    await this.#pause(300);
    await this.#operate(request);
    if (this.world.faults.strikes('duplicates')) await this.#operate(request);
  }

  async #meddle(runId: string): Promise<void> {
    const type = this.#dice.pick(['pause', 'cancel', 'pause'] as const);
    await this.#pause(300);
    await this.#operate({ type, runId });
    if (type === 'cancel') return;
    await this.#pause(this.#dice.pick([300, 3_000]));
    await this.#operate({ type: 'resume', runId });
  }

  async #publish(index: number): Promise<void> {
    const event = this.#script.outsideEvents[index];
    if (!event) return;
    const id = `event-${this.operations.length}`;
    await this.#operate({ type: 'publish', id, ...event });
    if (this.world.faults.strikes('duplicates')) await this.#operate({ type: 'publish', id, ...event });
  }

  /** A person has seen a prompt, takes time, and answers; now and then twice, at once or later. */
  async #answer({ rootRunId: runId, correlationId, workflow, node, title }: PromptNote): Promise<void> {
    await this.#pause(this.#isCalm ? 10 : 400);
    const payload = this.#script.reply({ workflow, nodeId: node, title: title ?? '' });
    const reply = (answer: Json) => this.#operate({ type: 'reply', runId, correlationId, payload: answer });
    const first = reply(payload);
    if (!this.world.faults.strikes('duplicates')) return void (await first);
    if (this.#dice.chance(1, 2)) return void (await Promise.all([first, reply(payload)]));
    await first;
    await reply(this.#dice.chance(1, 2) ? { another: 'answer' } : payload);
  }

  /** Asks, and writes down what was sent and what was heard; null if it was refused. */
  async #operate(request: ClientRequest): Promise<Json> {
    const operation: ClientOperation = { request, sentAt: this.world.now, answer: undefined, refusal: null };
    this.operations.push(operation);
    try {
      operation.answer = await this.world.ask((engine) => send(engine, request));
      return operation.answer;
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      operation.refusal = error.code;
      return null;
    }
  }

  #pause(msMax: number): Promise<void> {
    return this.world.sleep(10 * this.#dice.draw(msMax / 10));
  }

  #notice(commit: Commit, place: CommitPlace): void {
    for (const { row } of commit.runs) this.#follow(row);
    for (const { kind, value } of commit.records)
      if (kind === 'open-prompt' && value !== null) this.#see(JSON.parse(value) as PromptNote); // a run wrote it
    this.#onCommit(commit, place);
  }

  #follow({ runId, endedAt, quarantine }: RunRow): void {
    if (endedAt === null && quarantine === null) this.live.add(runId);
    else this.live.delete(runId);
    if (!this.live.has(runId)) this.#endWaiters.get(runId)?.();
  }

  #see(note: PromptNote): void {
    if (this.#seen.has(note.correlationId)) return;
    this.#seen.add(note.correlationId);
    void this.#client(() => this.#answer(note));
  }

  #begins(action: string, context: ActionContext, process: ProcessLife): Performance {
    const { runId, tokenId, attempt, idempotencyKey, signal } = context;
    const at = this.world.now;
    const call: CallUnderWay = { action, runId, tokenId, attempt, idempotencyKey, process, at, signal };
    this.calls.push(call);
    this.#onCall(call);
    return { delayMs: this.#script.delayOf(action, context), onEnd: () => this.#onCallEnd(call) };
  }
}
