// Scope: what an expression sees from a branch, worked out from the facts (CX1 to CX5, BA2, BA3).

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { BranchFact, GroupFact, SpawnFact } from './facts.ts';
import type { RunFacts } from './run-facts.ts';
import { type Context, keysOf, type Overlay, readAt, writeAll, writeAt, writeContext } from './values.ts';

/** From where an expression looks. */
export interface Viewpoint {
  readonly branch: BranchFact;
  readonly lastError?: Failure | null;
  readonly failure?: Failure | null;
  /** What the work of the node came to. */
  readonly result?: Json | undefined;
  /** How the branch has settled, in the source of a merge. */
  readonly end?: BranchEnd;
}

export interface BranchEnd {
  readonly status: 'completed' | 'failed' | 'ended';
  readonly error?: JsonObject;
}

/** The value of an expression; undefined if what it reads is missing, null in `failure` if it cannot be evaluated. */
export function evaluate(
  facts: RunFacts,
  from: Viewpoint,
  source: string,
): { readonly value: Json | undefined } | { readonly failure: string } {
  const expression = facts.drawing.expression(source);
  const scope: Record<string, Json | undefined> = {};
  for (const name of expression.roots) scope[name] = nameInScope(facts, from, name);
  const evaluation = expression.evaluate(scope);
  if (evaluation.type === 'error') return { failure: evaluation.message };
  return { value: evaluation.type === 'value' ? evaluation.value : undefined };
}

export function nameInScope(facts: RunFacts, from: Viewpoint, name: string): Json | undefined {
  const { branch, result } = from;
  switch (name) {
    case 'result':
      return result;
    case 'input':
      return inputIn(facts, branch);
    case 'state':
    case 'context':
      return { ...contextIn(facts, branch).state, ...failuresIn(from) };
    case 'output':
      return contextIn(facts, branch).output;
    case '_branch':
      return branchValue(from);
    case '_batch':
      return batchValue(branch);
    case '_trigger':
      return facts.start?.trigger;
    case 'nodes':
      return facts.drawing.policy.keepsOutputs ? Object.fromEntries(facts.outputs) : contextIn(facts, branch).state;
    default:
      return itemIn(branch, name);
  }
}

function failuresIn({ lastError, failure }: Viewpoint): JsonObject {
  const known = (lastError ?? failure ?? null) as JsonObject | null;
  return { ...(lastError ? { _last_error: known } : {}), ...(known ? { _failure: known } : {}) };
}

/** The branch and those around it, outermost first, without the run. */
function chainOf(branch: BranchFact): (BranchFact & { readonly group: GroupFact })[] {
  const chain: (BranchFact & { readonly group: GroupFact })[] = [];
  for (let b = branch; b.group !== null; b = b.group.parent)
    chain.unshift(b as BranchFact & { readonly group: GroupFact }); // it was just looked at
  return chain;
}

export function contextIn(facts: RunFacts, branch: BranchFact): Context {
  let { context }: { context: Context } = facts;
  for (const layer of chainOf(branch)) {
    const slice = sliceOf(layer);
    if (slice && !slice.path.startsWith('input.')) context = writeContext(context, [[slice.path, slice.items]]);
    if (layer.writes) context = writeContext(context, layer.writes);
  }
  return context;
}

function inputIn(facts: RunFacts, branch: BranchFact): Json | undefined {
  let input = facts.start?.input;
  for (const layer of chainOf(branch)) {
    const slice = sliceOf(layer);
    if (slice?.path.startsWith('input.')) input = writeAt(input, keysOf(slice.path).slice(1), slice.items);
  }
  return input;
}

export function branchValue({ branch, end }: Viewpoint): JsonObject | undefined {
  let value: JsonObject | undefined;
  for (const { group, index, writes, raw } of chainOf(branch)) {
    const output = writes && writes.size > 0 ? outputOf(writes) : raw;
    value = {
      index,
      total: group.total,
      fanOutNodeId: group.node,
      ...(output === undefined ? {} : { output }),
      ...(value === undefined ? {} : { parent: value }),
    };
  }
  return end ? { ...value, ...end } : value;
}

/** Without the leading section; `state` wins where both wrote. */
function outputOf(writes: Overlay): Json {
  let output: Json = {};
  for (const section of ['output', 'state'])
    for (const [target, value] of writes) {
      const [first, ...path] = keysOf(target);
      if (first === section) output = writeAll(output, [[path, value]]);
    }
  return output;
}

/** MG10: what a branch itself wrote at a path. */
export function writtenAt({ writes }: BranchFact, path: string): Json | undefined {
  const near = [...(writes ?? [])].filter(
    ([target]) => target === path || target.startsWith(`${path}.`) || path.startsWith(`${target}.`),
  );
  const changes = near.map(([target, value]): [readonly string[], Json | undefined] => [keysOf(target), value]);
  return readAt(writeAll({}, changes), keysOf(path));
}

function sliceOf({ group, index }: BranchFact): { path: string; items: readonly Json[]; start: number } | null {
  const [spawn] = group?.spawns ?? [];
  if (!spawn?.slices) return null;
  const { path, size } = spawn.slices;
  const start = index * size;
  return { path, items: (spawn.items ?? []).slice(start, start + size), start };
}

function batchValue(branch: BranchFact): JsonObject | undefined {
  for (let b = branch; b.group !== null; b = b.group.parent) {
    const slice = sliceOf(b);
    if (!slice) continue;
    const end = slice.start + slice.items.length;
    const totalItems = b.group.spawns[0]?.items?.length ?? 0;
    return { index: b.index, count: b.group.total, start: slice.start, end, totalItems };
  }
  return undefined;
}

function itemIn(branch: BranchFact, name: string): Json | undefined {
  for (let b = branch; b.group !== null; b = b.group.parent) {
    const isOf = ({ itemVar, first, count }: SpawnFact): boolean =>
      itemVar === name && b.index >= first && b.index < first + count;
    const spawn = b.group.spawns.find(isOf);
    if (spawn?.items) return spawn.items[b.index - spawn.first];
  }
  return undefined;
}
