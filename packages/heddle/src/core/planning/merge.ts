// Merge: many branch outputs become one value. Rules MG…. Always in the order of the branch index, whatever the order
// of arrival; branches that contribute nothing are not in the list.

import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject } from '../../base/path.ts';
import type { MergeStrategy } from '../../definition/definition.ts';

export interface Contribution {
  readonly index: number;
  readonly value: Json;
}

export function mergeContributions(strategy: MergeStrategy, contributions: readonly Contribution[]): Json {
  const values = contributions.map(({ value }) => value);
  switch (strategy) {
    // MG1: a list of the values as they are.
    case 'append':
    case 'collect':
      return values;
    // MG2: one level of lists is flattened.
    case 'concat':
      return values.flatMap((value): Json[] => (Array.isArray(value) ? [...(value as readonly Json[])] : [value]));
    // MG3: shallow; the higher index wins.
    case 'merge_object':
      return mergeObjects(values);
    // MG4: an object keyed by branch index.
    case 'keyed_by_branch':
      return Object.fromEntries(contributions.map(({ index, value }) => [String(index), value]));
    // MG5: the highest index alone; nothing contributed is null.
    case 'last_wins':
      return values.at(-1) ?? null;
    // MG6: scalars gather into a list, lists and scalars into one flat list, objects merge by key.
    case 'output_merge':
      return values.length === 0 ? {} : values.slice(1).reduce(mergeOutputs, values[0] as Json);
  }
}

/** Values that are no objects have no keys to give. */
function mergeObjects(values: readonly Json[]): JsonObject {
  const merged: Record<string, Json> = {};
  for (const value of values) if (isJsonObject(value)) Object.assign(merged, value);
  return merged;
}

function mergeOutputs(left: Json, right: Json): Json {
  if (isJsonObject(left) && isJsonObject(right)) return mergeKeys(left, right);
  return [...asList(left), ...asList(right)];
}

/** Depth is bounded by `jsonDepthMax`, which both values have passed. */
function mergeKeys(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    merged[key] = Object.hasOwn(left, key) ? mergeOutputs(left[key] as Json, value) : value;
  }
  return merged;
}

const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : [value]);
