// Text damages: expressions, conditions, paths and JSON Schemas that cannot be, and values that are no JSON at all.

import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { deepValues, hostileValues } from '../values/hostile-values.ts';
import { badConditions, badExpressions, badNames, badPaths, badSchemas, scopeNames } from './bad-texts.ts';
import { type Damage, damage } from './damage.ts';
import { pointerOf, type Site } from './sites.ts';
import { isObject, isOfKind } from './takes.ts';

export function badExpression({ takes, couldTake, path }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'expression' && takes.type !== 'condition') return null;
  const foreign = scopeNames.filter((name) => !takes.reads.includes(name)).map((name) => `${name}.x`);
  const value = dice.pick([...badExpressions, ...foreign]) ?? '(';
  const codes = ['EXPRESSION_SYNTAX', 'EXPRESSION_UNKNOWN_NAME', 'EXPRESSION_LIMIT', 'EXPRESSION_FORBIDDEN'];
  if (!isOfKind(couldTake, value)) return null;
  return damage({ what: `bad expression ${JSON.stringify(value.slice(0, 60))}`, path, value, codes, level: 'text' });
}

export function badCondition({ takes, path }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'condition') return null;
  const [value, below] = dice.pick(badConditions) ?? [{}, ''];
  const pointer = `${pointerOf(path)}${below}`;
  const what = `bad condition ${JSON.stringify(value)}`;
  return damage({ what, path, value, codes: ['INVALID_CONDITION'], pointer, level: 'text' });
}

export function badPath({ takes, path }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'path') return null;
  const value = dice.pick(badPaths[takes.of]) ?? '';
  const what = `bad path ${JSON.stringify(value.slice(0, 60))}`;
  return damage({ what, path, value, codes: ['INVALID_TARGET'], level: 'text' });
}

/** The key of a mapping. */
export function badKey({ takes, path, value }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'map' || takes.keys === 'free' || !isObject(value)) return null;
  const key = dice.pick(takes.keys === 'port' ? badNames.id : badPaths[takes.keys]) ?? '';
  if (key === '__proto__') return null; // no JSON
  const codes = takes.keys === 'port' ? ['INVALID_NAME'] : ['INVALID_TARGET'];
  const made = dice.pick(Object.values(value)) ?? '1';
  return damage({ what: `bad key ${JSON.stringify(key)}`, path: [...path, key], value: made, codes, level: 'text' });
}

export function badSchema({ takes, path }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'schema') return null;
  const [value, below, code] = dice.pick(badSchemas) ?? [{ type: 5 }, '/type', 'INVALID_SCHEMA'];
  const what = `bad schema ${JSON.stringify(value).slice(0, 80)}`;
  return damage({ what, path, value, codes: [code], pointer: `${pointerOf(path)}${below}`, level: 'text' });
}

export function noJson({ path }: Site, dice: Dice): Damage | null {
  const { what, make, below, code } = dice.pick(hostileValues) ?? raise();
  return damage({ what, path, value: make(), codes: [code], pointer: `${pointerOf(path)}${below}`, level: 'alone' });
}

/** As `jsonDepthMax` says, if nobody says otherwise. */
const depthMax = 200;

export function tooDeep({ path }: Site, dice: Dice): Damage | null {
  const { what, make, step } = dice.pick(deepValues) ?? raise();
  const pointer = `${pointerOf(path)}${step.repeat(depthMax - path.length)}`;
  return damage({ what, path, value: make(), codes: ['TOO_DEEP'], pointer, level: 'alone' });
}

function raise(): never {
  throw new Error('Expected a list that is not empty');
}
