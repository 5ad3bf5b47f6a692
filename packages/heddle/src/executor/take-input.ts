// Take input: from the task's input to what the action receives. A copy, checked, and as its schema makes it.

import type { Task } from '../actor/ports.ts';
import type { Limits } from '../definition/limits.ts';
import type { CompiledAction } from './compile-action.ts';
import { copyData } from './copy-data.ts';
import { type Failed, failedBy, failedByComplaints } from './outcome.ts';
import type { Checked } from './schema-check.ts';

export type TakenInput =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly outcome: Failed };

export function takeInput(task: Task, action: CompiledAction, limits: Limits): TakenInput | Promise<TakenInput> {
  const { actionVersion } = task;
  if (!servesVersion(action, actionVersion)) return { ok: false, outcome: wrongVersion(action, actionVersion) };
  const copy = copyData(task.input, { depthMax: limits.jsonDepthMax, membersMax: Infinity });
  if (action.input === null) return { ok: true, value: copy };
  const checked = action.input.check(copy);
  return checked instanceof Promise ? checked.then((late) => judge(late, action)) : judge(checked, action);
}

// EX5: an input that does not fit the action's schema fails the task before the action is called.
function judge(checked: Checked, action: CompiledAction): TakenInput {
  if (checked.ok) return checked;
  return { ok: false, outcome: failedByComplaints(checked.complaints, { action, name: action.name, side: 'input' }) };
}

// EX12: a node that asks for a version of an action gets that one; an action without a version serves all.
export function servesVersion(action: Pick<CompiledAction, 'version'>, wanted: number | null): boolean {
  return wanted === null || action.version === null || wanted === action.version;
}

export function wrongVersion(action: CompiledAction, wanted: number | null): Failed {
  const message = `Expected action "${action.name}" in version ${wanted}, but version ${action.version} is registered`;
  return failedBy({ code: 'ACTION_NOT_FOUND', message }, { action, retryable: false });
}
