// Dialect tables: what each field of dataflow, thread and handle definitions and of triggers takes, from the guides
// "Bring your graph" and "Triggers" and the rules DA…, TH…, HN… and TR….

import {
  anything,
  condition,
  either,
  expression,
  flag,
  list,
  map,
  name,
  type ObjectTakes,
  object,
  objectBy,
  path,
  reference,
  schema,
  text,
  whole,
  word,
} from './takes.ts';
import { action, common, deadlineMs, retry, tokenTable } from './token-table.ts';

const century = 3_155_760_000_000;
const edgeNames = { type: anything, data: anything, label: anything };
const port = { 'name!': name('id'), type: text, description: text };
const drawnNames = 'position selected style hidden measured dragging width height zIndex animated markerEnd'.split(' ');
const drawn = Object.fromEntries(drawnNames.map((one) => [one, anything]));

const dataflowTable = object({
  ...common,
  'dialect!': word('dataflow'),
  inputSchema: schema,
  'nodes!': list(
    object({
      'id!': name('id'),
      'type!': name('action'),
      name: text,
      inputs: either(
        list(object({ ...port, value: anything, repeated: flag, required: flag }), { unique: 'name' }),
        map('port', anything),
      ),
      outputs: list(object(port), { unique: 'name' }),
      cost: whole(0),
      'retry|retryPolicy': retry,
      timeoutMs: whole(1, century),
      meta: anything,
      data: anything,
      ...drawn,
    }),
    { unique: 'id' },
  ),
  edges: list(
    object({
      id: name('id'),
      'source!': reference('UNKNOWN_NODE', true),
      'sourceOutput|sourceHandle|sourcePort': name('id'),
      'target!': reference('UNKNOWN_NODE', true),
      'targetInput|targetHandle|targetPort': name('id'),
      meta: anything,
      ...edgeNames,
      ...drawn,
    }),
    { unique: 'id' },
  ),
  decorative: list(name('action')),
  viewport: anything,
});

const reading = ['context', 'input', '_branch', '_batch', '_trigger'];
const mappings = (reads: readonly string[], writes: 'keys' | 'context') =>
  list(
    object(
      {
        'to!': path(writes),
        from: path('keys'),
        expression: expression(...reads),
        value: anything,
        optional: flag,
      },
      { oneOf: ['from', 'expression', 'value'] },
    ),
  );
const inputs = mappings(reading, 'keys');
const outputs = mappings([...reading, 'result'], 'context');
const contextPath = path('context');
const output = name('id');
const nodeTypes = 'start end edit switch action code fanOut fanIn batch gosub input'.split(' ');

const threadTable = object({
  ...common,
  dialect: word('thread'),
  inputSchema: schema,
  outputSchema: schema,
  'nodes!': list(
    objectBy(
      'type',
      { 'id!': name('id'), 'type!': word(...nodeTypes), title: text, meta: anything },
      {
        start: {
          initialize: list(
            object({
              'path!': contextPath,
              optional: flag,
              default: anything,
              expression: expression(...reading),
            }),
          ),
        },
        end: { mappings: mappings(reading, 'keys') },
        edit: {
          upserts: list(
            object(
              { 'path!': contextPath, value: anything, expression: expression(...reading) },
              { oneOf: ['value', 'expression'] },
            ),
          ),
          deletes: list(contextPath),
        },
        switch: {
          'entries!': list(object({ 'name!': output, expression: condition(...reading) }), {
            least: 1,
            unique: 'name',
          }),
        },
        action: { 'action!': action, inputs, outputs, retry, timeoutMs: whole(1, century) },
        code: {
          path: contextPath,
          expression: expression(...reading),
          set: list(object({ 'path!': contextPath, 'expression!': expression(...reading) })),
        },
        fanOut: { outputs: list(output) },
        fanIn: {},
        batch: {
          'items|inputArrayPath!': contextPath,
          batchSize: whole(0, 1_000_000_000, 'OUT_OF_RANGE'),
          parallelBatches: whole(1, 100_000),
        },
        gosub: { 'workflow|workflowId!': name('workflow'), version: whole(1), inputs, outputs },
        input: { schema, deadlineMs },
      },
    ),
    { least: 1, unique: 'id' },
  ),
  connectors: list(
    object({
      'from!': reference('UNKNOWN_NODE'),
      output: reference('UNKNOWN_OUTPUT'),
      'to!': reference('UNKNOWN_NODE'),
      meta: anything,
    }),
  ),
});

const handleTable = object({
  ...common,
  dialect: word('handle'),
  'nodes!': list(
    object({
      'id!': name('id'),
      type: name('action'),
      name: text,
      data: map('free', anything),
      meta: anything,
      ...drawn,
    }),
    { least: 1, unique: 'id' },
  ),
  'connections|edges': list(
    object({
      id: name('id'),
      'fromNodeId|source!': reference('UNKNOWN_NODE'),
      'toNodeId|target!': reference('UNKNOWN_NODE'),
      'fromOutput|sourceHandle': name('id'),
      'toInput|targetHandle': name('id'),
      meta: anything,
      ...edgeNames,
      ...drawn,
    }),
    { unique: 'id' },
  ),
  decorative: list(name('action')),
  maxNodes: whole(1, 50),
  viewport: anything,
});

const triggerTable = objectBy(
  'type',
  {
    'id!': name('trigger'),
    'type!': word('manual', 'event', 'schedule', 'workflow_finished'),
    'workflow|workflowId!': name('workflow'),
    name: text,
    description: text,
    enabled: flag,
    input: map('keys', expression('event')),
    meta: anything,
  },
  {
    manual: {},
    event: { 'event!': name('id'), correlation: text, filter: condition('event') },
    schedule: {
      'cron!': text,
      timeZone: text,
      overlap: word('skip', 'queue', 'allow'),
      catchUp: whole(0, 1_000),
    },
    workflow_finished: {
      'source!': name('workflow'),
      statuses: list(word('completed', 'failed', 'cancelled', 'timed_out', 'exhausted'), { least: 1 }),
      filter: condition('event'),
    },
  },
);

export type Dialect = 'token' | 'dataflow' | 'thread' | 'handle' | 'trigger';

export const tables: Readonly<Record<Dialect, ObjectTakes>> = {
  token: tokenTable,
  dataflow: dataflowTable,
  thread: threadTable,
  handle: handleTable,
  trigger: triggerTable,
};
