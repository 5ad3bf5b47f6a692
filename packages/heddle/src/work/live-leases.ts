// Live leases: the leases that are alive, and the records of those that are not any more, until they are removed.
//
// Always true: of one token at most one lease is alive, that of its newest hand-out; every lease that is alive has an
// alarm; every record belongs to a lease that is alive or is about to be removed.

import type { Clock, RecordWrite } from '../actor/ports.ts';
import type { HandOut } from '../core/commands.ts';
import { type Lease, type LeaseName, leaseKey, leaseKind, parseName } from './lease.ts';

export interface LiveLeasesOptions {
  readonly clock: Clock;
  /** Its time is up, or its attempt's. */
  readonly onDue: (lease: Lease) => void;
  /** Many records are to be removed. */
  readonly onManyStale: () => void;
}

const manyStale = 1_000;

export class LiveLeases {
  readonly #options: LiveLeasesOptions;
  /** By run and token. */
  readonly #leases = new Map<string, Map<number, Lease>>();
  readonly #byAction = new Map<string, number>();
  readonly #byWorker = new Map<string, number>();
  /** Keys of records that nobody needs. */
  readonly #stale = new Set<string>();
  /** By key, the hand-out of leases that are over although their runs have not heard of it yet: their records stay. */
  readonly #lapsed = new Map<string, number>();
  #size = 0;

  constructor(options: LiveLeasesOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  countOfAction(action: string): number {
    return this.#byAction.get(action) ?? 0;
  }

  countOfWorker(worker: string): number {
    return this.#byWorker.get(worker) ?? 0;
  }

  actions(): Iterable<string> {
    return this.#byAction.keys();
  }

  find(runId: string, tokenId: number): Lease | null {
    return this.#leases.get(runId)?.get(tokenId) ?? null;
  }

  isAlive(lease: Lease): boolean {
    return this.find(lease.runId, lease.tokenId) === lease;
  }

  /** The hand-outs of a run that somebody has. */
  heldOf(runId: string): readonly HandOut[] {
    const held = [...(this.#leases.get(runId)?.values() ?? [])].filter(({ isDoubtful }) => !isDoubtful);
    return held.map(({ tokenId, dispatch }) => ({ token: tokenId, dispatch }));
  }

  /** The token has no other that is alive. */
  add(lease: Lease): void {
    const { runId, tokenId, facts } = lease;
    const ofRun = this.#leases.get(runId);
    if (ofRun === undefined) this.#leases.set(runId, new Map([[tokenId, lease]]));
    else ofRun.set(tokenId, lease);
    this.#stale.delete(lease.key);
    this.#count(facts, 1);
    this.arm(lease);
  }

  /** Its run knows that it is over: its record is removed at some time. One that is not alive stays as it is. */
  drop(lease: Lease): void {
    if (this.#end(lease)) this.forgetRecord(lease.key);
  }

  /** It is over, and its run does not know yet: until `settle`, nobody may take its hand-out for one that nobody had. */
  lapse(lease: Lease): void {
    this.#end(lease);
    this.#lapsed.set(lease.key, lease.dispatch);
  }

  /** Its run knows now. */
  settle({ key, dispatch, runId, tokenId }: Lease): void {
    if (this.#lapsed.get(key) === dispatch) this.#lapsed.delete(key);
    if (!this.#isNeeded({ key, runId, tokenId })) this.forgetRecord(key);
  }

  /** Whether nobody has this hand-out, the newest of its token, and nobody ever had; leases of earlier ones do not count. */
  isUnclaimed(handOut: LeaseName): boolean {
    const { runId, tokenId, dispatch } = handOut;
    const lease = this.find(runId, tokenId);
    const held = lease === null || lease.isDoubtful ? 0 : lease.dispatch;
    const lapsed = this.#lapsed.get(leaseKey(handOut)) ?? 0;
    return held < dispatch && lapsed < dispatch;
  }

  /** A newer hand-out tells that its run knows of all that were before. */
  overtake(name: Pick<Lease, 'runId' | 'tokenId' | 'dispatch'>): void {
    if (this.#lapsed.size === 0) return;
    const key = leaseKey(name);
    const lapsed = this.#lapsed.get(key);
    if (lapsed === undefined || lapsed >= name.dispatch) return;
    this.#lapsed.delete(key);
    this.forgetRecord(key);
  }

  /** Whether it was alive. */
  #end(lease: Lease): boolean {
    if (!this.isAlive(lease)) return false;
    const { runId, tokenId, facts } = lease;
    lease.cancelAlarm?.();
    const ofRun = this.#leases.get(runId);
    ofRun?.delete(tokenId);
    if (ofRun?.size === 0) this.#leases.delete(runId);
    this.#count(facts, -1);
    return true;
  }

  /** An alarm that comes too early finds that out; it is moved only if it would come too late. */
  arm(lease: Lease): void {
    const { dueAt } = lease;
    if (lease.alarmAt <= dueAt) return;
    this.disarm(lease);
    lease.alarmAt = dueAt;
    lease.cancelAlarm = this.#options.clock.wakeAt(dueAt, () => this.#wake(lease));
  }

  disarm(lease: Lease): void {
    lease.cancelAlarm?.();
    lease.cancelAlarm = null;
    lease.alarmAt = Infinity;
  }

  #wake(lease: Lease): void {
    this.disarm(lease);
    if (!this.isAlive(lease)) return;
    if (this.#options.clock.now() >= lease.dueAt) this.#options.onDue(lease);
    else this.arm(lease);
  }

  /** By a lease that is alive, or one whose end its run has not heard of. */
  #isNeeded({ key, runId, tokenId }: Pick<Lease, 'key' | 'runId' | 'tokenId'>): boolean {
    return this.find(runId, tokenId) !== null || this.#lapsed.has(key);
  }

  /** A record that no lease needs. */
  forgetRecord(key: string): void {
    this.#stale.add(key);
    if (this.#stale.size === manyStale) this.#options.onManyStale();
  }

  /** What removes the records that nobody needs: to be committed with whatever comes next. */
  takeRemovals(): RecordWrite[] {
    const removals = Array.from(this.#stale, (key) => ({ kind: leaseKind, key, value: null, dueAt: null }));
    this.#stale.clear();
    return removals;
  }

  /** They could not be removed; some may be needed again meanwhile. */
  putBackRemovals(removals: readonly RecordWrite[]): void {
    for (const { key } of removals) {
      if (!this.#isNeeded({ key, ...parseName(key) })) this.forgetRecord(key);
    }
  }

  /** No alarm rings any more; the records stay for the next engine. */
  close(): void {
    for (const ofRun of this.#leases.values()) for (const lease of ofRun.values()) lease.cancelAlarm?.();
  }

  #count({ action, worker }: Lease['facts'], change: 1 | -1): void {
    this.#size += change;
    add(this.#byAction, action, change);
    if (worker !== null) add(this.#byWorker, worker, change);
  }
}

function add(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
