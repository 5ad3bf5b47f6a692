// Bell: how processes tell each other that there is something to hear: NOTIFY, on a connection of its own that nothing stands
// between. It is never part of a commit, which would wait for those of all others.
//
// Always true: it loses what is told while its connection is lost, says so, and comes back by itself; nobody waits for it.

import type { Client } from 'pg';
import type { Listening } from '../../actor/ports.ts';
import { loadClient } from './pool.ts';

/** Tells processes that there is something to hear. */
export interface Bell {
  readonly ring: (processes: readonly string[]) => void;
  readonly listen: (process: string, onNews: () => void) => Listening;
  readonly close: () => Promise<void>;
}

const againMs = 1_000;

/** `channel`: of this fleet, in the database. */
export function openBell(url: string, channel: string): Bell {
  return new PostgresBell(url, channel);
}

class PostgresBell implements Bell {
  readonly #url: string;
  readonly #channel: string;
  readonly #listeners = new Map<string, () => void>();
  /** Whom to tell next: all that came together go as one. */
  readonly #told = new Set<string>();
  #isRinging = false;
  /** Null while there is no connection. */
  #client: Client | null = null;
  #isClosed = false;
  #connecting: Promise<void>;

  constructor(url: string, channel: string) {
    this.#url = url;
    this.#channel = channel;
    this.#connecting = this.#connect();
  }

  listen(process: string, onNews: () => void): Listening {
    this.#listeners.set(process, onNews);
    const isTold = (): boolean => this.#client !== null;
    return {
      get isTold() {
        return isTold();
      },
      stop: () => void this.#listeners.delete(process),
    };
  }

  ring(processes: readonly string[]): void {
    for (const process of processes) {
      const here = this.#listeners.get(process);
      if (here) here();
      else this.#told.add(process);
    }
    if (!this.#isRinging && this.#told.size > 0) void this.#ring();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connecting;
    await this.#client?.end();
  }

  // PG12: never within a commit.
  async #ring(): Promise<void> {
    this.#isRinging = true;
    while (this.#told.size > 0) {
      const processes = [...this.#told];
      this.#told.clear();
      const text = 'SELECT pg_notify($1, process) FROM unnest($2::text[]) AS process';
      // Whoever is not told looks by itself.
      await this.#client?.query(text, [this.#channel, processes]).catch(() => undefined);
    }
    this.#isRinging = false;
  }

  async #connect(): Promise<void> {
    const { Client: PgClient } = await loadClient();
    const client = new PgClient({ connectionString: this.#url, application_name: 'heddle bell', keepAlive: true });
    client.on('error', () => undefined); // it ends then
    client.on('end', () => this.#lose(client));
    client.on('notification', ({ payload }) => this.#listeners.get(payload ?? '')?.());
    try {
      await client.connect();
      await client.query(`LISTEN "${this.#channel}"`);
    } catch {
      await client.end().catch(() => undefined);
      return this.#connectAgain();
    }
    this.#client = client;
    for (const onNews of this.#listeners.values()) onNews(); // it may have missed some
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    this.#connectAgain();
  }

  #connectAgain(): void {
    if (this.#isClosed) return;
    setTimeout(() => {
      if (!this.#isClosed) this.#connecting = this.#connect();
    }, againMs).unref();
  }
}
