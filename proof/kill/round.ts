// Round: one store, from its making over many kills to the end of everything that was begun in it.
//
// Always true: whoever has the store is killed, or has closed it, before another may have it.

import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { Client } from './client.ts';
import { Habits, type Wish } from './habits.ts';
import type { Ending, Nursery } from './line-process.ts';
import { instantLife, type Life, Lives } from './lives.ts';
import { filesOf } from './place.ts';
import type { EngineProcess, Files } from './processes.ts';
import { untilQuiet } from './quiet.ts';
import type { Tally } from './tally.ts';
import { Watch } from './watch.ts';

interface Opening {
  readonly engine: EngineProcess;
  readonly watch: Watch;
  readonly life: Life;
  readonly hasThreads: boolean;
}

export interface RoundParts {
  /** Where its files are. */
  readonly folder: string;
  /** Null: one file. */
  readonly shards: number | null;
  readonly dice: Dice;
  readonly nursery: Nursery<EngineProcess>;
  readonly tally: Tally;
}

const tickMs = 8;
/** Nets for what hangs, not budgets: the machine may be busy with other things. */
const openingMsMost = 300_000;
const refusalMsMost = 300_000;
const closingMsMost = 300_000;
/** So soon after a lock is free somebody who waits for it has seen so. Less than one waits (`lockWaitMs`). */
const noticeMs = 500;

export class Round {
  readonly client: Client;
  readonly files: Files;
  /** The largest that the write-ahead log was. */
  logBytesMost = 0;
  readonly #parts: RoundParts;
  readonly #habits: Habits;
  readonly #lives: Lives;
  /** How many were opened. */
  #opened = 0;
  /** When the last owner of the store was dead. */
  #freedAt = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
    const { folder, shards } = parts;
    const place = { path: path.join(folder, shards === null ? 'heddle.db' : 'fleet'), shards };
    this.files = { place, effects: path.join(folder, 'effects.log') };
    writeFileSync(this.files.effects, '');
    this.client = new Client((violation) => this.#violate(violation));
    this.#habits = new Habits(this.client, parts.dice);
    this.#lives = new Lives(parts.dice, (shards ?? 1) > 1);
  }

  /** So many, or one more where the last has a successor that waits for its death. */
  async kill(count: number): Promise<void> {
    const { tally } = this.#parts;
    const end = tally.kills + count;
    for (let next: Opening | null = null; next !== null || (tally.kills < end && !tally.isHopeless); ) {
      const current: Opening = next ?? this.#open(this.#lives.next());
      next = await this.#live(current);
      await this.#bury(current);
    }
  }

  /** Lets everything that was begun come to its end, and closes. */
  async finish(): Promise<void> {
    const opening = this.#open(instantLife);
    const { engine, watch } = opening;
    if (!(await this.#isOpen(opening)))
      return this.#violate('Expected the engine to open when all is over, but it did not');
    void this.client.attach(engine);
    const stop = this.#tick({ isFinishing: true, needed: null });
    const left = await untilQuiet(this.client);
    stop();
    if (left.length > 0) this.#violate(`Expected everything to come to its end, but ${left.join('; ')}`);
    engine.close(closingMsMost / 2);
    if (!(await watch.until(({ hasEnded }) => hasEnded, closingMsMost))) {
      engine.signal('SIGKILL');
      this.#violate('Expected the engine to close, but it did not');
    }
    this.client.detach();
    this.#judge(await engine.ended, watch.isClosed);
  }

  #violate(violation: string): void {
    this.#parts.tally.violations.push(`Life ${this.#opened}: ${violation}`);
  }

  #open(life: Life): Opening {
    this.#opened++;
    const engine = this.#parts.nursery.take();
    const watch = new Watch(engine);
    engine.listen((line) => {
      this.client.hear(line);
      if (line.type === 'broken') this.#violate(`Expected nothing to break, but the engine told of ${line.message}`);
    });
    // What dies at a named point is made mortal in one thread.
    const hasThreads = this.#parts.shards !== null && life.dying === null && this.#opened % 2 === 0;
    engine.open({ ...this.files, dying: life.dying, hasThreads });
    const how = hasThreads ? ', with threads' : '';
    this.#parts.tally.tell(`life ${this.#opened} of pid ${engine.pid}${how}: ${JSON.stringify(life)}`);
    return { engine, watch, life, hasThreads };
  }

  /** Up to its death, or to where it can be killed; answers with a successor that waits for that. */
  async #live(opening: Opening): Promise<Opening | null> {
    const { engine, watch, life } = opening;
    const kill = () => engine.signal('SIGKILL');
    const killSoon = () => (life.killDelayMs === 0 ? kill() : setTimeout(kill, life.killDelayMs));
    engine.listen((line) => line.type === 'at' && line.outside && killSoon());
    if (watch.isAtPoint) killSoon();
    if (life.opensMs !== null) await this.#opens(watch, life.opensMs);
    else if ((await this.#isOpen(opening)) && !watch.isAtPoint) return this.#work(opening);
    return null;
  }

  async #opens(watch: Watch, opensMs: number): Promise<void> {
    await watch.until(({ isOpening, hasEnded }) => isOpening || hasEnded, openingMsMost);
    await watch.until(({ hasEnded }) => hasEnded, opensMs);
  }

  async #isOpen({ watch }: Opening): Promise<boolean> {
    const hasSettled = (of: Watch) => of.isOpened || of.notOpened !== null || of.isAtPoint || of.hasEnded;
    if (!(await watch.until(hasSettled, openingMsMost)))
      this.#violate('Expected the engine to open, but it takes too long');
    // On a slow machine a successor may have lost its patience before the other one was dead.
    if (watch.notOpened !== null && watch.notOpenedAt > this.#freedAt + noticeMs)
      this.#violate(`Expected the engine to open, but it was refused: ${watch.notOpened}`);
    return watch.isOpened;
  }

  async #work(opening: Opening): Promise<Opening | null> {
    const { engine, watch, life } = opening;
    const isOver = ({ isAtPoint, hasEnded }: Watch) => isAtPoint || hasEnded;
    void this.client.attach(engine);
    const stop = this.#tick({ isFinishing: false, needed: life.needed });
    await watch.until(isOver, life.livesMs);
    if (life.closes) {
      engine.close(this.#parts.dice.draw(20));
      await watch.until(isOver, closingMsMost);
    }
    const second = isOver(watch) ? null : await this.#overlap(opening);
    stop();
    return second;
  }

  #tick(wish: Wish): () => void {
    const timer = setInterval(() => this.#habits.tick(wish), tickMs);
    return () => clearInterval(timer);
  }

  /** What a second process, or a long standstill, must not change. */
  async #overlap({ engine, life: { overlap } }: Opening): Promise<Opening | null> {
    const { tally, dice } = this.#parts;
    const { isStopped, second } = overlap;
    if (isStopped) engine.signal('SIGSTOP');
    const other = second === 'none' ? null : this.#open(second === 'refused' ? instantLife : this.#lives.next());
    await other?.watch.until(({ isOpening }) => isOpening, openingMsMost);
    if (isStopped || other) await sleep(40 + dice.draw(100));
    if (other?.watch.isOpened) this.#violate('Expected the file to be locked, but a second process has opened it');
    if (other && second === 'refused') await this.#expectRefusal(other);
    if (isStopped) {
      engine.signal('SIGCONT');
      await sleep(dice.draw(40));
    }
    tally.overlapped(overlap);
    return second === 'waits' ? other : null;
  }

  async #expectRefusal({ engine, watch }: Opening): Promise<void> {
    await watch.until(({ notOpened, isOpened }) => notOpened !== null || isOpened, refusalMsMost);
    const found = watch.notOpened ?? (watch.isOpened ? 'that it opened' : 'nothing');
    if (!found.startsWith('STORE_LOCKED'))
      this.#violate(`Expected a second process to be refused with STORE_LOCKED, but found ${found}`);
    engine.signal('SIGKILL');
    await engine.ended;
  }

  async #bury({ engine, watch, life, hasThreads }: Opening): Promise<void> {
    engine.signal('SIGKILL');
    const ending = await engine.ended;
    this.#freedAt = Date.now();
    this.client.detach();
    this.#judge(ending, watch.isClosed && life.closes);
    if (ending.signal === 'SIGKILL' && watch.isOpening && watch.notOpened === null)
      this.#parts.tally.killed(life, watch, { isFleet: this.#parts.shards !== null, hasThreads });
    for (const file of filesOf(this.files.place)) {
      const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
      this.logBytesMost = Math.max(this.logBytesMost, log?.size ?? 0);
    }
  }

  #judge({ code, signal, complaint }: Ending, mayClose: boolean): void {
    const isRight = complaint === '' && (signal === 'SIGKILL' || (mayClose && code === 0));
    if (!isRight)
      this.#violate(`Expected a process that is killed or closes, but it ended with ${signal ?? code}: ${complaint}`);
  }
}
