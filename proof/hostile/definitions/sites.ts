// Sites: every place of a definition that damage can be done to, with what the tables say that it takes.
//
// Always true: a definition of the corpus has no place that the tables do not know.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { type Field, fieldsOf, isObject, isOfKind, type ObjectTakes, type Takes } from './takes.ts';

export type Path = readonly (string | number)[];

export interface Site {
  readonly path: Path;
  readonly value: Json;
  /** What it takes: of alternatives the one that is there. */
  readonly takes: Takes;
  /** All that could be there. */
  readonly couldTake: Takes;
  /** The field that it is the value of. */
  readonly field: Field | null;
  /** The object or list that it is in; null for the whole. */
  readonly parent: Site | null;
}

export function sitesOf(table: ObjectTakes, value: Json): readonly Site[] {
  const sites: Site[] = [];
  sites.push(siteOf({ path: [], value, couldTake: table, field: null, parent: null }));
  for (const site of sites) sites.push(...membersOf(site)); // as far as there are any
  return sites;
}

/** One of them, by going down from the top: all members of an object are as likely, whatever is in them. */
export function drawSite(table: ObjectTakes, value: Json, dice: Dice): Site {
  let site = siteOf({ path: [], value, couldTake: table, field: null, parent: null });
  for (;;) {
    const members = dice.chance(3, 4) ? membersOf(site) : [];
    const member = dice.pick(members);
    if (member === undefined) return site;
    site = member;
  }
}

function siteOf({ path, value, couldTake, field, parent }: Omit<Site, 'takes'>): Site {
  return { path, value, takes: chosen(couldTake, value), couldTake, field, parent };
}

function chosen(takes: Takes, value: Json): Takes {
  if (takes.type !== 'either') return takes;
  const one = takes.of.find((alternative) => isOfKind(alternative, value));
  if (one === undefined) throw new Error(`Expected a sound definition, but found ${JSON.stringify(value)}`);
  return chosen(one, value);
}

function membersOf(parent: Site): Site[] {
  const { takes, value, path } = parent;
  if (takes.type === 'list' && Array.isArray(value)) {
    return value.map((member: Json, index) =>
      siteOf({ path: [...path, index], value: member, couldTake: takes.of, field: null, parent }),
    );
  }
  if (!isObject(value)) return [];
  if (takes.type === 'map') {
    return Object.entries(value).map(([key, member]) =>
      siteOf({ path: [...path, key], value: member, couldTake: takes.of, field: null, parent }),
    );
  }
  if (takes.type !== 'object') return [];
  const fields = fieldsOf(takes, value);
  return Object.entries(value).map(([key, member]) => {
    const field = fields.get(key);
    if (field === undefined) throw new Error(`Expected a field of the tables, but found ${pointerOf([...path, key])}`);
    return siteOf({ path: [...path, key], value: member, couldTake: field.takes, field, parent });
  });
}

export function pointerOf(path: Path): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The node, transition, edge … that a place is in; the whole if it is in none. */
export function partOf(path: Path): string {
  return typeof path[1] === 'number' ? pointerOf(path.slice(0, 2)) : '';
}

/** A copy with something else at a place; `undefined` removes what is there. */
export function replaced(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) {
    const list: unknown[] = [...root];
    list[Number(key)] = replaced(list[Number(key)], rest, value);
    return list;
  }
  const members = Object.entries(root as object);
  const at = members.findIndex(([name]) => name === key);
  const made: [string, unknown] = [String(key), replaced(members[at]?.[1], rest, value)];
  if (at < 0) members.push(made);
  else members.splice(at, 1, made);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}
