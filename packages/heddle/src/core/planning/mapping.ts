// Mapping: values from expressions to targets. Rules MP….

import { toJson } from '../../base/check-json.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { changePaths, type Path, writePath } from '../../base/path.ts';
import type { Mapping, MappingEntry, SchemaCheck } from '../../definition/graph.ts';
import { limitOrigin } from '../../definition/limits.ts';
import type { Expression } from '../../expression/expression.ts';
import { pathOf } from '../apply/groups.ts';
import type { Write } from '../events.ts';
import type { Branch } from '../state.ts';
import { type Planning } from './planning.ts';
import { describeValue, scopeFor, type Viewpoint, viewOf } from './scope.ts';

export type Evaluated =
  | { readonly value: Json | undefined /** `state.x is missing`, if there is no value. */; readonly missing?: string }
  | { readonly failure: Failure };

/** Why an evaluation did not give what was wanted, for a message. */
export function causeOf(evaluated: Evaluated): string {
  if ('failure' in evaluated) return `its evaluation failed: ${evaluated.failure.message}`;
  return evaluated.missing ?? `found ${describeValue(evaluated.value)}`;
}

/** The value of an expression within the limits; undefined if what it reads is missing. */
export function evaluate(p: Planning, from: Viewpoint, expression: Expression): Evaluated {
  const evaluation = expression.evaluate(scopeFor(p.state, from, expression));
  if (evaluation.type === 'missing') return { value: undefined, missing: evaluation.message };
  if (evaluation.type === 'error') return { failure: { code: evaluation.code, message: evaluation.message } };
  return checkSize(p, expression, evaluation.value);
}

// MP5: a value of an expression is bounded like any payload.
function checkSize(p: Planning, expression: Expression, value: Json): Evaluated {
  if (typeof value !== 'object' && typeof value !== 'string') return { value };
  const { payloadBytesMax, jsonDepthMax } = p.graph.limits;
  const checked = toJson(value, { bytesMax: payloadBytesMax, depthMax: jsonDepthMax, limitName: 'payloadBytesMax' });
  if (checked.ok) return { value };
  const limit = checked.code === 'TOO_LARGE' ? 'payloadBytesMax' : 'jsonDepthMax';
  const message = `In the value of ${expression.source}: ${checked.message}; ${limitOrigin(limit, p.graph)}`;
  return { failure: { code: 'LIMIT_EXCEEDED', message } };
}

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
  for (const entry of mapping) {
    const evaluated = evaluate(p, from, entry.expression);
    if ('failure' in evaluated) return { failure: mappingFailure(entry, evaluated.failure) };
    if (evaluated.value !== undefined) writes.push([entry, evaluated.value]);
  }
  return { writes };
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
  return { value: value as JsonObject };
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
    const [section, ...path] = pathOf(target);
    if (section !== 'state') continue;
    changes.push([path, value]);
    targets.set(path[0] ?? '', target);
  }
  const state = changePaths(viewOf(p.state, branch).state, changes);
  for (const [key, target] of targets) {
    const value = (state as JsonObject)[key];
    const failure = value === undefined ? null : refuseKey(check, target, { [key]: value });
    if (failure) return failure;
  }
  return null;
}

function refuseKey(check: SchemaCheck, target: string, written: JsonObject): Failure | null {
  const problems = check(written);
  const first = problems[0];
  if (!first) return null;
  return {
    code: 'STATE_INVALID',
    message: `Expected ${target} to fit the state schema, but it does not: ${first.message}`,
    details: problems.map(({ pointer, message }) => ({ pointer: `/state${pointer}`, message })),
  };
}
