// BranchValues: what a branch of a fan-out has of its own: the item that it is for, and what was written in it.

import type { Json, RunEvent } from 'heddle/journal';

export interface BranchValues {
  readonly item?: Json;
  /** By target, such as `state.score`, as it was written last. */
  readonly writes: Readonly<Record<string, Json>>;
}

/** Of the events up to the moment that is shown. */
export function branchValues(events: Iterable<RunEvent>, group: number, index: number): BranchValues {
  const writes = new Map<string, Json>();
  let item: Json | undefined;
  for (const event of events) {
    if (event.type === 'fan_out.started' && event.group === group) item = itemOf(event.spawns, index);
    if (event.type !== 'context.updated' || event.branch[0] !== group || event.branch[1] !== index) continue;
    for (const [target, value] of event.writes) {
      if (value === undefined) writes.delete(target);
      else writes.set(target, value);
    }
  }
  return { writes: Object.fromEntries(writes), ...(item === undefined ? {} : { item }) };
}

type Spawns = Extract<RunEvent, { type: 'fan_out.started' }>['spawns'];

/** Branches are numbered through all spawns; each item is a branch, or a slice of items is. */
function itemOf(spawns: Spawns, index: number): Json | undefined {
  let first = 0;
  for (const { count, items, slices } of spawns) {
    const at = index - first;
    if (at < count) return slices && items ? items.slice(at * slices.size, (at + 1) * slices.size) : items?.[at];
    first += count;
  }
  return undefined;
}
