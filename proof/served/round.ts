// Round: one store, from its making over many deaths of its server and of its workers to the end of everything that was
// begun in it.
//
// Always true: a server is dead, or has closed, before the next is told to serve; whoever follows events is never told
// that a server has died.

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { Client } from '../kill/client.ts';
import { endToldBy } from '../kill/ends.ts';
import { Habits, type Wish } from '../kill/habits.ts';
import { isAcknowledged, runIdOf } from '../kill/ledger.ts';
import type { Nursery } from '../kill/line-process.ts';
import { untilQuiet } from '../kill/quiet.ts';
import { Connection } from './connection.ts';
import { Followers } from './followers.ts';
import { drawServerLife, type ServerLife } from './lives.ts';
import type { Mortal } from './processes.ts';
import { Reaper } from './reaper.ts';
import type { Tally } from './tally.ts';
import { Workforce } from './workforce.ts';

export interface RoundParts {
  /** Where its files are. */
  readonly folder: string;
  readonly seed: number;
  readonly servers: Nursery<Mortal>;
  readonly workers: Nursery<Mortal>;
  readonly tally: Tally;
  readonly port: number;
}

export interface RoundFiles {
  readonly file: string;
  readonly effects: string;
  readonly exchanges: string;
}

const tickMs = 8;
const readyMsMost = 300_000;

export class Round {
  readonly client: Client;
  readonly files: RoundFiles;
  readonly followers: Followers;
  readonly reaper: Reaper;
  readonly #parts: RoundParts;
  readonly #habits: Habits;
  readonly #url: string;
  #workforce: Workforce | null = null;

  constructor(parts: RoundParts) {
    const { folder, seed, port } = parts;
    this.#parts = parts;
    const at = (name: string): string => path.join(folder, name);
    this.files = { file: at('heddle.db'), effects: at('effects.log'), exchanges: at('exchanges.log') };
    writeFileSync(this.files.effects, '');
    writeFileSync(this.files.exchanges, '');
    this.#url = `http://127.0.0.1:${port}`;
    this.reaper = new Reaper(parts.tally, this.files.file);
    const { violate } = this.reaper;
    this.client = new Client(violate);
    this.#habits = new Habits(this.client, new Dice(seed));
    this.followers = new Followers(
      this.#url,
      (event) => {
        const status = endToldBy(event);
        if (status !== null) this.client.hear({ type: 'ended', runId: event.runId, status });
      },
      violate,
    );
  }

  /** Until so many more processes were killed. */
  async kill(count: number): Promise<void> {
    const { tally, seed, workers } = this.#parts;
    const end = tally.kills + count;
    const dice = new Dice(seed + 1);
    const isOver = (): boolean => tally.kills >= end || tally.isHopeless;
    // The first makes the store, in peace: before that there is nothing to ask for.
    await this.#liveAndDie({ opensMs: null, livesMs: 100, stopsMs: null, closes: false });
    this.#workforce = new Workforce({
      ...this.files,
      url: this.#url,
      seed: seed + 2,
      nursery: workers,
      reaper: this.reaper,
      tally,
    });
    while (!isOver()) await this.#liveAndDie(drawServerLife(dice));
    this.#workforce.spare();
  }

  /** Lets everything that was begun come to its end, and closes. */
  async finish(): Promise<void> {
    const server = this.#serve();
    if (!(await this.#isReady(server)))
      return this.reaper.violate('Expected the server to serve when all is over, but it does not');
    const connection = new Connection(this.#url, this.reaper.violate);
    void this.client.attach(connection);
    const stop = this.#tick({ isFinishing: true, needed: null });
    const left = await untilQuiet(this.client, () => this.#untold());
    stop();
    if (left.length > 0) this.reaper.violate(`Expected everything to come to its end, but ${left.join('; ')}`);
    await this.#workforce?.close();
    await this.followers.catchUp();
    await this.followers.stop();
    this.client.detach();
    connection.cut();
    await this.reaper.close(server);
  }

  // ------------------------------------------------------------------------------------------------------------ servers

  #serve(): Mortal {
    const { servers, port, tally } = this.#parts;
    const server = servers.take();
    server.onBroken = (message) => this.reaper.violate(`Expected nothing to break, but the server told of ${message}`);
    server.order({ type: 'serve', file: this.files.file, port });
    tally.servers++;
    return server;
  }

  async #liveAndDie({ opensMs, livesMs, stopsMs, closes }: ServerLife): Promise<void> {
    const server = this.#serve();
    if (opensMs !== null) {
      await sleep(opensMs);
      return this.reaper.kill(server);
    }
    if (!(await this.#isReady(server))) return;
    const connection = new Connection(this.#url, this.reaper.violate);
    void this.client.attach(connection);
    const stop = this.#tick({ isFinishing: false, needed: null });
    await sleep(livesMs);
    if (stopsMs !== null) await this.reaper.standStill(server, stopsMs);
    if (closes) await this.reaper.close(server);
    else await this.reaper.kill(server);
    stop();
    this.client.detach();
    connection.cut();
  }

  async #isReady(server: Mortal): Promise<boolean> {
    const isReady = await Promise.race([server.ready, sleep(readyMsMost, false, { ref: false })]);
    if (isReady) return true;
    server.signal('SIGKILL');
    this.reaper.violate(`Expected the process to begin, but it did not: ${JSON.stringify(await server.ended)}`);
    return false;
  }

  // ------------------------------------------------------------------------------------------------------------- client

  #tick(wish: Wish): () => void {
    const timer = setInterval(() => {
      this.#habits.tick(wish);
      for (const { start } of this.client.live.slice(-2)) {
        const runId = isAcknowledged(start) ? runIdOf(start) : null;
        if (runId !== null && !wish.isFinishing) this.followers.follow(runId);
      }
    }, tickMs);
    return () => clearInterval(timer);
  }

  /** Whoever follows a run is told of its end, sooner or later. */
  #untold(): readonly string[] {
    const waiting = this.followers.all.filter(({ runId, isTold }) => runId !== null && !isTold);
    return waiting.map(({ runId }) => `whoever follows run ${runId} was not told of its end`);
  }
}
