// Database: the PostgreSQL server of one round, and the ways to it: of each process one of its own, where it can be cut, and
// behind all of them a pooler, or none.

import { connect } from 'node:net';
import path from 'node:path';
import { openPooler, type Pooler } from '../../packages/heddle/src/hosts/postgres/pooler.testsuite.ts';
import { type Fate, openRelay, type Relay } from '../../packages/heddle/src/hosts/postgres/relay.testsuite.ts';
import { startPostgres } from '../../scripts/postgres-server.mjs';

type Server = Awaited<ReturnType<typeof startPostgres>>;

/** Fewer than the processes open. */
const pooledConnections = 12;

export interface DatabaseOptions {
  readonly ways: number;
  readonly hasPooler: boolean;
  /** What was answered is there after it was killed. */
  readonly isDurable: boolean;
}

export class TestDatabase {
  /** A write on one of the ways has had its fate. */
  onFate: (way: number, fate: Fate) => void = () => undefined;
  /** Of each process. */
  ways: readonly Relay[] = [];
  readonly hasPooler: boolean;
  readonly #server: Server;
  readonly #pooler: Pooler | null;
  #changing: Promise<void> | null = null;

  private constructor(server: Server, pooler: Pooler | null) {
    this.#server = server;
    this.#pooler = pooler;
    this.hasPooler = pooler !== null;
  }

  static async start({ ways, hasPooler, isDurable }: DatabaseOptions): Promise<TestDatabase> {
    const server = await startPostgres({ isDurable });
    const toServer = () => connect(path.join(server.folder, '.s.PGSQL.5432'));
    const pooler = hasPooler ? await openPooler(toServer, pooledConnections) : null;
    const on = pooler === null ? toServer : () => connect(pooler.port, '127.0.0.1');
    const database = new TestDatabase(server, pooler);
    const openWay = (_: unknown, way: number) => openRelay(on, (fate) => database.onFate(way, fate));
    database.ways = await Promise.all(Array.from({ length: ways }, openWay));
    return database;
  }

  /** With nothing between. */
  get url(): string {
    return this.#server.url();
  }

  get isAway(): boolean {
    return this.#changing !== null;
  }

  /** Ends as it is told, and is there again after so long. */
  interrupt(how: 'kill' | 'halt', awayMs: number): void {
    this.#changing ??= this.#interrupt(how, awayMs).finally(() => {
      this.#changing = null;
    });
  }

  async whenBack(): Promise<void> {
    await this.#changing;
  }

  stop(): void {
    for (const way of this.ways) way.drop();
    this.#pooler?.close();
    this.#server.stop();
  }

  async #interrupt(how: 'kill' | 'halt', awayMs: number): Promise<void> {
    await this.#server[how]();
    await new Promise((resolve) => setTimeout(resolve, awayMs));
    await this.#server.restart();
  }
}
