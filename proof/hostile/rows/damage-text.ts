// Damage text: a JSON text of the engine's own, cut off, with a character changed, or with another value in its place or
// somewhere inside it.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { replaced } from '../definitions/sites.ts';

const others: readonly [string, ...string[]] = [
  '',
  'null',
  '[]',
  '{}',
  '5',
  '"x"',
  'true',
  '[null]',
  '{"type":"zzz"}',
  '\u0000',
  '{"__proto__":{"polluted":true}}',
];
const samples: readonly [Json, ...Json[]] = [null, true, -1, 1e300, '', 'zzz', [], {}, ['a'], { constructor: 1 }];

/** So that it is JSON no more. */
export function tearText(text: string, dice: Dice): string {
  const made = dice.pick([cut, changeCharacter])(text, dice);
  return isJson(made) ? `${made} x` : made;
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** Never the same text. */
export function damageText(text: string, dice: Dice): string {
  const made = dice.pick([cut, changeCharacter, replaceWhole, replaceMember, removeMember])(text, dice);
  return made === text ? `${text} x` : made;
}

function cut(text: string, dice: Dice): string {
  return text.slice(0, dice.draw(text.length));
}

function changeCharacter(text: string, dice: Dice): string {
  const at = dice.draw(text.length);
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << dice.draw(7))) + text.slice(at + 1);
}

function replaceWhole(_: string, dice: Dice): string {
  return dice.pick(others);
}

function replaceMember(text: string, dice: Dice): string {
  return JSON.stringify(replaced(parse(text), drawPath(parse(text), dice), dice.pick(samples)));
}

function removeMember(text: string, dice: Dice): string {
  return JSON.stringify(replaced(parse(text), drawPath(parse(text), dice), undefined) ?? null);
}

const parse = (text: string): Json => JSON.parse(text) as Json;

function drawPath(root: Json, dice: Dice): (string | number)[] {
  const path: (string | number)[] = [];
  let here: Json | undefined = root;
  while (typeof here === 'object' && here !== null) {
    const key: string | undefined = dice.pick(Object.keys(here));
    if (key === undefined || (path.length > 0 && dice.chance(1, 4))) break;
    path.push(Array.isArray(here) ? Number(key) : key);
    here = (here as Readonly<Record<string, Json>>)[key];
  }
  return path;
}
