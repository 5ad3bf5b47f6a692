// Thread mapping: what a node takes from its context, and what it keeps of a result. Rules TH18, TH21, TH26, ED2.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { find, ThreadContext } from './thread-context.ts';
import type { Mapping } from './thread-program.ts';
import type { Bag } from './values.ts';

/** What mappings write, in order; null if a value is missing that must not be. */
export function mapValues(mappings: readonly Mapping[], from: Json): [path: string, value: Json][] | null {
  const made: [string, Json][] = [];
  for (const mapping of mappings) {
    const value = find(from, mapping.from.split('.'));
    if (value !== undefined) made.push([mapping.to, value]);
    else if (!mapping.isOptional) return null;
  }
  return made;
}

/** An object made of a context; without mappings, all of it. */
export function buildFrom(view: Bag, mappings: readonly Mapping[] | null): Bag | null {
  if (mappings === null) return view;
  const made = mapValues(mappings, view);
  if (made === null) return null;
  const built = new ThreadContext({});
  for (const [path, value] of made) built.set(path, value);
  return built.view;
}
