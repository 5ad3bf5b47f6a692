// Order: a value that fits a schema, and all that can be wrong with one of its members, with the place that must be named.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Path, pointerOf, replaced } from '../definitions/sites.ts';

interface Damaged {
  readonly order: Json;
  readonly what: string;
  readonly pointer: string;
}

/** The flaws of a member: what it may be instead, or `undefined` for gone; and the place that is named, if it is another. */
type Flaw = readonly [path: Path, value: Json | undefined, pointer?: string];

const flaws: readonly Flaw[] = [
  [['id'], undefined, ''],
  [['id'], null],
  [['id'], 5],
  [['id'], {}],
  [['id'], ''],
  [['id'], 'A-1'],
  [['id'], 'a-1\n'],
  [['id'], `a-${'1'.repeat(1_000)}x`],
  [['total'], -0.5],
  [['total'], 1_000.5],
  [['total'], '5'],
  [['total'], null],
  [['state'], 'old'],
  [['state'], ['new']],
  [['state'], 'constructor'],
  [['constructor'], 1],
  [['constructor'], { prototype: {} }],
  [['lines'], undefined, ''],
  [['lines'], {}],
  [['lines'], []],
  [['lines'], 'x'],
  [['lines', 0], null],
  [['lines', 0], []],
  [['lines', 0, 'a/b'], undefined, '/lines/0'],
  [['lines', 0, 'a/b'], 1.5],
  [['lines', 0, 'a/b'], '1'],
  [['lines', 1, 'a/b'], [1]],
  [['lines', 1, 'n~m'], 'longer'],
  [['lines', 1, 'n~m'], false],
  [['more'], 1],
  [['toString'], 1],
  [['prototype'], {}],
  [[''], null],
  [['\u0000'], 'x'],
];

export function damageOrder(dice: Dice): Damaged {
  const order: Json = {
    id: 'order-17',
    total: dice.draw(1_000),
    state: dice.pick(['new', 'paid']),
    lines: [{ 'a/b': 1, 'n~m': null, free: {} }, { 'a/b': 2 }],
    ...(dice.chance(1, 2) ? { constructor: true } : {}),
  };
  const [path, value, pointer] = dice.pick(flaws) ?? [['id'], null];
  const what =
    value === undefined ? `without ${pointerOf(path)}` : `${JSON.stringify(value).slice(0, 40)} at ${pointerOf(path)}`;
  return { order: replaced(order, path, value) as Json, what, pointer: pointer ?? pointerOf(path) };
}
