// Flow nodes: an example set of executors, enough to try a graph out: triggers, which hand the context on, and what
// chooses, waits and sets fields. Pass them with your own: `executors: { ...flowNodes, SEND_MAIL: … }`.

import { given } from '../../../base/given.ts';
import { isJsonArray, type Json, type JsonObject } from '../../../base/json.ts';
import { forbiddenKeys, isJsonObject, readPath, writePath } from '../../../base/path.ts';
import { stableStringify } from '../../../base/stable-json.ts';
import { ActionError } from '../../../executor/action-error.ts';
import type { NodeExecutor, NodeExecutors } from './node-executor.ts';

/** HN40: a trigger hands the context on as it is. */
const handOn: NodeExecutor = ({ context }) => context;

export const flowNodes = {
  INITIAL: handOn,
  MANUAL_TRIGGER: handOn,
  WEBHOOK_TRIGGER: handOn,
  SCHEDULE_TRIGGER: handOn,
  EVENT_TRIGGER: handOn,
  WORKFLOW_FINISHED_TRIGGER: handOn,

  /** `{ condition?: { field, operator, value } }`; handles `true` and `false`. */
  IF_ELSE: ({ data, context, nodeId }) => ({
    ...context,
    _branch: `${holds(data['condition'], context, nodeId)}`,
  }),

  /** `{ field, cases: [{ value, handle }] }`; the first that equals, else `default`. */
  SWITCH: ({ data, context, nodeId }) => ({ ...context, _branch: choose(data, context, nodeId) }),

  /** `{ seconds }` or `{ until }`, and a `label`. */
  WAIT: ({ data: { seconds, until, label }, context, nodeId }) => {
    refuseWait(nodeId, seconds, until);
    return {
      ...context,
      ...given({
        _wait: seconds === undefined ? undefined : withLabel({ seconds: Number(seconds) }, label),
        _waitUntil: until === undefined ? undefined : withLabel({ timestamp: until }, label),
      }),
    };
  },

  /** `{ fields: { "user.name": "Ada" } }`: values by (dotted) path. */
  SET_FIELDS: ({ data, context, nodeId }) => setFields(data['fields'] ?? {}, context, nodeId),
} satisfies NodeExecutors;

/** HN44: what a form field gives, a number as text, will do; anything that is no time is a mistake. */
function refuseWait(nodeId: string, seconds: Json | undefined, until: Json | undefined): void {
  const isNumber = (typeof seconds === 'number' || typeof seconds === 'string') && !Number.isNaN(toNumber(seconds));
  if (seconds !== undefined && !isNumber) throw mistake(nodeId, 'a number of seconds', seconds);
  if (until !== undefined && (typeof until !== 'string' || Number.isNaN(Date.parse(until))))
    throw mistake(nodeId, 'a time to wait until, such as "2030-01-01T00:00:00Z"', until);
  if (seconds === undefined && until === undefined) throw mistake(nodeId, 'seconds or until', null);
}

const withLabel = (wait: JsonObject, label: Json | undefined): JsonObject =>
  label === undefined ? wait : { ...wait, label };

const operators = {
  equals: areEqual,
  not_equals: (left, right) => !areEqual(left, right),
  contains: (left, right) => includes(left, right),
  not_contains: (left, right) => !includes(left, right),
  greater_than: (left, right) => toNumber(left) > toNumber(right),
  greater_or_equal: (left, right) => toNumber(left) >= toNumber(right),
  less_than: (left, right) => toNumber(left) < toNumber(right),
  less_or_equal: (left, right) => toNumber(left) <= toNumber(right),
  exists: (left) => left !== null,
  not_exists: (left) => left === null,
} satisfies Record<string, (left: Json, right: Json) => boolean>;

/** HN41: without a condition it holds; a field that is missing is null. */
function holds(condition: Json | undefined, context: JsonObject, nodeId: string): boolean {
  if (condition === undefined || condition === null) return true;
  const { field = null, operator = null, value = null } = isJsonObject(condition) ? condition : {};
  if (typeof field !== 'string') throw mistake(nodeId, 'a field to look at, such as "user.age"', field);
  if (!isOperator(operator)) throw mistake(nodeId, `an operator (${Object.keys(operators).join(', ')})`, operator);
  const left = readPath(context, field.split('.')) ?? null;
  return operators[operator](left, value);
}

const isOperator = (name: Json): name is keyof typeof operators =>
  typeof name === 'string' && Object.hasOwn(operators, name);

/** HN42: texts are equal whatever their case, a number and its text too, and null equals nothing, not even null. */
function areEqual(left: Json, right: Json): boolean {
  if (left === null || right === null) return false;
  return foldCase(left) === foldCase(right);
}

function includes(left: Json, right: Json): boolean {
  if (left === null || right === null) return false;
  if (Array.isArray(left)) return left.some((item: Json) => areEqual(item, right));
  return foldCase(left).includes(foldCase(right));
}

const foldCase = (value: Json): string => (typeof value === 'string' ? value : stableStringify(value)).toLowerCase();

/** HN43: what is compared by size is made a number; what is none is neither more nor less than anything. */
function toNumber(value: Json): number {
  if (typeof value === 'string') return value.trim() === '' ? Number.NaN : Number(value);
  return typeof value === 'number' || typeof value === 'boolean' ? Number(value) : Number.NaN;
}

function choose({ field = null, cases = [] }: JsonObject, context: JsonObject, nodeId: string): string {
  if (typeof field !== 'string') throw mistake(nodeId, 'a field to look at, such as "user.age"', field);
  if (!isJsonArray(cases)) throw mistake(nodeId, 'a list of cases', cases);
  const value = readPath(context, field.split('.')) ?? null;
  const found = cases.find((one) => isJsonObject(one) && areEqual(value, one['value'] ?? null));
  const handle = isJsonObject(found) ? found['handle'] : 'default';
  if (typeof handle !== 'string') throw mistake(nodeId, 'a handle for every case', handle ?? null);
  return handle;
}

function setFields(fields: Json, context: JsonObject, nodeId: string): JsonObject {
  if (!isJsonObject(fields)) throw mistake(nodeId, 'an object of fields', fields);
  return Object.entries(fields).reduce<JsonObject>((changed, [field, value]) => {
    const path = field.split('.');
    if (path.some((key) => key === '' || forbiddenKeys.has(key))) throw mistake(nodeId, 'a path such as "a.b"', field);
    return writePath(changed, path, value) as JsonObject; // below an object
  }, context);
}

function mistake(nodeId: string, expected: string, found: Json): ActionError {
  const message = `Expected the data of node "${nodeId}" to have ${expected}, but found ${JSON.stringify(found)}`;
  return new ActionError(message, { code: 'DATA_INVALID', retryable: false });
}
