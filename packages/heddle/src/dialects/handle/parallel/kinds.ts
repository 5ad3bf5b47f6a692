// Kinds: the node types that a parallel graph has of its own. Each says what its settings look like, which handles it has,
// what it becomes, and when an edge of a handle is followed. Rules DR10 to DR19 and DR37.

import { given } from '../../../base/given.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { isJsonObject } from '../../../base/path.ts';
import { joinTarget } from '../../../base/targets.ts';
import { checkSchema } from '../../../definition/check-expressions.ts';
import type { JsonSchema, TransitionDefinition } from '../../../definition/definition.ts';
import type { EditDefinition, LoweredNode } from '../../../definition/lowered.ts';
import { eventName, workflowName } from '../../../definition/names.ts';
import type { Field, ObjectShape, Shape } from '../../../definition/shape.ts';
import type { ShapeCheck } from '../../../definition/shape-reports.ts';
import { listHandles, type MadeHandles } from '../../catalogue/entry.ts';
import { mainHandle } from '../graph.ts';
import type { NormalHandleNode } from '../normal.ts';
import { expressionIn, type FoundExpression, nodeOutput, readExpression, toSource } from './values.ts';

/** When an edge is followed. */
export type Way = Pick<TransitionDefinition, 'on' | 'condition'>;

/** What an editor shows of it. */
export interface KindLabel {
  readonly title: string;
  readonly description: string;
  readonly category: 'Flow' | 'People and events' | 'Lists';
  readonly icon: string;
}

export interface Kind {
  readonly label: KindLabel;
  readonly settings: ObjectShape;
  /** Settings that are expressions, with or without `=`. */
  readonly expressions?: readonly string[];
  /** Those that lie deeper. */
  readonly nested?: (data: JsonObject) => readonly FoundExpression[];
  /** What the shape of its settings does not say. */
  readonly checkMore?: (settings: Readonly<Record<string, unknown>>, check: ShapeCheck) => void;
  readonly handles: (data: JsonObject) => readonly string[];
  /** How they are made, where settings name them. */
  readonly madeHandles?: MadeHandles;
  readonly lower: (node: NormalHandleNode, data: JsonObject) => Omit<LoweredNode, 'id'>;
  readonly way: (handle: string, id: string, data: JsonObject) => Way;
  /** Its children run for each item, or each slice, of a list. */
  readonly isContainer?: true;
}

export const errorHandle = 'error';
export const groupKind = 'core.group';
const groupHandles: MadeHandles = { from: 'handles' };
const timeoutHandle = 'timeout';

const text: Shape = { type: 'text', what: 'a text' };
const expression: Shape = { type: 'text', what: 'an expression' };
const milliseconds: Shape = { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' };
const textOrNumber: Shape = { type: 'either', of: [{ type: 'number', integer: false }, expression] };

function settingsOf(what: string, fields: Readonly<Record<string, Field>>): ObjectShape {
  return { type: 'object', what: `the settings of ${what}`, fields };
}

const keep = (id: string, path: readonly string[]): Pick<LoweredNode, 'edits'> => ({
  edits: [{ set: [id], to: { path } }],
});
const always = (): Way => ({});
const onlyMain = (): readonly string[] => [mainHandle];

/** Ends by time are failures with a code of their own. */
const orTimeout =
  (code: string) =>
  (handle: string): Way =>
    handle === timeoutHandle ? { on: 'failure', condition: `state._last_error.code == ${JSON.stringify(code)}` } : {};

const textOf = (value: Json | undefined): string | { readonly expression: string } | undefined => {
  const source = readExpression(value);
  return source === null ? (value as string | undefined) : { expression: source }; // a text, by its shape
};

const numberOrExpression = (value: Json | undefined): number | string =>
  typeof value === 'number' ? value : expressionIn(value);

interface SwitchCase {
  readonly when?: string;
  readonly equals?: Json;
  readonly handle: string;
}

/** By its shape; while it is checked, it may be anything. */
function casesIn({ cases }: JsonObject): readonly SwitchCase[] {
  return Array.isArray(cases) ? (cases.filter(isJsonObject) as unknown as readonly SwitchCase[]) : []; // see above
}

const loopFields: Readonly<Record<string, Field>> = {
  items: { shape: expression, required: true, description: 'An expression that gives the list.' },
  parallel: {
    shape: { type: 'number', integer: true, min: 1, limit: 'branchesPerFanOutMax' },
    description: 'How many are under way at one time. Default: 1.',
  },
  output: { shape: expression, description: 'What each comes to. Default: the outputs of its last nodes.' },
  tolerateFailures: {
    shape: { type: 'either', of: [{ type: 'boolean' }, { type: 'number', integer: true, min: 1 }] },
    description: 'True, or how many of them may fail. The output then says of each how it ended.',
  },
};

function makeContainer(
  label: KindLabel,
  what: string,
  batchSize: (data: JsonObject) => number,
  fields: Readonly<Record<string, Field>>,
): Kind {
  return {
    label,
    settings: settingsOf(what, { ...loopFields, ...fields }),
    expressions: ['items', 'output'],
    handles: onlyMain,
    way: always,
    isContainer: true,
    lower: ({ id }, data) => ({
      batch: {
        items: joinTarget(['state', id]),
        collection: expressionIn(data['items']),
        label: 'items',
        batchSize: batchSize(data),
        parallelBatches: (data['parallel'] ?? 1) as number, // by its shape
        ...given({ itemVar: batchSize(data) === 1 ? 'item' : undefined }),
      },
      ...keep(id, ['result']),
    }),
  };
}

const kinds: Readonly<Record<string, Kind>> = {
  // DR10: a condition has the handles `true` and `false`.
  'core.condition': {
    label: { title: 'Condition', description: 'Goes one way or the other.', category: 'Flow', icon: 'split' },
    settings: settingsOf('a condition', {
      condition: { shape: expression, required: true, description: 'An expression that is true or false.' },
    }),
    expressions: ['condition'],
    handles: () => ['true', 'false'],
    lower: ({ id }, data) => ({
      edits: [{ set: [id], to: { expression: `(${expressionIn(data['condition'])}) ? true : false` }, required: true }],
    }),
    way: (handle, id) => ({ condition: handle === 'true' ? nodeOutput(id) : `!${nodeOutput(id)}` }),
  },
  // DR11: a switch takes the handle of the first case that holds, else `default`.
  'core.switch': {
    label: {
      title: 'Switch',
      description: 'Goes the way of the first case that holds.',
      category: 'Flow',
      icon: 'route',
    },
    settings: settingsOf('a switch', {
      value: { shape: expression, description: 'What the cases are compared with.' },
      cases: {
        required: true,
        description: 'The first that holds counts.',
        shape: {
          type: 'list',
          of: {
            type: 'object',
            what: 'a case',
            exactlyOne: ['when', 'equals'],
            fields: {
              when: { shape: expression, description: 'An expression that is true or false.' },
              equals: { shape: { type: 'opaque' }, description: 'The value that `value` must equal.' },
              handle: { shape: text, required: true, description: 'The handle that is taken.' },
            },
          },
        },
      },
    }),
    expressions: ['value'],
    checkMore: (settings, { reporter }) => {
      const { value, cases } = settings;
      const compares = Array.isArray(cases) && cases.some((one: unknown) => Object.hasOwn(Object(one), 'equals'));
      if (!compares || value !== undefined) return;
      const message = 'Expected a switch with cases that have "equals" to have a "value" to compare, but it has none';
      reporter.error('MISSING_FIELD', reporter.origins.of(settings, 'cases'), { message });
    },
    nested: (data) =>
      casesIn(data).flatMap(({ when }, index) =>
        typeof when === 'string' ? [{ source: expressionIn(when), pointer: `/cases/${index}/when` }] : [],
      ),
    handles: (data) => [...new Set([...casesIn(data).map(({ handle }) => handle), 'default'])],
    madeHandles: { from: 'cases', key: 'handle', also: ['default'] },
    lower: ({ id }, data) => {
      const holds = ({ when, equals }: SwitchCase): string =>
        when === undefined ? `(${expressionIn(data['value'])}) == ${JSON.stringify(equals)}` : expressionIn(when);
      const chosen = casesIn(data)
        .toReversed()
        .reduce((rest, one) => `(${holds(one)}) ? ${JSON.stringify(one.handle)} : (${rest})`, '"default"');
      return { edits: [{ set: [id], to: { expression: chosen }, required: true }] };
    },
    way: (handle, id) => ({ condition: `${nodeOutput(id)} == ${JSON.stringify(handle)}` }),
  },
  // DR12: a prompt asks a person; its output is the answer, and with `timeout` an edge is followed when none came in time.
  'core.prompt': {
    label: {
      title: 'Ask a person',
      description: 'Waits for an answer.',
      category: 'People and events',
      icon: 'user',
    },
    settings: settingsOf('a prompt', {
      title: { shape: text, description: 'What is asked.' },
      description: { shape: text, description: 'What a person needs to know for an answer.' },
      schema: { shape: { type: 'schema' }, description: 'What an answer must look like.' },
      deadlineMs: { shape: milliseconds, description: 'How long an answer is waited for.' },
    }),
    checkMore: (settings, check) =>
      checkSchema(check, settings, 'schema', settings['schema'] as JsonSchema | undefined), // by its shape
    handles: () => [mainHandle, timeoutHandle],
    lower: ({ id }, { title, description, schema, deadlineMs }) => ({
      input: {
        ...given({ title: textOf(title), description: textOf(description) }),
        ...given({ schema, deadlineMs }),
      } as LoweredNode['input'] & object, // by its shape
      ...keep(id, ['result']),
    }),
    way: orTimeout('INPUT_EXPIRED'),
  },
  // DR13: a wait for an event; its output is the event's payload.
  'core.event': {
    label: {
      title: 'Wait for an event',
      description: 'Waits until an event is published.',
      category: 'People and events',
      icon: 'bell',
    },
    settings: settingsOf('a wait for an event', {
      event: { shape: eventName, required: true, description: 'The name of the event.' },
      correlation: { shape: expression, description: 'An expression for the key that the event must have.' },
      timeoutMs: { shape: milliseconds, description: 'How long it is waited for.' },
      since: { shape: { type: 'choice', values: ['start', 'wait', 'any'] }, description: 'From when on events count.' },
      once: { shape: { type: 'boolean' }, description: 'The event ends no other wait.' },
    }),
    expressions: ['correlation'],
    handles: () => [mainHandle, timeoutHandle],
    lower: ({ id }, { correlation, ...wait }) => ({
      wait: {
        ...wait,
        ...given({ correlation: correlation === undefined ? undefined : expressionIn(correlation) }),
      } as LoweredNode['wait'] & object, // by its shape
      ...keep(id, ['result']),
    }),
    way: orTimeout('EVENT_TIMED_OUT'),
  },
  // DR14: a timer waits.
  'core.timer': {
    label: { title: 'Timer', description: 'Waits for a time.', category: 'Flow', icon: 'clock' },
    settings: {
      ...settingsOf('a timer', {
        seconds: { shape: textOrNumber, description: 'How long, or an expression for it.' },
        until: {
          shape: textOrNumber,
          description: 'Until when: milliseconds since 1970, or an expression for them or for a text of ISO 8601.',
        },
      }),
      exactlyOne: ['seconds', 'until'],
    },
    expressions: ['seconds', 'until'],
    handles: onlyMain,
    lower: (_, { seconds, until }) => ({
      wait: seconds === undefined ? { until: numberOrExpression(until) } : { seconds: numberOrExpression(seconds) },
    }),
    way: always,
  },
  // DR15: a sub-workflow runs with the given input; its output is the node's.
  'core.workflow': {
    label: { title: 'Run a workflow', description: 'Runs another workflow.', category: 'Flow', icon: 'workflow' },
    settings: settingsOf('a sub-workflow', {
      workflow: { shape: workflowName, required: true, description: 'The workflow to run.' },
      version: { shape: { type: 'number', integer: true, min: 1 }, description: 'Absent: the newest.' },
      input: { shape: { type: 'map', of: { type: 'opaque' } }, description: 'Its input.' },
      timeoutMs: { shape: milliseconds, description: 'The longest that it may take.' },
      inheritArtifacts: { shape: { type: 'boolean' }, description: 'It can read the artifacts of this run.' },
    }),
    handles: onlyMain,
    lower: ({ id }, { workflow, input = {}, ...call }) => ({
      workflow: { id: workflow as string, ...call }, // by its shape
      inputEdits: lowerSettings(input as JsonObject), // by its shape
      ...keep(id, ['result']),
    }),
    way: always,
  },
  // DR16: for each item of a list its children run.
  'core.foreach': makeContainer(
    {
      title: 'For each',
      description: 'Runs what is drawn in it for each item of a list.',
      category: 'Lists',
      icon: 'repeat',
    },
    'a foreach',
    () => 1,
    {},
  ),
  // DR17: for each slice of a list its children run.
  'core.batch': makeContainer(
    {
      title: 'Batch',
      description: 'Runs what is drawn in it for each slice of a list.',
      category: 'Lists',
      icon: 'layers',
    },
    'a batch',
    (data) => (data['size'] ?? 0) as number, // by its shape
    {
      size: { shape: { type: 'number', integer: true, min: 0 }, description: 'Items of one slice. 0: all of them.' },
    },
  ),
  // DR37: a group runs what is drawn in it once, as one step; it may take one of several handles.
  [groupKind]: {
    label: { title: 'Group', description: 'Runs what is drawn in it, as one step.', category: 'Flow', icon: 'group' },
    settings: settingsOf('a group', {
      output: { shape: expression, description: 'What it comes to. Default: the outputs of its last nodes.' },
      handle: { shape: expression, description: 'The handle that is taken. Default, and if it is null: all.' },
      handles: { shape: { type: 'list', of: text }, description: 'The handles that there are. Default: main.' },
    }),
    expressions: ['output', 'handle'],
    handles: (data) => listHandles({ handles: groupHandles }, data) ?? [],
    madeHandles: groupHandles,
    isContainer: true,
    lower: ({ id }) => ({
      // One slice, which has no item of its own: what is read as `item` in it is that of the list around it.
      batch: {
        items: joinTarget(['state', id]),
        collection: '[null]',
        label: 'group',
        batchSize: 0,
        parallelBatches: 1,
      },
      edits: [{ set: [id], to: { expression: 'result[0].output' }, required: true }],
    }),
    way: (handle, _, { handle: chosen }) =>
      chosen === undefined
        ? {}
        : { condition: `result[0].handle == null || result[0].handle == ${JSON.stringify(handle)}` },
  },
  // DR18: a merge waits for all ways to it, and gives what their nodes put out, by id.
  'core.merge': {
    label: { title: 'Merge', description: 'Puts together what ways bring.', category: 'Flow', icon: 'merge' },
    settings: settingsOf('a merge', {
      require: {
        shape: { type: 'choice', values: ['some', 'all'] },
        description: 'Whether one way is enough (default), or all must be taken.',
      },
    }),
    handles: onlyMain,
    lower: () => ({}),
    way: always,
  },
  // DR19: an end gives the run its output.
  'core.end': {
    label: { title: 'End', description: 'Gives the run its output.', category: 'Flow', icon: 'flag' },
    settings: settingsOf('an end', { output: { shape: { type: 'opaque' }, description: 'The output of the run.' } }),
    handles: () => [],
    lower: ({ id }, { output = null }) => ({ edits: [{ set: [id], to: toSource(output) }] }),
    way: always,
  },
};

export const findKind = (type: string): Kind | undefined => (Object.hasOwn(kinds, type) ? kinds[type] : undefined);
export const kindNames: readonly string[] = Object.keys(kinds);

/** DR6: what an action is given: its settings, with the values of their expressions. */
export function lowerSettings(data: JsonObject): EditDefinition[] {
  return Object.entries(data).map(([key, value]) => ({ set: [key], to: toSource(value) }));
}
