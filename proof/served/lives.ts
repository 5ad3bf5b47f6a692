// Lives: how long servers and workers live, and how they die, drawn from the dice.

import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { leaseMs } from './protocol.ts';

export interface ServerLife {
  /** It is killed this long after it was told to serve, if that is given; else this long after it serves. */
  readonly opensMs: number | null;
  readonly livesMs: number;
  /** Then it stands still for so long, if that is given. */
  readonly stopsMs: number | null;
  /** It is told to close, in place of being killed. */
  readonly closes: boolean;
}

export interface WorkerLife {
  readonly livesMs: number;
  /** Stopped for longer than its leases last, it goes on for a moment before it is killed. */
  readonly death: 'killed' | 'stopped' | 'closed';
}

export function drawServerLife(dice: Dice): ServerLife {
  if (dice.chance(1, 8)) return { opensMs: dice.draw(120), livesMs: 0, stopsMs: null, closes: false };
  return {
    opensMs: null,
    livesMs: dice.chance(1, 6) ? dice.between(500, 1_500) : dice.draw(350),
    stopsMs: dice.chance(1, 15) ? dice.between(50, leaseMs) : null,
    closes: dice.chance(1, 12),
  };
}

export function drawWorkerLife(dice: Dice): WorkerLife {
  const livesMs = dice.chance(1, 5) ? dice.between(2_500, 6_000) : dice.between(300, 2_500);
  return { livesMs, death: dice.pick(['killed', 'killed', 'killed', 'stopped', 'closed']) };
}
