// Scope: what an expression sees from a branch. Reads layer what a branch wrote over what encloses it, path by path.

import type { Failure } from '../../base/failure.ts';
import { asJson, type Json, type JsonObject } from '../../base/json.ts';
import { changePaths, isJsonObject, type Path, writePath } from '../../base/path.ts';
import { splitTarget } from '../../base/targets.ts';
import type { Expression, Scope } from '../../expression/expression.ts';
import { spawnOf } from '../apply/branches.ts';
import { writeInto } from '../apply/groups.ts';
import type { Write } from '../events.ts';
import type { Branch, Context, RunState } from '../state.ts';

/** From where an expression looks. */
export interface Viewpoint {
  readonly branch: Branch;
  readonly lastError?: Failure | null;
  readonly failure?: Failure | null;
  /** The node's output, in output mappings and conditions. */
  readonly result?: Json | undefined;
  /** How the branch has settled, in the source of a merge. */
  readonly end?: BranchEnd;
  /** The branch's context as earlier edits of the same node leave it. */
  readonly context?: Context;
}

/** How a branch has settled: it arrived (a slice: it is done), it failed, or it ended elsewhere. */
export interface BranchEnd {
  readonly status: 'completed' | 'failed' | 'ended';
  readonly error?: Failure;
}

/** Builds the names that the expression reads, and no others. */
export function scopeFor(state: RunState, from: Viewpoint, expression: Expression): Scope {
  const scope: Record<string, Json | undefined> = {};
  for (const name of expression.roots) scope[name] = readName(state, from, name);
  return scope;
}

/** The value of a name in scope; undefined if there is none. */
export function readName(state: RunState, from: Viewpoint, name: string): Json | undefined {
  switch (name) {
    case 'input':
      return composeInput(state, from.branch);
    case 'state':
    case 'context':
      return withFailures(contextOf(state, from).state, from);
    case 'output':
      return contextOf(state, from).output;
    case 'result':
      return from.result;
    case '_branch':
      return branchValue(from);
    case '_batch':
      return batchValue(from.branch);
    case '_trigger':
      return state.run?.trigger;
    case 'nodes':
      return state.run?.keepsOutputs ? state.outputs : contextOf(state, from).state;
    default:
      return findItem(from.branch, name);
  }
}

const contextOf = (state: RunState, { branch, context }: Viewpoint): Context => context ?? composeView(state, branch);

// FL2: the last error is read as `state._last_error`, and is never part of the state.
function withFailures(value: JsonObject, { lastError, failure }: Viewpoint): JsonObject {
  // FL5: the failure that a failure route was taken for is read as `state._failure`, also behind the next success.
  const handled = lastError ?? failure;
  if (!handled) return value;
  const plain = asJson(handled);
  return { ...value, ...(lastError ? { _last_error: plain } : {}), _failure: plain };
}

/** CX1: a branch reads its own writes over the enclosing branches', and the run's own context below them all. */
export function composeView(state: RunState, branch: Branch): Context {
  const root: Context = state.root.context ?? { state: {}, output: {} };
  const layers: Write[] = [];
  for (const layer of listEnclosing(branch)) {
    const slice = cutSlice(layer);
    if (slice && !slice.path.startsWith('input.')) layers.push([slice.path, slice.items]);
    for (const write of layer.writes?.list() ?? []) layers.push(write);
  }
  return layers.length === 0 ? root : writeInto(root, layers);
}

function composeInput(state: RunState, branch: Branch): Json | undefined {
  let input = state.run?.input;
  for (const layer of listEnclosing(branch)) {
    const slice = cutSlice(layer);
    if (slice?.path.startsWith('input.')) input = writePath(input, splitTarget(slice.path).slice(1), slice.items);
  }
  return input;
}

/** The branch and those that enclose it, outermost first, without the root. */
function listEnclosing(branch: Branch): Branch[] {
  const chain: Branch[] = [];
  for (let b = branch; b.group; b = b.group.parent) chain.push(b);
  return chain.length > 1 ? chain.toReversed() : chain;
}

/** CX5: `_branch` describes the innermost branch, and by `parent` those around it; absent outside every group. */
function branchValue({ branch, end }: Viewpoint): JsonObject | undefined {
  let value: JsonObject | undefined;
  for (const { group, index, writes, raw } of listEnclosing(branch)) {
    if (!group) continue;
    const output = readOutput(writes, raw);
    const own: Record<string, Json> = { index, total: group.total, fanOutNodeId: group.node };
    if (output !== undefined) own['output'] = output;
    if (value) own['parent'] = value;
    value = own;
  }
  // CX6: in the source of a merge it also has the branch's `status` and, if it failed, its `error`.
  return end ? Object.assign(value ?? {}, asJson(end)) : value;
}

// CX2: what mappings wrote, without the leading section, `state` winning; else the last raw output.
function readOutput(writes: Branch['writes'], raw: Json | undefined): Json | undefined {
  if (!writes || writes.size === 0) return raw;
  const changes: [Path, Json | undefined][] = [];
  for (const section of outputSections)
    for (const [target, value] of writes)
      if (target.startsWith(section)) changes.push([splitTarget(target.slice(section.length)), value]);
  return changePaths({}, changes);
}

const outputSections = ['output.', 'state.'];

interface Slice {
  readonly path: string;
  readonly items: readonly Json[];
  readonly start: number;
  readonly end: number;
  readonly totalItems: number;
}

/** BA2: in a slice the path of the list holds the slice. */
function cutSlice(branch: Branch): Slice | null {
  const { group, index } = branch;
  if (!group || group.batch === null) return null;
  const known = slices.get(branch);
  if (known) return known;
  const { slices: plan, items = [] } = spawnOf(group, index);
  if (!plan) return null;
  const start = index * plan.size;
  const end = Math.min(start + plan.size, items.length);
  const slice = { path: plan.path, items: items.slice(start, end), start, end, totalItems: items.length };
  slices.set(branch, slice);
  return slice;
}

/**
 * A pure cache: the slice of a branch never changes, and goes with it. Cut at every evaluation, 20,000 items in one slice
 * took 7.5 s.
 */
const slices = new WeakMap<Branch, Slice>();

/** BA3: `_batch` describes the nearest enclosing slice: its items are those from `start` up to, and without, `end`. */
function batchValue(branch: Branch): JsonObject | undefined {
  for (let b = branch; b.group; b = b.group.parent) {
    const slice = cutSlice(b);
    if (!slice) continue;
    const { start, end, totalItems } = slice;
    return { index: b.index, count: b.group.total, start, end, totalItems };
  }
  return undefined;
}

/** The item of the nearest enclosing foreach, under whatever name. */
export function nearestItem(branch: Branch): { readonly item: Json } | null {
  for (let b = branch; b.group; b = b.group.parent) {
    const { itemVar, items, first } = spawnOf(b.group, b.index);
    const item = itemVar === undefined ? undefined : items?.[b.index - first];
    if (item !== undefined) return { item };
  }
  return null;
}

/** CX4: an item variable is the item of the nearest enclosing foreach of that name. */
function findItem(branch: Branch, name: string): Json | undefined {
  for (let b = branch; b.group; b = b.group.parent) {
    for (const spawn of b.group.spawns) {
      const position = b.index - spawn.first;
      if (spawn.itemVar === name && spawn.items && position >= 0 && position < spawn.count)
        return spawn.items[position];
    }
  }
  return undefined;
}

export function describeValue(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isJsonObject(value)) return 'an object';
  return `${typeof value} ${JSON.stringify(value).slice(0, 80)}`;
}
