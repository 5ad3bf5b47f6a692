// Shape damages: values of the wrong kind, fields that are missing, unknown or there twice, numbers out of range, words and
// names that cannot be, references that lead nowhere.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { badNames } from './bad-texts.ts';
import { type Damage, damage, isUnnamedHandle } from './damage.ts';
import { pointerOf, type Site } from './sites.ts';
import { fieldsOf, isObject, isOfKind } from './takes.ts';

const samples: readonly [Json, ...Json[]] = [
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  '',
  'text',
  [],
  {},
  ['a'],
  [{}],
  { a: 1 },
];

export function wrongType(site: Site, dice: Dice): Damage | null {
  const value = dice.pick(samples);
  if (isOfKind(site.couldTake, value) || isUnnamedHandle(site, value)) return null;
  const codes = isDialect(site) ? ['UNKNOWN_DIALECT'] : isNodeType(site) ? ['UNKNOWN_VALUE'] : ['WRONG_TYPE'];
  return damage({ what: `wrong type: ${JSON.stringify(value)}`, path: site.path, value, codes, level: levelOf(site) });
}

const isDialect = ({ path }: Site): boolean => path.length === 1 && path[0] === 'dialect';
/** The word that the other fields of its object depend on. */
const isNodeType = ({ path, parent }: Site): boolean =>
  parent?.takes.type === 'object' && parent.takes.byWord !== null && parent.takes.byWord.field === path.at(-1);
/** What stands for all the rest is told alone. */
const levelOf = (site: Site): Damage['level'] =>
  site.path.length === 0 || isDialect(site) || isNodeType(site) ? 'alone' : 'shape';

export function lacking(site: Site, dice: Dice): Damage | null {
  const { takes, value, path } = site;
  if (takes.type !== 'object' || !isObject(value)) return null;
  const fields = fieldsOf(takes, value);
  const needed = Object.keys(value).filter((key) => {
    const field = fields.get(key);
    return field !== undefined && (field.isRequired || takes.oneOf.includes(field.name));
  });
  const key = dice.pick(needed);
  if (key === undefined) return null;
  const isSelf = path.length === 0 && key === 'dialect';
  const looksDrawn = /"(viewport|position|sourceHandle|targetHandle)":/.test(JSON.stringify(value));
  if (isSelf && (looksDrawn || !('edges' in value))) return null; // then it is another dialect, or a drawn graph
  const codes = isSelf ? ['DIALECT_MISSING'] : ['MISSING_FIELD'];
  const level = isSelf || takes.byWord?.field === key ? 'alone' : 'shape';
  return damage({
    what: `without ${key}`,
    path: [...path, key],
    value: undefined,
    codes,
    pointer: pointerOf(path),
    level,
  });
}

const strangers: readonly [string, ...string[]] = [
  'zzz',
  'idd',
  'Id',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  '',
  ' ',
  'a/b',
  '~1',
  '0',
  '\u0000',
  '\ud800',
  'nodes.0',
  'x'.repeat(5_000),
];

export function unknownField(site: Site, dice: Dice): Damage | null {
  const { takes, value, path } = site;
  if (takes.type !== 'object' || !isObject(value)) return null;
  const key = dice.pick(strangers);
  if (fieldsOf(takes, value).has(key)) return null;
  const codes = ['UNKNOWN_FIELD'];
  return damage({ what: `unknown field ${key.slice(0, 20)}`, path: [...path, key], value: dice.pick(samples), codes });
}

/** Under two of its names; the later one is told of. */
export function twiceWritten(site: Site, dice: Dice): Damage | null {
  const { field, path, value, parent } = site;
  if (field === null || !isObject(parent?.value) || isUnnamedHandle(site, value)) return null;
  const other = dice.pick(field.spellings.filter((key) => key !== path.at(-1)));
  if (other === undefined) return null;
  const twin = [...path.slice(0, -1), other];
  const what = `${String(path.at(-1))} again as ${other}`;
  return damage({ what, path: twin, value, codes: ['DUPLICATE_FIELD'], level: 'alone' });
}

export function outOfRange({ takes, path }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'number') return null;
  const { isWhole, from, to } = takes;
  const isBelow = dice.chance(1, 2) && from > Number.MIN_SAFE_INTEGER;
  const value = isBelow ? dice.pick([from - 1, from - 1e6, -1e300]) : dice.pick([to * 2 + 1, 1e300]);
  const isRight = value >= from && value <= to;
  if (isRight || (isWhole && !Number.isInteger(value))) return null;
  const codes = isBelow || !Number.isSafeInteger(value) ? ['OUT_OF_RANGE', takes.above] : [takes.above];
  return damage({ what: `out of range: ${value}`, path, value, codes });
}

export function wrongWord(site: Site, dice: Dice): Damage | null {
  const { takes, couldTake, path } = site;
  if (takes.type !== 'word' || couldTake.type === 'either') return null;
  const value = dice.pick(['zzz', '', 'constructor', '__proto__', `${takes.words[0]}x`, 'x'.repeat(3_000)]);
  const codes = isDialect(site) ? ['UNKNOWN_DIALECT'] : ['UNKNOWN_VALUE'];
  return damage({ what: `unknown word ${value.slice(0, 20)}`, path, value, codes, level: levelOf(site) });
}

export function badName(site: Site, dice: Dice): Damage | null {
  const { takes, path } = site;
  const kind = takes.type === 'name' ? takes.of : takes.type === 'reference' ? 'id' : null;
  if (kind === null) return null;
  const value = dice.pick(badNames[kind]) ?? '';
  if (isUnnamedHandle(site, value)) return null;
  const codes = ['INVALID_NAME', ...(kind === 'variable' ? ['RESERVED_NAME'] : [])];
  const level = kind === 'variable' || kind === 'group' ? 'text' : 'shape';
  return damage({ what: `bad name ${JSON.stringify(value.slice(0, 20))}`, path, value, codes, level });
}

export function emptied({ takes, path }: Site): Damage | null {
  if (takes.type !== 'list' || takes.least === 0) return null;
  return damage({ what: 'nothing in it', path, value: [], codes: ['OUT_OF_RANGE'] });
}

/** A second one of alternatives. */
export function secondAlternative({ takes, path, value }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'object' || takes.oneOf.length === 0 || !isObject(value)) return null;
  const there = new Set(Object.keys(value).map((key) => fieldsOf(takes, value).get(key)?.name));
  const key = dice.pick(takes.oneOf.filter((name) => !there.has(name)));
  if (key === undefined) return null;
  const made = {
    seconds: 1,
    until: 1,
    event: 'e',
    from: 'a',
    expression: '1',
    value: 1,
  };
  const [what, codes] = [`${key} too`, ['DUPLICATE_FIELD']];
  return damage({
    what,
    path: [...path, key],
    value: made[key as keyof typeof made],
    codes,
    pointer: pointerOf(path),
    level: 'alone',
  });
}

/** Two of a list are called alike: the later one is told of. */
export function repeatedId({ takes, path, value }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'list' || takes.unique === null || !Array.isArray(value) || value.length < 2) return null;
  const { unique } = takes;
  const named = (value as readonly Json[]).flatMap((one, index) => (isObject(one) && unique in one ? [index] : []));
  const first = dice.draw(named.length - 1);
  const [from, to] = [named[first], named[first + 1 + dice.draw(named.length - 1 - first)]];
  if (from === undefined || to === undefined) return null;
  const id = (value[from] as Readonly<Record<string, Json>>)[unique];
  return damage({
    what: 'the same id',
    path: [...path, to, unique],
    value: id,
    codes: ['DUPLICATE_ID'],
    level: 'alone',
  });
}

export function lostReference({ takes, path, parent }: Site, dice: Dice): Damage | null {
  if (takes.type !== 'reference') return null;
  const value = dice.pick(['nowhere', 'valueOf', 'hasOwnProperty', '0']);
  if (takes.unknown === 'UNKNOWN_OUTPUT' && hasAnyOutput(parent)) return null;
  const severity = takes.isWarning ? 'warning' : 'error';
  return damage({ what: `leads to ${value}`, path, value, codes: [takes.unknown], severity, level: 'alone' });
}

/** TH12: a fan-out that does not list its outputs has those that connectors name. */
function hasAnyOutput(connector: Site | null): boolean {
  const from = isObject(connector?.value) ? connector.value['from'] : undefined;
  const whole = connector?.parent?.parent?.value as
    | { readonly nodes?: readonly Readonly<Record<string, Json>>[] }
    | undefined;
  const node = whole?.nodes?.find(({ id }) => id === from);
  return node !== undefined && ['fanOut', 'fan_out'].includes(node['type'] as string) && !('outputs' in node);
}
