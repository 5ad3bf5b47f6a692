// Merges what branches give, in the order of their indices.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import { isObject } from './difference.ts';
import type { Frame } from './frame.ts';
import type { Merge } from './program.ts';

type Given = readonly [index: number, value: Json];

/** Undefined if there is nothing to write. */
export function mergeFrames({ strategy, source }: Merge, frames: readonly Frame[]): Json | undefined {
  const given: Given[] = [];
  for (const frame of frames) {
    const value = giftOf(frame, source, strategy === 'output_merge');
    if (value !== undefined) given.push([frame.place?.index ?? 0, value]);
  }
  const values = given.map(([, value]) => value);
  switch (strategy) {
    case 'append':
    case 'collect':
      return values;
    case 'concat':
      return values.flat();
    case 'merge_object':
      return Object.assign({}, ...values.filter(isObject)) as Json;
    case 'keyed_by_branch':
      return Object.fromEntries(given);
    case 'last_wins':
      return values.at(-1) ?? null;
    case 'output_merge':
      // Branches that came and brought nothing leave things as they were.
      if (values.length === 0) return frames.length === 0 ? {} : undefined;
      return values.reduce(gather);
  }
}

function giftOf(frame: Frame, source: Merge['source'], isOwn: boolean): Json | undefined {
  if (source === null) return frame.output;
  if (source === '_branch.output.x') return frame.outputX;
  return isOwn ? frame.written('state.x') : frame.read('state.x');
}

/** Objects key by key; all else in one flat list. */
function gather(left: Json, right: Json): Json {
  if (!isObject(left) || !isObject(right)) return [left, right].flat();
  const merged: Record<string, Json> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    merged[key] = before === undefined ? value : gather(before, value);
  }
  return merged;
}

/** What a target holds after an object was laid over it. */
export function layOver(below: Json | undefined, value: Json): Json {
  if (!isObject(below) || !isObject(value)) return value;
  const laid: Record<string, Json> = { ...below };
  for (const [key, over] of Object.entries(value)) laid[key] = layOver(below[key], over);
  return laid;
}
