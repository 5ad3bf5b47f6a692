// Take output: from what an action returned to what is reported. Checked by its schema, copied, plain JSON in bounds.

import type { Task, TaskOutcome } from '../actor/ports.ts';
import { copyToJson, type NotJson, toJson } from '../base/check-json.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import { type Limits, type TaskLimits, taskLimitOrigin } from '../definition/limits.ts';
import type { CompiledAction } from './compile-action.ts';
import { failedBy, failedByComplaints } from './outcome.ts';
import type { Checked } from './schema-check.ts';

export type OutputBounds = TaskLimits<'payloadBytesMax' | 'jsonDepthMax'>;
type OutputLimits = OutputBounds['limits'];

/** A workflow may take less than the engine allows. */
export function limitsOf({ limits }: Pick<Task, 'limits'>, engine: Limits): OutputLimits {
  const { payloadBytesMax, jsonDepthMax } = engine;
  if (limits.payloadBytesMax >= payloadBytesMax && limits.jsonDepthMax >= jsonDepthMax) return engine;
  return {
    payloadBytesMax: Math.min(limits.payloadBytesMax, payloadBytesMax),
    jsonDepthMax: Math.min(limits.jsonDepthMax, jsonDepthMax),
  };
}

export function takeOutput(
  result: unknown,
  action: CompiledAction,
  bounds: OutputBounds,
): TaskOutcome | Promise<TaskOutcome> {
  if (action.output === null || action.output.isJsonSchema) return toOutput(result, action, bounds);
  const checked = action.output.check(result);
  const judge = (known: Checked) => (known.ok ? toOutput(known.value, action, bounds) : misfit(known, action));
  return checked instanceof Promise ? checked.then(judge) : judge(checked);
}

// EX8: a result is plain JSON within the limits and fits the action's schema, or the task has failed.
function toOutput(result: unknown, action: CompiledAction, bounds: OutputBounds): TaskOutcome {
  // An action that returns nothing has the empty output.
  const json = copyToJson(result === undefined ? {} : result, boundsOf(bounds.limits));
  if (!json.ok) {
    const failure = describeRefusal(json, result, `action "${action.name}"`, bounds);
    return failedBy(failure, { action, retryable: false });
  }
  const output = json.value;
  if (action.output === null || !action.output.isJsonSchema) return { type: 'completed', output };
  const checked = action.output.check(output) as Checked; // A JSON Schema answers at once.
  return checked.ok ? { type: 'completed', output } : misfit(checked, action);
}

export type TakenResult =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure };

/** What was returned, copied as plain JSON within the limits. `by`: who returned it, for people. */
export function takeResult(result: unknown, by: string, bounds: OutputBounds): TakenResult {
  const json = copyToJson(result, boundsOf(bounds.limits));
  return json.ok ? json : { ok: false, failure: describeRefusal(json, result, by, bounds) };
}

function describeRefusal(json: NotJson, result: unknown, by: string, bounds: OutputBounds): Failure {
  if (json.code === 'TOO_LARGE') return tooLarge(result, by, bounds);
  return json.code === 'TOO_DEEP' ? tooDeep(json, by, bounds) : notJson(json, by);
}

const boundsOf = ({ jsonDepthMax, payloadBytesMax }: OutputLimits, bytesMax: number = payloadBytesMax) => ({
  bytesMax,
  depthMax: jsonDepthMax,
  limitName: 'payloadBytesMax',
});

function misfit({ complaints }: Extract<Checked, { ok: false }>, action: CompiledAction): TaskOutcome {
  return failedByComplaints(complaints, { action, name: action.name, side: 'output' });
}

function notJson({ pointer, message }: NotJson, by: string): Failure {
  const text = `Expected ${by} to return plain JSON, but at "${pointer}": ${message}`;
  return { code: 'ACTION_OUTPUT_INVALID', message: text, details: [{ pointer, message }] };
}

function tooDeep({ pointer, message }: NotJson, by: string, bounds: OutputBounds): Failure {
  const wanted = `the result of ${by} to have at most ${bounds.limits.jsonDepthMax} levels (limit jsonDepthMax)`;
  const text = `Expected ${wanted}, but it has more, or contains itself; ${taskLimitOrigin('jsonDepthMax', bounds)}`;
  return { code: 'LIMIT_EXCEEDED', message: text, limit: 'jsonDepthMax', details: [{ pointer, message }] };
}

/** A size is counted up to so many times the limit: beyond it only that there is more is said. */
const countedFactor = 32;

// AR9: a result that is too large fails its task, and the message says how large it is and what to do. It never becomes
// something else.
function tooLarge(result: unknown, by: string, bounds: OutputBounds): Failure {
  const { limits } = bounds;
  const { payloadBytesMax } = limits;
  const countedMax = payloadBytesMax * countedFactor;
  const counted = toJson(result, boundsOf(limits, countedMax));
  const found = counted.ok
    ? `it has ${counted.bytes}`
    : `it has more than ${counted.code === 'TOO_LARGE' ? countedMax : payloadBytesMax}`;
  const wanted = `the result of ${by} to have at most ${payloadBytesMax} bytes of JSON (limit payloadBytesMax)`;
  const remedy = 'put the data with artifacts.put and return its reference';
  return {
    code: 'LIMIT_EXCEEDED',
    message: `Expected ${wanted}, but ${found}; ${remedy}, or raise the limit (${taskLimitOrigin('payloadBytesMax', bounds)})`,
    limit: 'payloadBytesMax',
    details: [{ pointer: '', message: found }],
  };
}
