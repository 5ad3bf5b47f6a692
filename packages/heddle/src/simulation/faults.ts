// Faults: what can go wrong in a simulated world, and how often. Each world draws which of them it has: with few at a
// time, rare ones come together in ways that all at once would drown.

import { keysIn } from '../base/keys-in.ts';
import type { Dice } from './dice.ts';

/** Each with the faults of the reliability contract (FT…) that it stands for, and how likely it is, per thousand chances. */
export const faultTable = {
  /** The process dies between two steps. A chance at every step (FT3, FT4, FT27). */
  crash: 12,
  /** The process dies before a write. A chance at every write (FT1). */
  'crash-before-commit': 30,
  /** The process dies after a write, before anybody hears of it (FT2, FT3). */
  'crash-after-commit': 30,
  /** The process dies while it recovers. A chance at every call of the store until it is open (FT5). */
  'crash-in-recovery': 60,
  /** After a crash the old process continues, while a new one has its store (FT6, FT7). */
  zombie: 500,
  /** The store is busy, or its connection lost before the commit. A chance at every call (FT15, FT17). */
  'store-fails': 25,
  /** A write fails: the disk is full or broken (FT9, FT13). */
  'commit-fails': 60,
  /** The store is gone for seconds: every call fails. A chance at every call (FT9, FT15). */
  'store-down': 6,
  /** The store answers late, and calls overtake each other (FT23). */
  'slow-store': 300,
  /** A write, or the change of an epoch, is done, and its answer is lost (FT16). A chance at each, on a store with a fence. */
  'lost-answer': 60,
  /** A write whose connection is lost is done later, or never (FT16). A chance at each, on a store with a fence. */
  'late-write': 40,
  /** Runs leave memory between any two events; some are loaded from snapshots (FT19). */
  evictions: 1000,
  /** Few tasks at a time, few commands in a commit. */
  narrow: 1000,
  /** A worker takes far too long, and answers all the same. A chance at every task (FT22, FT28). */
  'slow-worker': 80,
  /** A worker fails by itself (FT27, FT29). */
  'failing-worker': 100,
  /** A worker answers with what is no JSON, or too much of it (FT25). */
  'garbled-result': 30,
  /** Clients send again what was answered. A chance at every answer (FT21, FT26). */
  duplicates: 300,
  /** The clock jumps, forwards or back. A chance at every step (FT32). */
  'clock-jumps': 2,
  /** Alarms are lost, come early, or come twice. A chance at every alarm (FT33). */
  'bad-alarms': 60,
  /** Time passes while work waits. A chance at every step. */
  'slow-engine': 60,
} as const;

export type Fault = keyof typeof faultTable;

export const allFaults = keysIn(faultTable);

export class Faults {
  /** How often each has been put in. */
  readonly injected = new Map<Fault, number>();
  readonly #dice: Dice;
  readonly #times: number;
  #enabled: ReadonlySet<Fault>;

  /** `times`: how much likelier than in the table each is. */
  constructor(dice: Dice, enabled: Iterable<Fault>, times = 1) {
    this.#dice = dice;
    this.#times = times;
    this.#enabled = new Set(enabled);
  }

  get enabled(): ReadonlySet<Fault> {
    return this.#enabled;
  }

  has(fault: Fault): boolean {
    return this.#enabled.has(fault);
  }

  /** Whether it happens now. */
  strikes(fault: Fault): boolean {
    if (!this.#enabled.has(fault) || !this.#dice.chance(Math.min(1000, this.#times * faultTable[fault]), 1000))
      return false;
    this.count(fault);
    return true;
  }

  count(fault: Fault): void {
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
  }

  /** From now on the world is kind. */
  stop(): void {
    this.#enabled = new Set();
  }
}

/** About a third of those that are allowed, now and then far fewer, and at least one. */
export function drawFaults(dice: Dice, allowed: readonly Fault[] = allFaults): Fault[] {
  const oneIn = dice.pick([3, 3, 3, 12]) ?? 3;
  const drawn = allowed.filter(() => dice.chance(1, oneIn));
  const one = dice.pick(allowed);
  return drawn.length > 0 || one === undefined ? drawn : [one];
}
