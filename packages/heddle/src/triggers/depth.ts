// Depth: how far a chain of workflows that start workflows has come. Pure.
//
// Always true: the engine keeps the depth of every run; what a payload says can raise it and never lower it.

import type { Json } from '../base/json.ts';
import { readPath } from '../base/path.ts';

/** TR10: what fires is as deep as the run it comes from (0 from outside), or as its payload says in `_trigger.depth`, whichever is more. */
export function depthOf(engineDepth: number, payload: Json | undefined): number {
  return Math.max(engineDepth, claimedDepth(payload));
}

/** What a run or a payload says of itself in `_trigger`; 0 if that is nothing. */
export function claimedDepth(payload: Json | undefined): number {
  const depth = readPath(payload, ['_trigger', 'depth']);
  return typeof depth === 'number' && depth > 0 ? depth : 0;
}
