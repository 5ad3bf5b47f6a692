// Damages: all that can be done to a definition, and one of it by chance.

import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import type { Damage, Maker } from './damage.ts';
import {
  badName,
  emptied,
  lacking,
  lostReference,
  outOfRange,
  repeatedId,
  secondAlternative,
  twiceWritten,
  unknownField,
  wrongType,
  wrongWord,
} from './shape-damages.ts';
import type { Site } from './sites.ts';
import { badCondition, badExpression, badKey, badPath, badSchema, noJson, tooDeep } from './text-damages.ts';

const makers: readonly [Maker, ...Maker[]] = [
  wrongType,
  lacking,
  unknownField,
  twiceWritten,
  outOfRange,
  wrongWord,
  badName,
  badExpression,
  badCondition,
  badPath,
  badKey,
  badSchema,
  lostReference,
  repeatedId,
  emptied,
  secondAlternative,
  noJson,
  tooDeep,
];

/** Some damage at a place: of all kinds that can be done there each is as likely. Null if what was drawn is none. */
export function drawDamage(site: Site, dice: Dice): Damage | null {
  const first = dice.draw(makers.length);
  for (let tries = 0; tries < makers.length; tries++) {
    const made = makers[(first + 5 * tries) % makers.length]?.(site, dice) ?? null; // 5 and their number have no divisor
    if (made !== null) return made;
  }
  return null;
}
