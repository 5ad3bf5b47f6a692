// Check epochs: of each store with a fence one epoch commits at a time, that of its owner, and none that is over (I44).

import type { CommitPlace } from '../../packages/heddle/src/simulation/world.ts';
import type { Violation } from './violation.ts';

type Holder = NonNullable<CommitPlace['holder']>;

export class EpochCheck {
  /** The newest write of each shard. */
  readonly #newest = new Map<number, Holder>();

  /** After each commit, in order. */
  add({ shard, stamp, holder }: CommitPlace): Violation | null {
    if (stamp === null || holder === null) return null;
    const newest = this.#newest.get(shard) ?? stamp;
    this.#newest.set(shard, stamp);
    const other = isAfter(stamp, newest) ? holder : newest;
    const isIn = isAfter(stamp, newest) && stamp.owner === holder.owner && stamp.epoch === holder.epoch;
    if (isIn) return null;
    const message = `Expected no write of epoch ${stamp.epoch} by ${stamp.owner} in shard ${shard} after epoch ${other.epoch} of ${other.owner} began, but there is one`;
    return { invariant: 'I44', runId: '', seq: 0, message };
  }
}

const isAfter = (one: Holder, other: Holder): boolean =>
  one.epoch > other.epoch || (one.epoch === other.epoch && one.owner === other.owner);
