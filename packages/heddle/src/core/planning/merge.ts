// Merge: many branch outputs become one value. Rules MG…. Always in the order of the branch index, whatever the order
// of arrival; branches that contribute nothing are not in the list.

import { isJsonArray, type Json, type JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { MergeStrategy } from '../../definition/definition.ts';

export interface Contribution {
  readonly index: number;
  readonly value: Json;
}

/** MG15: `before`, what the target holds that is to be extended, comes before the first branch. */
export function mergeContributions(
  strategy: MergeStrategy,
  contributions: readonly Contribution[],
  before: Json = null,
): Json {
  const values = contributions.map(({ value }) => value);
  const earlier = before === null ? [] : [before];
  switch (strategy) {
    // MG1: a list of the values as they are.
    case 'append':
    case 'collect':
      return [...flatten(earlier), ...values];
    // MG2: one level of lists is flattened.
    case 'concat':
      return flatten([...earlier, ...values]);
    // MG3: shallow; the higher index wins.
    case 'merge_object':
      return mergeObjects([...earlier, ...values]);
    // MG4: an object keyed by branch index.
    case 'keyed_by_branch':
      return {
        ...mergeObjects(earlier),
        ...Object.fromEntries(contributions.map(({ index, value }) => [String(index), value])),
      };
    // MG5: the highest index alone; nothing contributed is null.
    case 'last_wins':
      return values.at(-1) ?? before;
    // MG6: scalars gather into a list, lists and scalars into one flat list, objects merge by key.
    case 'output_merge':
      return mergeOutputs([...earlier, ...values]);
  }
}

const flatten = (values: readonly Json[]): Json[] =>
  values.flatMap((value): Json[] => (isJsonArray(value) ? [...value] : [value]));

/** Values that are no objects have no keys to give. */
function mergeObjects(values: readonly Json[]): JsonObject {
  const merged: Record<string, Json> = {};
  for (const value of values) if (isJsonObject(value)) Object.assign(merged, value);
  return merged;
}

/**
 * As if each value were merged into what those before it gave, but every one is looked at once: objects at the beginning
 * merge by key, and from the first value on that is none all gather in one list.
 */
function mergeOutputs(values: readonly Json[]): Json {
  if (values.length === 1) return values[0] as Json; // there is one
  const firstOther = values.findIndex((value) => !isJsonObject(value));
  // Those before the first that is no object.
  const objects = (firstOther === -1 ? values : values.slice(0, firstOther)) as readonly JsonObject[];
  if (firstOther === -1) return mergeKeys(objects);
  const merged: Json[] = objects.length === 0 ? [] : [mergeKeys(objects)];
  for (const value of values.slice(firstOther)) {
    if (isJsonArray(value)) for (const item of value) merged.push(item);
    else merged.push(value);
  }
  return merged;
}

/** Depth is bounded by `jsonDepthMax`, which all values have passed. */
function mergeKeys(objects: readonly JsonObject[]): JsonObject {
  if (objects.length === 1) return objects[0] as JsonObject; // there is one
  const byKey = new Map<string, Json[]>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      const values = byKey.get(key);
      if (values) values.push(value);
      else byKey.set(key, [value]);
    }
  }
  return Object.fromEntries([...byKey].map(([key, values]) => [key, mergeOutputs(values)]));
}
