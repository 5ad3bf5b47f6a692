// Tally: what all rounds have come to: how often what went wrong, what was done in spite of it, and what was found wrong.

import type { Fate } from '../../packages/heddle/src/hosts/postgres/relay.testsuite.ts';
import type { Client } from '../kill/client.ts';
import { countUpkeep, isAcknowledged, wasDoneUnheard } from '../kill/ledger.ts';
import { type Fault, type Kind, kinds } from './faults.ts';

const violationsMost = 20;

export class Tally {
  readonly violations: string[] = [];
  /** How to get at them, by round. */
  readonly hints: string[] = [];
  faults = 0;
  rounds = 0;
  roundsWithPooler = 0;
  /** Processes. */
  opened = 0;
  /** Effects that happened again under the same key. */
  repeatedEffects = 0;
  eventsRead = 0;
  readonly #ofKind = new Map<Kind, number>(kinds.map((kind) => [kind, 0]));
  readonly #writesCut = { lost: 0, 'lost-answer': 0, late: 0 };
  #stoppedLong = 0;
  readonly #clients: Client[] = [];

  begin(client: Client): void {
    this.#clients.push(client);
  }

  struck(fault: Fault): void {
    this.faults++;
    this.#ofKind.set(fault.kind, (this.#ofKind.get(fault.kind) ?? 0) + 1);
    if (fault.kind === 'freeze' && fault.forMs > 10_000) this.#stoppedLong++;
  }

  cutWrite(fate: Fate): void {
    this.faults++;
    this.#writesCut[fate]++;
  }

  get isHopeless(): boolean {
    return this.violations.length >= violationsMost;
  }

  counts(): Readonly<Record<string, number>> {
    const entries = this.#clients.flatMap(({ ledger }) => ledger.entries);
    const { 'backups made': _made, 'backups cut off': _cut, ...upkeep } = countUpkeep(entries);
    const of = (kind: Kind): number => this.#ofKind.get(kind) ?? 0;
    return {
      faults: this.faults,
      'processes killed': of('kill'),
      'processes stopped': of('freeze'),
      'of them beyond the lease': this.#stoppedLong,
      'writes cut before they arrived': this.#writesCut.lost,
      'writes cut before their answer': this.#writesCut['lost-answer'],
      'writes that came late': this.#writesCut.late,
      'processes cut off': of('cut'),
      'rolling restarts': of('restart-all'),
      'databases killed': of('kill-database'),
      'databases stopped': of('stop-database'),
      rounds: this.rounds,
      'rounds with a pooler': this.roundsWithPooler,
      'processes opened': this.opened,
      runs: this.#clients.reduce((sum, { wanted }) => sum + wanted.length, 0),
      'operations sent': entries.reduce((sum, { sent }) => sum + sent, 0),
      'operations acknowledged': entries.filter(isAcknowledged).length,
      'operations done unheard': entries.filter(wasDoneUnheard).length,
      ...upkeep,
      'events read': this.eventsRead,
      'effects repeated': this.repeatedEffects,
    };
  }

  progress(): string {
    const counts = Object.entries(this.counts()).map(([name, count]) => `${count} ${name}`);
    return [`shared: ${counts.join(', ')}, ${this.violations.length} violations`, ...this.violations.slice(-1)].join(
      '\n',
    );
  }
}
