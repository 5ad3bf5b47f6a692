// Mapping: values from expressions to targets. Rules MP….

import { toJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { changePaths, type Path, writePath } from '../../base/path.ts';
import { splitTarget } from '../../base/targets.ts';
import type { Mapping, MappingEntry, SchemaCheck } from '../../definition/graph.ts';
import { limitOrigin } from '../../definition/limits.ts';
import type { Evaluation, Expression } from '../../expression/expression.ts';
import type { Write } from '../events.ts';
import type { Branch } from '../state.ts';
import { checkWithin, spendEvaluation, spendView, spendWrites } from './allowance.ts';
import { noteValue } from './explain.ts';
import { type Planning } from './planning.ts';
import { composeView, describeValue, scopeFor, type Viewpoint } from './scope.ts';

export type Evaluated =
  | { readonly value: Json | undefined /** `state.x is missing`, if there is no value. */; readonly missing?: string }
  | { readonly failure: Failure };

/** Why an evaluation did not give what was wanted, for a message. */
export function describeCause(evaluated: Evaluated): string {
  if ('failure' in evaluated) return `its evaluation failed: ${evaluated.failure.message}`;
  return evaluated.missing ?? `found ${describeValue(evaluated.value)}`;
}

/** The value of an expression within the limits; undefined if what it reads is missing. */
export function evaluate(p: Planning, from: Viewpoint, expression: Expression): Evaluated {
  if (from.branch.group && !from.context && readsContext(expression)) spendView(p, from.branch);
  const evaluation = expression.evaluate(scopeFor(p.state, from, expression), p.allowance);
  const evaluated = withinLimits(p, expression, evaluation);
  return p.fatal ? { failure: p.fatal } : evaluated;
}

const contextRoots: ReadonlySet<string> = new Set(['state', 'context', 'output', 'nodes']);

function readsContext({ roots }: Expression): boolean {
  for (const root of roots) if (contextRoots.has(root)) return true;
  return false;
}

function withinLimits(p: Planning, expression: Expression, evaluation: Evaluation): Evaluated {
  if (evaluation.type !== 'value') spendEvaluation(p, nothing);
  if (evaluation.type === 'missing') return { value: undefined, missing: evaluation.message };
  if (evaluation.type === 'error') return { failure: { code: evaluation.code, message: evaluation.message } };
  return checkSize(p, expression, evaluation.value);
}

// MP5: a value of an expression is bounded like any payload.
function checkSize(p: Planning, expression: Expression, value: Json): Evaluated {
  if (typeof value !== 'object' && typeof value !== 'string') {
    spendEvaluation(p, nothing);
    return { value };
  }
  const { payloadBytesMax, jsonDepthMax } = p.graph.limits;
  const checked = toJson(value, { bytesMax: payloadBytesMax, depthMax: jsonDepthMax, limitName: 'payloadBytesMax' });
  spendEvaluation(p, { bytes: checked.ok ? checked.bytes : payloadBytesMax, isWalked: typeof value === 'object' });
  if (checked.ok) return { value };
  const limit = checked.code === 'TOO_LARGE' ? 'payloadBytesMax' : 'jsonDepthMax';
  const message = `In the value of ${expression.source}: ${checked.message}; ${limitOrigin(limit, p.graph)}`;
  return { failure: { code: 'LIMIT_EXCEEDED', message } };
}

const nothing = { bytes: 0, isWalked: false };

/**
 * MP1: targets whose source is missing are not written.
 * MP2: a source that cannot be evaluated fails the mapping.
 */
function evaluateMapping(
  p: Planning,
  from: Viewpoint,
  mapping: Mapping,
): { writes: [MappingEntry, Json][] } | { failure: Failure } {
  const writes: [MappingEntry, Json][] = [];
  const shared = shareView(p, from, mapping.length);
  for (const entry of mapping) {
    const evaluated = evaluate(p, shared, entry.expression);
    if (p.decisions) noteValue(p, entry.target, entry.expression.source, evaluated);
    if ('failure' in evaluated) return { failure: p.fatal ?? mappingFailure(entry, evaluated.failure) };
    if (evaluated.value !== undefined) writes.push([entry, evaluated.value]);
  }
  return { writes };
}

/** What a branch sees is put together once for several reads. */
export function shareView(p: Planning, from: Viewpoint, reads: number): Viewpoint {
  if (!from.branch.group || from.context || reads < 2) return from;
  spendView(p, from.branch);
  return { ...from, context: composeView(p.state, from.branch) };
}

function mappingFailure(entry: MappingEntry, cause: Failure): Failure {
  return {
    code: cause.code === 'LIMIT_EXCEEDED' ? cause.code : 'MAPPING_FAILED',
    message: `Expected the mapping of ${entry.target} to be evaluated, but it failed: ${cause.message}`,
    details: { target: entry.target, expression: entry.expression.source, cause: cause.code },
  };
}

/** MP3: an input mapping makes an object of its own; none makes an empty one. */
export function applyInputMapping(
  p: Planning,
  from: Viewpoint,
  mapping: Mapping | null,
): { value: JsonObject } | { failure: Failure } {
  if (!mapping) return { value: {} };
  const evaluated = evaluateMapping(p, from, mapping);
  if ('failure' in evaluated) return evaluated;
  let value: Json = {};
  for (const [{ path }, written] of evaluated.writes) value = writePath(value, path, written);
  return { value: value as JsonObject }; // its paths are not empty
}

export function planWrites(
  p: Planning,
  from: Viewpoint,
  mapping: Mapping | null,
): { writes: Write[] } | { failure: Failure } {
  if (!mapping) return { writes: [] };
  const evaluated = evaluateMapping(p, from, mapping);
  if ('failure' in evaluated) return evaluated;
  const writes = evaluated.writes.map(([{ target }, value]): Write => [target, value]);
  spendWrites(p, from.branch.context, writes);
  const failure = refuseWrites(p, from.branch, writes);
  return failure ? { failure } : { writes };
}

// MP4: what is written to the state must fit the state schema: each written key as the branch then sees it.
export function refuseWrites(p: Planning, branch: Branch, writes: readonly Write[]): Failure | null {
  const check = p.graph.stateSchema;
  if (!check) return null;
  const changes: [Path, Json | undefined][] = [];
  const targets = new Map<string, string>();
  for (const [target, value] of writes) {
    const [section, ...path] = splitTarget(target);
    if (section !== 'state') continue;
    changes.push([path, value]);
    targets.set(path[0] ?? '', target);
  }
  const state = changePaths(composeView(p.state, branch).state, changes);
  for (const [key, target] of targets) {
    const value = (state as JsonObject)[key]; // writes leave an object an object
    const failure = value === undefined ? null : refuseKey(p, check, target, { [key]: value });
    if (failure) return failure;
  }
  return null;
}

function refuseKey(p: Planning, check: SchemaCheck, target: string, written: JsonObject): Failure | null {
  const problems = checkWithin(p, check, written);
  if (p.fatal) return p.fatal;
  const first = problems[0];
  if (!first) return null;
  return {
    code: 'STATE_INVALID',
    message: `Expected ${target} to fit the state schema, but it does not: ${first.message}`,
    details: problems.map(({ pointer, message }) => ({ pointer: `/state${pointer}`, message })),
  };
}
