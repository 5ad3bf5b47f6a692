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

/** What can go wrong between the shards of a fleet (FT16, FT21, FT23). A chance at every call of one to another. */
export const wireFaultTable = {
  /** It does not arrive. */
  'lost-call': 60,
  /** It is done, and its answer is lost. */
  'lost-reply': 60,
  /** It arrives once more, later. */
  'doubled-call': 60,
  /** It is late, and overtaken by others; so is its answer. */
  'late-call': 300,
} as const;

export type WireFault = keyof typeof wireFaultTable;

export const wireFaults = keysIn(wireFaultTable);

/** What can go wrong among processes that share a fleet (FT6, FT7, FT16). */
export const processFaultTable = {
  /** A process stands still for longer than its lease, and continues. A chance at every step. */
  'stands-still': 3,
  /** A process is closed and started again. A chance at every step. */
  restart: 4,
  /** The leases cannot be reached, now or for longer than a lease. A chance at every call. */
  'lease-fails': 40,
  /** A lease is renewed, a shard claimed or released, and the answer is lost. A chance at every call. */
  'lost-lease': 100,
  /** The leases are asked late, or answer late. A chance at each. */
  'late-lease': 80,
} as const;

export type ProcessFault = keyof typeof processFaultTable;

export const processFaults = keysIn(processFaultTable);

export type AnyFault = Fault | WireFault | ProcessFault;

const chances: Readonly<Record<AnyFault, number>> = { ...faultTable, ...wireFaultTable, ...processFaultTable };

export class Faults {
  /** How often each has been put in. */
  readonly injected = new Map<AnyFault, number>();
  readonly #dice: Dice;
  readonly #times: number;
  #enabled: ReadonlySet<AnyFault>;

  /** `times`: how much likelier than in the table each is. */
  constructor(dice: Dice, enabled: Iterable<AnyFault>, times = 1) {
    this.#dice = dice;
    this.#times = times;
    this.#enabled = new Set(enabled);
  }

  get enabled(): ReadonlySet<AnyFault> {
    return this.#enabled;
  }

  has(fault: AnyFault): boolean {
    return this.#enabled.has(fault);
  }

  /** Whether it happens now. */
  strikes(fault: AnyFault): boolean {
    if (!this.#enabled.has(fault) || !this.#dice.chance(Math.min(1000, this.#times * chances[fault]), 1000))
      return false;
    this.count(fault);
    return true;
  }

  count(fault: AnyFault): void {
    this.injected.set(fault, (this.injected.get(fault) ?? 0) + 1);
  }

  /** From now on the world is kind. */
  stop(): void {
    this.#enabled = new Set();
  }
}

/** About a third of those that are allowed, now and then far fewer, and at least one. */
export function drawFaults(dice: Dice): Fault[];
export function drawFaults<F extends AnyFault>(dice: Dice, allowed: readonly F[]): F[];
export function drawFaults(dice: Dice, allowed: readonly AnyFault[] = allFaults): AnyFault[] {
  const oneIn = dice.pick([3, 3, 3, 12]) ?? 3;
  const drawn = allowed.filter(() => dice.chance(1, oneIn));
  const one = dice.pick(allowed);
  return drawn.length > 0 || one === undefined ? drawn : [one];
}
