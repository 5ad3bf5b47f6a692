// Faults: what goes wrong next in a round, drawn from the dice.

import type { Fate } from '../../packages/heddle/src/hosts/postgres/relay.testsuite.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';

/** Of one of the processes, of its connections, or of what all have in common. */
export type Fault =
  | { readonly kind: 'kill'; readonly slot: number; readonly awayMs: number }
  | { readonly kind: 'freeze'; readonly slot: number; readonly forMs: number }
  | { readonly kind: 'write'; readonly slot: number; readonly fate: Fate }
  | { readonly kind: 'cut'; readonly slot: number }
  | { readonly kind: 'restart-all' }
  | { readonly kind: 'kill-database'; readonly awayMs: number }
  | { readonly kind: 'stop-database'; readonly awayMs: number };

export type Kind = Fault['kind'];

export const kinds: readonly Kind[] = [
  'kill',
  'freeze',
  'write',
  'cut',
  'restart-all',
  'kill-database',
  'stop-database',
];

const fates: readonly [Fate, ...Fate[]] = ['lost', 'lost', 'lost-answer', 'lost-answer', 'late'];

/** In how many faults there is one of its kind; what is left are writes. */
const oneIn = { kill: 25, freeze: 40, cut: 10, restartAll: 80, killDatabase: 50, stopDatabase: 80 };
/** Longer than a lease lasts. */
const beyondLeaseMs = [10_500, 13_000] as const;

export interface Drawing {
  readonly dice: Dice;
  readonly slots: number;
  /** Whether the database dies, too. */
  readonly isDatabaseMortal: boolean;
  /** The longest that it is away. */
  readonly awayMsMost: number;
}

export function drawFault({ dice, slots, isDatabaseMortal, awayMsMost }: Drawing): Fault {
  const slot = dice.draw(slots);
  if (isDatabaseMortal && dice.chance(1, oneIn.killDatabase))
    return { kind: 'kill-database', awayMs: dice.draw(2_000) };
  if (isDatabaseMortal && dice.chance(1, oneIn.stopDatabase))
    return { kind: 'stop-database', awayMs: dice.draw(awayMsMost) };
  if (dice.chance(1, oneIn.restartAll)) return { kind: 'restart-all' };
  if (dice.chance(1, oneIn.kill)) return { kind: 'kill', slot, awayMs: dice.pick([0, 0, dice.draw(12_000)]) };
  if (dice.chance(1, oneIn.freeze)) {
    const isShort = dice.chance(1, 3);
    return { kind: 'freeze', slot, forMs: isShort ? dice.draw(2_000) : dice.between(...beyondLeaseMs) };
  }
  if (dice.chance(1, oneIn.cut)) return { kind: 'cut', slot };
  return { kind: 'write', slot, fate: dice.pick(fates) };
}
