// Check leases: what a process says of a shard, to whomever, leaves it only while its lease lasts, by the clock of the leases
// (I55); where nothing keeps it from one a shard has an owner within two lease lives, and one alone at rest (I56).

import { leaseMs } from '../../packages/heddle/src/fleet/ownership.ts';
import type { AnyFault, Faults } from '../../packages/heddle/src/simulation/faults.ts';
import type { LeasedAnswer } from '../../packages/heddle/src/simulation/shared-world.ts';
import type { Violation } from './violation.ts';

/** What may keep a shard without an owner: its process is not there, or stands still; the leases or its store do not answer. */
const excuses: readonly AnyFault[] = [
  'crash',
  'crash-before-commit',
  'crash-after-commit',
  'crash-in-recovery',
  'stands-still',
  'restart',
  'slow-engine',
  'lease-fails',
  'lost-lease',
  'late-lease',
  'store-fails',
  'commit-fails',
  'store-down',
  'slow-store',
  'lost-answer',
  'late-write',
];

/** The longest that one of them lasts: a standstill. */
const lastsMsMost = 25_000;

interface Look {
  /** Of each shard, how many processes believe to be its owner. */
  readonly owners: readonly number[];
  /** By the clock of the leases. */
  readonly at: number;
  readonly injected: Faults['injected'];
}

export class LeaseCheck {
  /** The first that was broken. */
  violation: Violation | null = null;
  #excuses = -1;
  #excusedAt = 0;

  /** Each answer as it leaves its process. */
  add({ shard, at, until, isOwner }: LeasedAnswer): void {
    if (at < until && isOwner) return;
    if (at < until)
      return this.#break(`Expected no answer of shard ${shard} from a process that does not own it, but one left`);
    this.#break(
      `Expected no answer of shard ${shard} from a process whose lease has ended, but one left ${at - until} ms after that`,
    );
  }

  /** Whenever time has passed. A process whose alarm was lost does not renew its lease any more: nothing is said of its world. */
  look({ owners, at, injected }: Look): void {
    const count = excuses.reduce((sum, fault) => sum + (injected.get(fault) ?? 0), 0);
    if (count !== this.#excuses) this.#excusedAt = at;
    this.#excuses = count;
    const forMs = at - this.#excusedAt;
    const shard = owners.indexOf(0);
    if (shard === -1 || injected.has('bad-alarms') || forMs <= lastsMsMost + 2 * leaseMs) return;
    const message = `Expected shard ${shard} to have an owner, but it has none, ${forMs} ms after the last thing that excuses it`;
    this.violation ??= { invariant: 'I56', runId: '', seq: 0, message };
  }

  #break(message: string): void {
    this.violation ??= { invariant: 'I55', runId: '', seq: 0, message };
  }
}

/** `owners`: of each shard, how many processes believe to be its owner. */
export function checkOwners(owners: readonly number[]): Violation | null {
  const shard = owners.findIndex((count) => count !== 1);
  if (shard === -1) return null;
  const message = `Expected one process to own shard ${shard}, but ${owners[shard]} do`;
  return { invariant: 'I56', runId: '', seq: 0, message };
}
