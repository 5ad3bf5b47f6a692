// Run trigger: what a run is told of what started it. Pure.

import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Dialect } from '../definition/graph.ts';
import { claimedDepth } from './depth.ts';

export interface Start {
  readonly dialect: Dialect;
  readonly input: Json;
  /** Of a run that a trigger fired. */
  readonly trigger?: JsonObject | undefined;
}

/**
 * TR22: in the handle dialect `_trigger` also stands in the input, where that is an object; and a run that is started
 * with one in its input, by no trigger, is as deep as that says.
 */
export function inputAndTrigger({ dialect, input, trigger }: Start): Pick<Start, 'input' | 'trigger'> {
  if (dialect !== 'handle' || !isJsonObject(input)) return { input, trigger };
  if (trigger) return { input: { ...input, _trigger: trigger }, trigger };
  const claimed = input['_trigger'];
  return { input, trigger: isJsonObject(claimed) ? { ...claimed, depth: claimedDepth(input) } : undefined };
}
