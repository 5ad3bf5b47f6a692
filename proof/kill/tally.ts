// Tally: what all rounds have come to: how many died where, what was done in spite of it, and what was found wrong.
//
// Always true: what a long run must have come to at least once is counted from 0 on, so that a gap shows.

import type { Client } from './client.ts';
import { allPoints, fleetPointNames, type Point, pointNames } from './death.ts';
import { countUpkeep, isAcknowledged, wasDoneUnheard } from './ledger.ts';
import type { Life, Overlap } from './lives.ts';
import type { Watch } from './watch.ts';

const recentMost = 12;
const violationsMost = 20;

interface Victim {
  readonly isFleet: boolean;
  readonly hasThreads: boolean;
}

export class Tally {
  kills = 0;
  readonly violations: string[] = [];
  /** How to get at them, by round. */
  readonly hints: string[] = [];
  /** What happened last, for whoever reads of a violation. */
  readonly recent: string[] = [];
  /** Effects that happened again under the same key. */
  repeatedEffects = 0;
  readonly #atPoints = new Map<Point, number>(pointNames.map((point) => [point, 0]));
  /** Second processes that waited for the first one's death, or were refused; and first ones that were stopped. */
  #waited = 0;
  #refused = 0;
  #stopped = 0;
  readonly #clients: Client[] = [];
  /** Null: there was none. */
  #killsOfFleets: number | null = null;
  #killsOfThreads = 0;
  /** Copies of which somebody went on. */
  continued = 0;

  begin(client: Client, isFleet: boolean): void {
    this.#clients.push(client);
    if (isFleet) for (const point of fleetPointNames) this.#atPoints.set(point, this.#atPoints.get(point) ?? 0);
    this.recent.length = 0;
  }

  killed({ dying }: Life, { isAtPoint, isPastPoint }: Watch, { isFleet, hasThreads }: Victim): void {
    this.kills++;
    if (hasThreads) this.#killsOfThreads++;
    if (isFleet) this.#killsOfFleets = (this.#killsOfFleets ?? 0) + 1;
    if (dying !== null && isAtPoint && !isPastPoint)
      this.#atPoints.set(dying.point, (this.#atPoints.get(dying.point) ?? 0) + 1);
  }

  overlapped({ isStopped, second }: Overlap): void {
    if (isStopped) this.#stopped++;
    if (second === 'waits') this.#waited++;
    if (second === 'refused') this.#refused++;
  }

  tell(what: string): void {
    this.recent.push(what);
    if (this.recent.length > recentMost) this.recent.shift();
  }

  counts(): Readonly<Record<string, number>> {
    const entries = this.#clients.flatMap(({ ledger }) => ledger.entries);
    return {
      kills: this.kills,
      ...(this.#killsOfFleets === null
        ? {}
        : { 'kills of fleets': this.#killsOfFleets, 'of them with threads': this.#killsOfThreads }),
      'kills at named points': [...this.#atPoints.values()].reduce((sum, count) => sum + count, 0),
      'named points': [...this.#atPoints.values()].filter((count) => count > 0).length,
      'second processes that waited': this.#waited,
      'second processes refused': this.#refused,
      'processes stopped': this.#stopped,
      runs: this.#clients.reduce((sum, { wanted }) => sum + wanted.length, 0),
      'operations sent': entries.reduce((sum, { sent }) => sum + sent, 0),
      'operations acknowledged': entries.filter(isAcknowledged).length,
      'operations done unheard': entries.filter(wasDoneUnheard).length,
      ...countUpkeep(entries),
      'backups continued': this.continued,
      'effects repeated': this.repeatedEffects,
    };
  }

  /** More of the same would tell nothing new. */
  get isHopeless(): boolean {
    return this.violations.length >= violationsMost;
  }

  /** What should have happened, and never did. */
  get missing(): readonly string[] {
    const unreached = [...this.#atPoints].flatMap(([point, count]) => (count === 0 ? `kill ${allPoints[point]}` : []));
    const uncounted = Object.entries(this.counts()).filter(([, count]) => count === 0);
    return [...unreached, ...uncounted.map(([name]) => name)];
  }

  progress(): string {
    const counts = Object.entries(this.counts()).map(([name, count]) => `${count} ${name}`);
    return `kill: ${counts.join(', ')}, ${this.violations.length} violations`;
  }

  /** How many died where. */
  perPoint(): string {
    return [...this.#atPoints].map(([point, count]) => `${count} ${point}`).join(', ');
  }
}
