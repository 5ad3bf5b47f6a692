// Scope: what an expression sees from a branch. Reads layer what a branch wrote over what encloses it, path by path.

import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { isJsonObject, writePath } from '../../base/path.ts';
import type { Expression, Scope } from '../../expression/expression.ts';
import { pathOf } from '../apply/groups.ts';
import type { Branch, Context, RunState } from '../state.ts';

/** From where an expression looks. */
export interface Viewpoint {
  readonly branch: Branch;
  readonly lastError?: Failure | null;
  /** The node's output, in output mappings and conditions. */
  readonly result?: Json | undefined;
}

/** Builds the names that the expression reads, and no others. */
export function scopeFor(state: RunState, from: Viewpoint, expression: Expression): Scope {
  const scope: Record<string, Json | undefined> = {};
  for (const name of expression.roots) scope[name] = valueOf(state, from, name);
  return scope;
}

function valueOf(state: RunState, from: Viewpoint, name: string): Json | undefined {
  switch (name) {
    case 'input':
      return state.run?.input;
    case 'state':
      return withLastError(viewOf(state, from.branch).state, from.lastError);
    case 'output':
      return viewOf(state, from.branch).output;
    case 'result':
      return from.result;
    case '_branch':
      return branchValue(from.branch);
    default:
      return itemOf(from.branch, name);
  }
}

// FL2: the last error is read as `state._last_error`, and is never part of the state.
function withLastError(value: JsonObject, lastError: Failure | null | undefined): JsonObject {
  return lastError ? { ...value, _last_error: lastError as unknown as JsonObject } : value;
}

/** CX1: a branch reads its own writes over the enclosing branches', and the run's own context below them all. */
export function viewOf(state: RunState, branch: Branch): Context {
  let view: Context = state.root.context ?? { state: {}, output: {} };
  for (const layer of chainOf(branch)) {
    if (layer.writes) for (const [target, value] of layer.writes) view = writeInto(view, target, value);
  }
  return view;
}

function writeInto(view: Context, target: string, value: Json): Context {
  const [section, ...path] = pathOf(target);
  return section === 'output'
    ? { state: view.state, output: writePath(view.output, path, value) as JsonObject }
    : { state: writePath(view.state, path, value) as JsonObject, output: view.output };
}

/** The branch and those that enclose it, outermost first, without the root. */
function chainOf(branch: Branch): Branch[] {
  const chain: Branch[] = [];
  for (let b = branch; b.group; b = b.group.parent) chain.push(b);
  return chain.toReversed();
}

/** CX5: `_branch` tells of the innermost branch, and by `parent` of those around it; absent outside every group. */
function branchValue(branch: Branch): JsonObject | undefined {
  let value: JsonObject | undefined;
  for (const { group, index, writes, raw } of chainOf(branch)) {
    if (!group) continue;
    const output = outputOf(writes, raw);
    value = {
      index,
      total: group.total,
      fanOutNodeId: group.node,
      ...(output === undefined ? {} : { output }),
      ...(value ? { parent: value } : {}),
    };
  }
  return value;
}

// CX2: what mappings wrote, without the leading section, `state` winning; else the last raw output.
function outputOf(writes: Branch['writes'], raw: Json | undefined): Json | undefined {
  if (!writes || writes.size === 0) return raw;
  let output: Json = {};
  for (const section of ['output', 'state']) {
    for (const [target, value] of writes) {
      const [first, ...path] = pathOf(target);
      if (first === section) output = writePath(output, path, value);
    }
  }
  return output;
}

/** CX4: an item variable is the item of the nearest enclosing foreach of that name. */
function itemOf(branch: Branch, name: string): Json | undefined {
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
