// JSON search: where in a value a text stands: as the name of a member, or in what a member holds. Pure.
//
// Always true: however large the value is, a bounded part of it is looked at.

import type { Json } from 'heddle';

export interface FoundValue {
  /** As it is written in code: `orders[3].total`. */
  readonly path: string;
  readonly value: Exclude<Json, object>;
}

export interface Findings {
  readonly found: readonly FoundValue[];
  /** There is more than was looked at, or than is listed. */
  readonly isCut: boolean;
}

const valuesMax = 200_000;

/** Whether it has at least so many values. */
export function hasValues(value: Json, count: number): boolean {
  const values = valuesIn(value);
  for (let seen = 0; seen < count; seen++) if (values.next().done === true) return false;
  return true;
}

export function findInJson(value: Json, text: string, listedMax: number): Findings {
  const wanted = text.toLowerCase();
  const found: FoundValue[] = [];
  let seen = 0;
  for (const each of valuesIn(value)) {
    if (seen++ === valuesMax) return { found, isCut: true };
    if (!`${each.path} ${String(each.value)}`.toLowerCase().includes(wanted)) continue;
    if (found.length === listedMax) return { found, isCut: true };
    found.push(each);
  }
  return { found, isCut: false };
}

/** In the order in which they are written. */
function* valuesIn(whole: Json): Generator<FoundValue> {
  const open: { readonly path: string; readonly value: Json }[] = [{ path: '', value: whole }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next;
    if (value === null || typeof value !== 'object') yield { path, value };
    else for (const member of membersOf(value, path).toReversed()) open.push(member);
  }
}

function membersOf(value: object, path: string): readonly { readonly path: string; readonly value: Json }[] {
  const isList = Array.isArray(value);
  const members = value as Record<string, Json>; // of JSON: an array's by their places
  return Object.entries(members).map(([name, member]) => ({
    path: isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`,
    value: member,
  }));
}
