// Check leases: what a process says of a shard, to whomever, leaves it only while its lease lasts, by the clock of the leases
// (I55); and once nothing goes wrong every shard has one owner (I56).

import type { LeasedAnswer } from '../../packages/heddle/src/simulation/shared-world.ts';
import type { Violation } from './violation.ts';

export class LeaseCheck {
  /** The first that was broken. */
  violation: Violation | null = null;

  /** Each answer as it leaves its process. */
  add({ shard, at, until, isOwner }: LeasedAnswer): void {
    if (at < until && isOwner) return;
    if (at < until)
      return this.#break(`Expected no answer of shard ${shard} from a process that does not own it, but one left`);
    this.#break(
      `Expected no answer of shard ${shard} from a process whose lease has ended, but one left ${at - until} ms after that`,
    );
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
