// JSON difference: which paths of two values were added, removed or changed. Bounded: of a large difference, the first ones.

import type { Json } from 'heddle';

export interface PathChange {
  /** `items[3].price`; empty for the whole value. */
  readonly path: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly before?: Json;
  readonly after?: Json;
}

export interface JsonDifference {
  readonly changes: readonly PathChange[];
  /** There are more than were listed. */
  readonly isCut: boolean;
}

const changesMax = 500;

interface Pair {
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** In the order of the paths. A value that is the same object on both sides is not looked into: it has not changed. */
export function jsonDifference(before: Json | undefined, after: Json | undefined): JsonDifference {
  const changes: PathChange[] = [];
  const open: Pair[] = [{ path: '', before, after }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (changes.length >= changesMax) return { changes, isCut: true };
    if (pair.before === pair.after) continue;
    const change = changeOf(pair);
    if (change) changes.push(change);
    else open.push(...membersOf(pair).toReversed());
  }
  return { changes, isCut: false };
}

/** Null if both are objects, or both lists: then their members differ. */
function changeOf({ path, before, after }: Pair): PathChange | null {
  if (before === undefined) return after === undefined ? null : { path, kind: 'added', after };
  if (after === undefined) return { path, kind: 'removed', before };
  const areContainers = isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after);
  return areContainers ? null : { path, kind: 'changed', before, after };
}

const isContainer = (value: Json): boolean => typeof value === 'object' && value !== null;

function membersOf({ path, before, after }: Pair): readonly Pair[] {
  const [earlier, later] = [(before ?? {}) as Members, (after ?? {}) as Members]; // both are containers, or both are absent
  const names = new Set([...Object.keys(earlier), ...Object.keys(later)]);
  const isList = Array.isArray(before);
  return [...names].map((name) => ({
    path: isList ? `${path}[${name}]` : joined(path, name),
    before: earlier[name],
    after: later[name],
  }));
}

type Members = Readonly<Record<string, Json | undefined>>;

function joined(path: string, name: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
