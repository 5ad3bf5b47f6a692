// Take output: from what an action returned to what is reported. Checked by its schema, copied, plain JSON in bounds.

import type { TaskOutcome } from '../actor/ports.ts';
import { copyToJson, type NotJson } from '../base/check-json.ts';
import type { Json } from '../base/json.ts';
import type { Limits } from '../definition/limits.ts';
import type { CompiledAction } from './compile-action.ts';
import { moveLargeValues, type PutArtifact } from './move-large-values.ts';
import { failedBy, failedByComplaints } from './outcome.ts';
import type { Checked } from './schema-check.ts';

type OutputLimits = Pick<Limits, 'payloadBytesMax' | 'jsonDepthMax' | 'artifactBytesMax' | 'inlineBytesMax'>;

/** What bounds a result, and where what is too much of it may go. */
export interface Room {
  readonly limits: OutputLimits;
  readonly put: PutArtifact;
}

export function takeOutput(result: unknown, action: CompiledAction, room: Room): TaskOutcome | Promise<TaskOutcome> {
  if (action.output === null || action.output.isJsonSchema) return toOutput(result, action, room);
  const checked = action.output.check(result);
  const judge = (known: Checked) => (known.ok ? toOutput(known.value, action, room) : misfit(known, action));
  return checked instanceof Promise ? checked.then(judge) : judge(checked);
}

// EX8: a result is plain JSON within the limits and fits the action's schema, or the task has failed.
function toOutput(result: unknown, action: CompiledAction, room: Room): TaskOutcome | Promise<TaskOutcome> {
  const { limits } = room;
  // An action that returns nothing has the empty output.
  if (result === undefined) return checkOutput({}, action);
  const bounds = { bytesMax: limits.payloadBytesMax, depthMax: limits.jsonDepthMax, limitName: 'payloadBytesMax' };
  const json = copyToJson(result, bounds);
  if (json.ok) return checkOutput(json.value, action);
  return json.code === 'TOO_LARGE' ? toSmaller(result, action, room) : notJson(json, action, limits);
}

// AR9: a result that is too large for the journal is made smaller: its large members become artifacts.
async function toSmaller(result: unknown, action: CompiledAction, { limits, put }: Room): Promise<TaskOutcome> {
  const { payloadBytesMax, jsonDepthMax, artifactBytesMax, inlineBytesMax } = limits;
  const bounds = { depthMax: jsonDepthMax, limitName: 'payloadBytesMax' };
  const whole = copyToJson(result, { ...bounds, bytesMax: Math.max(payloadBytesMax, artifactBytesMax) });
  if (!whole.ok) return notJson(whole, action, limits);
  const checked = checkOutput(whole.value, action);
  if (checked.type === 'failed') return checked;
  const smaller = copyToJson(await moveLargeValues(whole.value, inlineBytesMax, put), {
    ...bounds,
    bytesMax: payloadBytesMax,
  });
  return smaller.ok ? { type: 'completed', output: smaller.value } : notJson(smaller, action, limits);
}

function checkOutput(output: Json, action: CompiledAction): TaskOutcome {
  if (action.output === null || !action.output.isJsonSchema) return { type: 'completed', output };
  const checked = action.output.check(output) as Checked; // A JSON Schema answers at once.
  return checked.ok ? { type: 'completed', output } : misfit(checked, action);
}

function misfit({ complaints }: Extract<Checked, { ok: false }>, action: CompiledAction): TaskOutcome {
  return failedByComplaints(complaints, { action, name: action.name, side: 'output' });
}

function notJson({ code, pointer, message }: NotJson, action: CompiledAction, limits: OutputLimits): TaskOutcome {
  const details = [{ pointer, message }];
  if (code === 'NOT_JSON' || code === 'FORBIDDEN_KEY') {
    const text = `Expected action "${action.name}" to return plain JSON, but at "${pointer}": ${message}`;
    return failedBy({ code: 'ACTION_OUTPUT_INVALID', message: text, details }, { action, retryable: false });
  }
  const limit = code === 'TOO_LARGE' ? 'payloadBytesMax' : 'jsonDepthMax';
  const unit = code === 'TOO_LARGE' ? 'bytes of JSON' : 'levels';
  const wanted = `the result of action "${action.name}" to have at most ${limits[limit]} ${unit}`;
  const raise = `the limit ${limit} can be raised when the engine is made`;
  const text = `Expected ${wanted}, but it has more, or goes round in circles; ${raise}`;
  return failedBy({ code: 'LIMIT_EXCEEDED', message: text, limit, details }, { action, retryable: false });
}
