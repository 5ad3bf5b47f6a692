// Run placement: which shard of a fleet something belongs to in which every root run has one of its own. Their numbers are drawn
// from so many that no two runs share one, but for a chance that does no harm: an engine has room for several.
//
// Always true: what is not a run's is at home.

import { sha256Hex } from '../../base/hash.ts';
import { homeShard, Placement } from './placement.ts';

/** How many such a fleet is said to have. */
export const shardPerRun = Number.MAX_SAFE_INTEGER;

/** As many hexadecimal digits as fit into a number that is exact. */
const digits = 13;

// SH18: a shard for every run that no other has called.
export class RunPlacement extends Placement {
  constructor(own: number) {
    super(own, shardPerRun);
  }

  override get isPerRun(): boolean {
    return true;
  }

  /** Starts under one key meet in the shard of that key; whatever else is named by callers meets at home. */
  protected override place(kind: string, scope = '', ...rest: readonly string[]): number {
    const isStart = kind === 'key' && scope !== 'retry';
    if (!isStart) return homeShard;
    return 1 + Number.parseInt(sha256Hex(JSON.stringify([kind, scope, ...rest])).slice(0, digits), 16);
  }
}

/** Of a run without a key. */
export function drawShard(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return 1 + (high >>> 12) * 2 ** 32 + low; // 52 bits
}
