// Round: one database and the processes that share it, from its making over many faults to the end of everything that was begun.
//
// Always true: a process that is gone has another in its place, unless all is over.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fate } from '../../packages/heddle/src/hosts/postgres/relay.testsuite.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { Client } from '../kill/client.ts';
import { Habits } from '../kill/habits.ts';
import { runIdOf } from '../kill/ledger.ts';
import type { Nursery } from '../kill/line-process.ts';
import type { EngineProcess } from '../kill/processes.ts';
import type { Control } from '../kill/protocol.ts';
import { untilQuiet } from '../kill/quiet.ts';
import { Watch } from '../kill/watch.ts';
import type { TestDatabase } from './database.ts';
import { drawFault, type Fault } from './faults.ts';
import { Post } from './post.ts';
import type { Opening } from './protocol.ts';
import { Reader } from './readers.ts';
import type { Tally } from './tally.ts';

type Process = EngineProcess<Opening>;

export interface RoundParts {
  readonly database: TestDatabase;
  readonly isDatabaseMortal: boolean;
  /** The longest that it is away. */
  readonly awayMsMost: number;
  readonly schema: string;
  readonly shards: number;
  /** The file where effects are noted. */
  readonly effects: string;
  readonly dice: Dice;
  readonly nursery: Nursery<Process>;
  readonly tally: Tally;
}

interface Slot {
  process: Process;
  watch: Watch;
  /** It was killed, told to close, or is stopped. */
  isStruck: boolean;
  /** So long there is nobody in its place when it is gone. */
  awayMs: number;
}

const processesAtOnce = 3;
const readersAtOnce = 3;
const tickMs = 20;
/** So often it asks what became of its runs, lest it missed the end of one; and again whatever was not answered by then. */
const lookMs = 5_000;
/** Between two faults. */
const answersMost = 25;
const lookAgainMs = 20;
const looksMost = 75;
/** Longer than a lease lasts. */
const lateMsMost = 12_000;
/** Nets for what hangs, not budgets. */
const openingMsMost = 120_000;
const closingMsMost = 120_000;

export class Round {
  readonly client: Client;
  readonly readers: readonly Reader[];
  readonly #parts: RoundParts;
  readonly #habits: Habits;
  readonly #post: Post;
  readonly #slots: Slot[] = [];
  /** What goes on by itself, and comes to its end. */
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    writeFileSync(parts.effects, '');
    this.client = new Client((violation) => this.#violate(violation));
    parts.database.onFate = (way, fate) => this.#cutWrite(way, fate);
    this.#habits = new Habits(this.client, parts.dice, false);
    const open = () => this.#slots.filter(({ watch }) => watch.isOpened && !watch.hasEnded);
    this.#post = new Post(() => open().map(({ process }) => process), parts.dice);
    this.readers = Array.from({ length: readersAtOnce }, () => new Reader(this.#post));
  }

  /** Begins with a fleet that is made, and does so many faults. */
  async strike(count: number): Promise<void> {
    const { tally, dice } = this.#parts;
    for (let number = 0; number < processesAtOnce; number++) {
      const slot = this.#open(number, number === 0);
      this.#slots[number] = slot;
      if (!(await slot.watch.until(({ isOpened, hasEnded }) => isOpened || hasEnded, openingMsMost)))
        return this.#violate(`Expected process ${number} to open, but found ${slot.watch.notOpened ?? 'nothing'}`);
      if (number === 0) void this.client.attach(this.#post);
    }
    const stop = this.#tick(false);
    for (
      const end = tally.faults + count;
      tally.faults < end && !tally.isHopeless;
      await this.#workOn(dice.draw(answersMost))
    )
      this.#do(drawFault({ ...this.#parts, slots: processesAtOnce }));
    stop();
  }

  /** Lets everything that was begun come to its end, and closes. */
  async finish(): Promise<void> {
    const { database } = this.#parts;
    for (const { fates } of database.ways) fates.length = 0;
    await Promise.all(this.#underWay);
    const stop = this.#tick(true);
    const left = await untilQuiet(this.client, () =>
      this.readers.flatMap(({ isBehind }, number) => (isBehind ? [`reader ${number} is behind`] : [])),
    );
    stop();
    if (left.length > 0) this.#violate(`Expected everything to come to its end, but ${left.join('; ')}`);
    await Promise.all(this.readers.map((reader) => reader.stop()));
    this.client.detach();
    this.#isOver = true;
    await Promise.all(this.#slots.map((slot) => this.#close(slot)));
    await Promise.all(this.#underWay);
  }

  /** Where its traces are. */
  get place(): RoundParts {
    return this.#parts;
  }

  #violate(violation: string): void {
    this.#parts.tally.violations.push(`${this.#parts.schema}: ${violation}`);
  }

  #tick(isFinishing: boolean): () => void {
    const timer = setInterval(() => this.#habits.tick({ isFinishing, needed: null }), tickMs);
    const looking = setInterval(() => {
      void this.client.attach(this.#post);
      if (isFinishing) this.#goOn();
    }, lookMs);
    return () => {
      clearInterval(timer);
      clearInterval(looking);
    };
  }

  /** A pause that nobody heard of may come late, when it was over and done with. */
  #goOn(): void {
    for (const { start, pause } of this.client.live) {
      const runId = runIdOf(start);
      if (runId !== null && pause === null && this.client.ledger.wasAsked('pause', runId))
        this.client.send(this.client.ledger.add<Control>({ type: 'resume', runId }));
    }
  }

  #open(number: number, isFirst = false): Slot {
    const { database, schema, shards, effects, nursery, tally } = this.#parts;
    const process = nursery.take();
    const watch = new Watch(process);
    process.listen((line) => {
      this.client.hear(line);
      if (line.type === 'broken') this.#violate(`Expected nothing to break, but a process told of ${line.message}`);
      if (line.type === 'not-opened') process.signal('SIGKILL');
    });
    const { url } = database.ways[number] ?? database;
    process.open({ url, directUrl: database.hasPooler ? null : url, schema, shards, effects, isFirst });
    const slot: Slot = { process, watch, isStruck: false, awayMs: 0 };
    void this.#replace(number, slot);
    tally.opened++;
    return slot;
  }

  /** When it is gone, another one comes. */
  async #replace(number: number, slot: Slot): Promise<void> {
    const { process, watch } = slot;
    const { signal, code, complaint } = await process.ended;
    const isRight = complaint === '' && (signal === 'SIGKILL' || (watch.isClosed && code === 0));
    if (!isRight)
      this.#violate(`Expected a process that is killed or closes, but it ended with ${signal ?? code}: ${complaint}`);
    await sleep(slot.awayMs);
    if (!this.#isOver && this.#slots[number] === slot) this.#slots[number] = this.#open(number);
  }

  #begin(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  #do(fault: Fault): void {
    const { database, tally } = this.#parts;
    const slot = 'slot' in fault ? this.#slots[fault.slot] : undefined;
    const way = 'slot' in fault ? database.ways[fault.slot] : undefined;
    switch (fault.kind) {
      case 'kill':
        if (!slot?.watch.isOpening || slot.isStruck) return;
        slot.isStruck = true;
        slot.awayMs = fault.awayMs;
        slot.process.signal('SIGKILL');
        break;
      case 'freeze':
        if (!slot?.watch.isOpened || slot.isStruck) return;
        this.#begin(this.#freeze(slot, fault.forMs));
        break;
      case 'write':
        if (way === undefined || way.fates.length > 0 || database.isAway) return;
        way.fates.push(fault.fate);
        return; // it is a fault when there is a write
      case 'cut':
        if (way?.cut() === 0) return;
        break;
      case 'restart-all':
        if (this.#slots.some(({ isStruck, watch }) => isStruck || !watch.isOpened)) return;
        this.#begin(this.#restartAll());
        break;
      case 'kill-database':
      case 'stop-database':
        if (database.isAway) return;
        database.interrupt(fault.kind === 'kill-database' ? 'kill' : 'halt', fault.awayMs);
        this.#begin(database.whenBack());
    }
    tally.struck(fault);
  }

  #cutWrite(number: number, fate: Fate): void {
    const { database, dice, tally } = this.#parts;
    tally.cutWrite(fate);
    const way = database.ways[number];
    if (fate === 'late' && way) this.#begin(sleep(dice.draw(lateMsMost)).then(() => way.deliver()));
  }

  /** Until it has answered so often: who is struck again and again does nothing that could go wrong. */
  async #workOn(answers: number): Promise<void> {
    const enough = this.#post.answers + answers;
    for (let looks = 0; this.#post.answers < enough && looks < looksMost; looks++) await sleep(lookAgainMs);
  }

  async #freeze(slot: Slot, forMs: number): Promise<void> {
    slot.isStruck = true;
    slot.process.signal('SIGSTOP');
    await sleep(forMs);
    slot.process.signal('SIGCONT');
    slot.isStruck = false;
  }

  /** One after the other, as whoever puts a new version in place. */
  async #restartAll(): Promise<void> {
    for (let number = 0; number < processesAtOnce; number++) {
      const slot = this.#slots[number];
      if (slot === undefined || slot.isStruck || !slot.watch.isOpened) continue;
      await this.#close(slot);
      await this.#slots[number]?.watch.until(({ isOpened, hasEnded }) => isOpened || hasEnded, openingMsMost);
    }
  }

  async #close(slot: Slot): Promise<void> {
    slot.isStruck = true;
    if (slot.watch.isOpened) slot.process.close(this.#parts.dice.draw(1_000));
    else slot.process.signal('SIGKILL');
    if (await slot.watch.until(({ hasEnded }) => hasEnded, closingMsMost)) return;
    slot.process.signal('SIGKILL');
    this.#violate('Expected a process to close, but it did not');
  }
}
