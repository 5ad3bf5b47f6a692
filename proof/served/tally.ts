// Tally: what all rounds have come to: who died how often, what was done in spite of it, and what was found wrong.

import type { Client } from '../kill/client.ts';
import { countUpkeep, isAcknowledged, wasDoneUnheard } from '../kill/ledger.ts';
import type { WorkCounts } from './check-work.ts';

const violationsMost = 20;

export class Tally {
  /** Of servers and workers. */
  kills = 0;
  workersKilled = 0;
  /** Servers that were told to serve. */
  servers = 0;
  stopped = 0;
  /** Told to, and did. */
  closed = 0;
  readonly violations: string[] = [];
  /** How to get at them, by round. */
  readonly hints: string[] = [];
  readonly #clients: Client[] = [];
  readonly #work = { leases: 0, lost: 0, refused: 0, repeated: 0, again: 0 };
  #streamed = 0;
  #returns = 0;

  begin(client: Client): void {
    this.#clients.push(client);
  }

  worked(counts: WorkCounts): void {
    for (const name of Object.keys(this.#work) as (keyof WorkCounts)[]) this.#work[name] += counts[name];
  }

  streamed(events: number, returns: number): void {
    this.#streamed += events;
    this.#returns += returns;
  }

  counts(): Readonly<Record<string, number>> {
    const entries = this.#clients.flatMap(({ ledger }) => ledger.entries);
    const { leases, lost, refused, repeated, again } = this.#work;
    return {
      kills: this.kills,
      'workers killed': this.workersKilled,
      runs: this.#clients.reduce((sum, { wanted }) => sum + wanted.length, 0),
      'operations acknowledged': entries.filter(isAcknowledged).length,
      'operations sent': entries.reduce((sum, { sent }) => sum + sent, 0),
      'operations done unheard': entries.filter(wasDoneUnheard).length,
      ...countUpkeep(entries),
      'processes stopped': this.stopped,
      'processes closed': this.closed,
      leases,
      'hand-outs lost': lost,
      'results of lost leases refused': refused,
      'results reported again': again,
      'effects repeated': repeated,
      'events streamed': this.#streamed,
      'streams resumed': this.#returns,
    };
  }

  /** What a long run must have come to at least once, and never did. */
  get missing(): readonly string[] {
    return Object.entries(this.counts()).flatMap(([name, count]) => (count === 0 ? [name] : []));
  }

  /** More of the same would tell nothing new. */
  get isHopeless(): boolean {
    return this.violations.length >= violationsMost;
  }

  progress(): string {
    return `served: ${this.kills} kills, ${this.servers} servers, ${this.violations.length} violations`;
  }
}
