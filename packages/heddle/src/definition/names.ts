// Names: what workflows, groups, actions, nodes and item variables may be called.

import { forbiddenKeys } from '../base/path.ts';
import { reservedNames } from '../expression/reserved-names.ts';
import type { TextShape } from './shape.ts';

/** Whether a text is a name of this kind. */
export function isName({ pattern, lengthMax = Infinity }: TextShape, text: string): boolean {
  const isShort = text.length <= lengthMax || Array.from(text).length <= lengthMax;
  return isShort && (pattern?.test(text) ?? true) && !forbiddenKeys.has(text);
}

export const workflowName: TextShape = {
  type: 'text',
  what: 'a workflow name',
  pattern: /^[A-Za-z][\w-]{0,127}$/,
  hint: 'Names begin with a letter and go on with at most 127 letters, digits, "_" or "-".',
};

/** What is wrong with the name of a workflow; null if nothing is. */
export function workflowNameHint(text: string): string | null {
  return isName(workflowName, text) ? null : (workflowName.hint ?? '');
}

export const actionName: TextShape = {
  type: 'text',
  what: 'an action name',
  pattern: /^[A-Za-z][\w.-]{0,127}$/,
  hint: 'Action names begin with a letter and go on with at most 127 letters, digits, "_", "-" or ".".',
};

/** Any printable text: drawing tools use `1` or UUIDs. Also the rule for group names, see `check-groups.ts`. */
export const nodeId: TextShape = {
  type: 'text',
  what: 'a node id',
  pattern: /^[^\p{C}\p{Zl}\p{Zp}]+$/u,
  lengthMax: 200,
  hint: 'Ids have 1 to 200 printable characters.',
};

export const eventName: TextShape = {
  ...nodeId,
  what: 'the name of an event',
  hint: 'Names of events have 1 to 200 printable characters.',
};

export const errorCode: TextShape = {
  type: 'text',
  what: 'an error code',
  pattern: /^[^\p{C}\p{Z}]+$/u,
  lengthMax: 200,
  hint: 'Error codes are words such as HTTP_TIMEOUT or card_declined, without spaces; leave "retryableErrors" out to retry all errors.',
};

export const transitionId: TextShape = { ...nodeId, what: 'a transition id' };

/** A name as authors give it, or the id of the node that fans out (the name of an implicit group). */
export const groupName: TextShape = { ...nodeId, what: 'a group name' };

export const groupNamePattern = /^[A-Za-z][\w-]{0,127}$/;

export const itemVariable: TextShape = {
  type: 'text',
  what: 'an item variable',
  pattern: /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
  hint: 'An item variable is a letter or "_", then letters, digits or "_".',
};

/** Names that expressions know already, or that the expression language keeps for itself. */
export const reservedVariables: ReadonlySet<string> = new Set([
  'input',
  'state',
  'output',
  'result',
  '_branch',
  '_trigger',
  '_batch',
  '_last_error',
  '_failure',
  ...forbiddenKeys,
  ...reservedNames,
]);
