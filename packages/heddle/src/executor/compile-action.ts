// Compile action: from what a user wrote to what the executor runs, with every problem told at once.

import type { TaskOutcome } from '../actor/ports.ts';
import { assert } from '../base/assert.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { checkObject } from '../definition/check-shape.ts';
import { compileRetry } from '../definition/compile-node.ts';
import { definitionShape } from '../definition/fields.ts';
import type { RetryPolicy } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { Reporter } from '../definition/reporter.ts';
import type { Field, NumberShape, ObjectShape } from '../definition/shape.ts';
import { type ExecutionSettings, expandExecution } from '../definition/shorthand.ts';
import type { Action, ActionContext, ActionObject, Schema } from './action.ts';
import type { Rate } from './rate-window.ts';
import { compileSchemaCheck, type SchemaCheck } from './schema-check.ts';

export interface CompiledAction {
  readonly type: 'ready';
  readonly name: string;
  readonly run: (context: ActionContext<unknown>) => unknown;
  readonly input: SchemaCheck | null;
  readonly output: SchemaCheck | null;
  readonly timeoutMs: number | null;
  readonly retry: RetryPolicy | null;
  readonly concurrency: number;
  readonly rate: Rate | null;
  readonly cost: number;
  readonly version: number | null;
}

/** What others may know of an action. */
export type LocalAction = Pick<CompiledAction, 'version' | 'cost' | 'timeoutMs'>;

/** What stands in for an action that there is none of: every task of it fails like this. */
export interface RefusedAction {
  readonly type: 'refused';
  readonly outcome: Extract<TaskOutcome, { type: 'failed' }>;
}

/** Nobody here has it: workers outside the process may. */
export interface OutsideAction {
  readonly type: 'outside';
}

/** What an attempt can be made of. */
export type CallableAction = CompiledAction | RefusedAction;

/** Nobody has it now; somebody may later. */
export interface MissingAction {
  readonly type: 'missing';
  readonly failure: Failure;
}

export type ResolvedAction = CallableAction | OutsideAction | MissingAction;

export interface ActionSource {
  readonly name: string;
  readonly action: Action;
  /** Where it stands, for problems: `/score`. */
  readonly pointer: string;
}

/** The action, or what is wrong with it. */
export function compileAction(
  { name, action, pointer }: ActionSource,
  limits: Limits,
): { readonly action: CompiledAction } | { readonly problems: readonly Problem[] } {
  const reporter = new Reporter();
  const source: unknown = typeof action === 'function' ? { run: action } : action;
  if (!isActionObject(source)) {
    reporter.error('WRONG_TYPE', pointer, {
      message: `Expected action "${name}" to be a function or an object with a function "run", but found ${kindOf(source)}`,
    });
    return { problems: reporter.problems };
  }
  const given = pickSettings(source) as Json; // If it is none, the check says so.
  // What its shape lets through.
  const settings = checkObject({ limits, reporter }, settingsShape, given, { pointer, name }).draft as Settings;
  // DF100: `execution {retry_policy, timeout_ms}` of an action stands for its `retry` and `timeoutMs`, as for a node (DF7).
  expandExecution(settings, `action "${name}"`, reporter);
  const checks = {
    input: compileSide(source.input, `${pointer}/input`, reporter),
    output: compileSide(source.output, `${pointer}/output`, reporter),
  };
  if (reporter.hasErrors) return { problems: reporter.problems };
  return { action: assemble(name, source, { settings, checks, limits }) };
}

interface Settings extends ExecutionSettings {
  readonly concurrency?: number;
  readonly rate?: Rate;
  readonly cost?: number;
  readonly version?: number;
}

const whole = (bounds: Omit<NumberShape, 'type' | 'integer'>): NumberShape => ({
  type: 'number',
  integer: true,
  ...bounds,
});

/** A window remembers its starts: 8 bytes each. */
const rateLimitMax = 1_000_000;

const rateShape: ObjectShape = {
  type: 'object',
  what: 'a rate',
  fields: {
    limit: { shape: whole({ min: 1, max: rateLimitMax }), required: true, description: 'Starts in one window.' },
    perMs: {
      shape: whole({ min: 1, limit: 'timeoutMsMax' }),
      required: true,
      description: 'The window, in milliseconds.',
    },
  },
};

const settingsShape: ObjectShape = {
  type: 'object',
  what: 'an action',
  fields: {
    timeoutMs: {
      shape: whole({ min: 0, limit: 'timeoutMsMax' }),
      description: 'The longest that one attempt may take.',
    },
    retry: nodeField('retry'),
    concurrency: { shape: whole({ min: 1 }), description: 'How many may be under way at one time.' },
    rate: { shape: rateShape, description: 'How often it may start.' },
    cost: { shape: whole({ min: 0 }), description: 'What one execution costs, in credits.' },
    version: { shape: whole({ min: 1 }), description: 'The version of the action.' },
    execution: nodeField('execution'),
  },
};

/** The policy of an action is written like that of a node. */
function nodeField(name: 'retry' | 'execution'): Field {
  const nodes = definitionShape.fields['nodes']?.shape;
  const node = nodes?.type === 'list' ? nodes.of : undefined;
  const field = node?.type === 'object' ? node.fields[name] : undefined;
  assert(field, `Expected nodes to have a field "${name}", but they have none`);
  return field;
}

/** All that a plain object has beside the action itself; of an instance of a class, which has more, what we know. */
function pickSettings(source: ActionObject): object {
  const isPlain = Object.getPrototypeOf(source) === Object.prototype;
  const keys = isPlain ? Object.keys(source) : Object.keys(settingsShape.fields);
  // Any object can be read by key.
  const members = keys.map((key): [string, unknown] => [key, (source as unknown as Record<string, unknown>)[key]]);
  return Object.fromEntries(members.filter(([key, value]) => value !== undefined && !ownParts.has(key)));
}

const ownParts: ReadonlySet<string> = new Set(['name', 'run', 'input', 'output']);

function isActionObject(source: unknown): source is ActionObject {
  return typeof source === 'object' && source !== null && 'run' in source && typeof source.run === 'function';
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return `${value}`;
  return typeof value === 'object' ? 'an object without it' : `a ${typeof value}`;
}

function compileSide(schema: Schema | undefined, pointer: string, reporter: Reporter): SchemaCheck | null {
  if (schema === undefined) return null;
  const check = compileSchemaCheck(schema);
  if ('check' in check) return check;
  reporter.error('INVALID_SCHEMA', pointer + check.pointer, { message: check.message });
  return null;
}

function assemble(
  name: string,
  source: ActionObject,
  parts: { settings: Settings; checks: Pick<CompiledAction, 'input' | 'output'>; limits: Limits },
): CompiledAction {
  const { timeoutMs, retry, concurrency = Infinity, rate, cost, version } = parts.settings;
  return {
    type: 'ready',
    name,
    // As a method, so that an action may be an instance of a class. That it takes this input, its schema has said.
    run: (context) => source.run(context as ActionContext),
    ...parts.checks,
    timeoutMs: timeoutMs ?? null,
    retry: retry === undefined ? null : compileRetry(retry),
    concurrency: Math.min(concurrency, parts.limits.concurrencyPerAction),
    rate: rate ?? null,
    cost: cost ?? 0,
    version: version ?? null,
  };
}
