// Fields: every field of the native definition, with its shape, its other names and its description; the one source
// for the checker and for the published JSON Schema. What fields mean together is checked elsewhere (`parse.ts`).

import { limitFields } from './limits.ts';
import { actionName, errorCode, nodeId, workflowName } from './names.ts';
import { type Field, type ObjectShape, quote, type Shape } from './shape.ts';
import { mergesShape, strategyFields } from './synchronization-fields.ts';
import { transitionShape } from './transition-fields.ts';
import { batchShape, promptShape, waitShape } from './waiting-fields.ts';

const opaque: Shape = { type: 'opaque' };
const expression: Shape = { type: 'text', what: 'an expression' };
const text: Shape = { type: 'text', what: 'a text' };
const version: Shape = { type: 'number', integer: true, min: 1, max: Number.MAX_SAFE_INTEGER };
const schema: Shape = { type: 'schema' };
const milliseconds: Shape = { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' };
const delay: Shape = { type: 'number', integer: true, min: 0, limit: 'timeoutMsMax' };
const mapping: Shape = {
  type: 'map',
  of: expression,
  description: 'Keys are targets, values are expressions.',
};

const summary: Field = {
  shape: expression,
  description: 'What to show of it, for people: an expression. It is evaluated when somebody looks.',
};

export const costField: Field = {
  shape: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER },
  description: 'What one execution costs, in credits.',
};

export const retryShape: ObjectShape = {
  type: 'object',
  what: 'a retry policy',
  fields: {
    maxAttempts: {
      shape: { type: 'number', integer: true, min: 1, max: 1_000_000 },
      required: true,
      description: 'Attempts in all, the first one included.',
      examples: [5],
    },
    backoff: {
      shape: { type: 'choice', values: ['none', 'linear', 'exponential'] },
      description: 'How the delay between attempts grows. Default: none.',
    },
    initialDelayMs: { shape: delay, description: 'The delay before the second attempt, in milliseconds.' },
    maxDelayMs: { shape: delay, description: 'The longest delay between two attempts, in milliseconds.' },
    jitter: {
      shape: { type: 'number', integer: false, min: 0, max: 1 },
      description: 'The share of each delay that is left to chance, 0 to 1.',
    },
    retryableErrors: {
      shape: { type: 'list', of: errorCode },
      description: 'Error codes that are tried again; absent: all.',
    },
  },
};

export const actionShape: ObjectShape = {
  type: 'object',
  what: 'an action',
  fields: {
    name: { shape: actionName, required: true, description: 'The name under which the action is registered.' },
    version: { shape: version, description: 'The version of the action.' },
  },
};

const onFailure: Field = {
  shape: { type: 'choice', values: ['propagate', 'catch'] },
  description: 'propagate (default): a failed child fails this node. catch: the error becomes the output of the node.',
};
const inheritArtifacts: Field = {
  shape: { type: 'boolean' },
  description: 'Whether the child sees the artifacts of its parent. Default: false.',
};

const workflowShape: ObjectShape = {
  type: 'object',
  what: 'a sub-workflow',
  fields: {
    id: {
      shape: workflowName,
      required: true,
      aliases: ['workflowId', 'workflowDefId'],
      description: 'The workflow to start.',
    },
    version: { shape: version, description: 'Absent: the latest one when the child starts.' },
    onFailure,
    timeoutMs: { shape: milliseconds, description: 'The child is cancelled after this many milliseconds.' },
    inheritArtifacts,
  },
};

const fanInShape: ObjectShape = {
  type: 'object',
  what: 'a fan-in such as {"mOfN": n}',
  exactlyOne: ['mOfN', 'strategy'],
  fields: strategyFields,
};

const nodeShape: ObjectShape = {
  type: 'object',
  what: 'a node',
  label: ({ id }) => (typeof id === 'string' ? `node ${quote(id)}` : 'a node'),
  fields: {
    id: { shape: nodeId, required: true, description: 'Unique among the nodes.', examples: ['fetch'] },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    action: {
      shape: { type: 'either', of: [actionName, actionShape] },
      description: 'The action that the node runs: its name, or {name, version}.',
      examples: ['core.echo'],
    },
    workflow: {
      shape: { type: 'either', of: [workflowName, workflowShape] },
      aliases: ['workflowCall'],
      description: 'The sub-workflow that the node runs: its id, or {id, version, onFailure, timeoutMs}.',
      examples: ['publish', { id: 'publish', version: 3, onFailure: 'catch' }],
    },
    wait: { shape: waitShape, description: 'The node waits, durably.', examples: [{ seconds: 3600 }] },
    input: {
      shape: { type: 'either', of: [{ type: 'boolean' }, promptShape] },
      description: 'The node asks a person and waits for the answer: true, or {title, schema, deadlineMs}.',
      examples: [true, { title: 'Publish?', deadlineMs: 86_400_000 }],
    },
    batch: {
      shape: batchShape,
      description: 'The node works through a list in slices: each takes the transitions with "on": "slice".',
      examples: [{ items: 'state.papers', batchSize: 100, parallelBatches: 4 }],
    },
    inputMapping: {
      shape: mapping,
      description: 'The input of the work: keys are its (dotted) keys, values expressions.',
      examples: [{ url: 'input.url' }],
    },
    outputMapping: {
      shape: mapping,
      description: 'What is kept: keys are targets under state or output, values expressions that may read result.',
      examples: [{ 'state.score': 'result.score' }],
    },
    retry: { shape: retryShape, aliases: ['retryPolicy'], description: 'When a failed attempt is made again.' },
    timeoutMs: { shape: milliseconds, description: 'The longest that one attempt may take, in milliseconds.' },
    cost: costField,
    summary: { ...summary, examples: ["result.count + ' papers found'"] },
    meta: { shape: opaque, description: 'Anything: positions, colours, labels. The engine does not read it.' },
    execution: {
      shape: {
        type: 'object',
        what: 'an execution',
        fields: {
          retry: { shape: retryShape, aliases: ['retryPolicy'], description: 'As on the node.' },
          timeoutMs: { shape: milliseconds, description: 'As on the node.' },
        },
      },
      shorthand: true,
      description: 'retry and timeoutMs of the node.',
    },
    onFailure: { ...onFailure, shorthand: true },
    inheritArtifacts: { ...inheritArtifacts, shorthand: true },
    fanOut: {
      shape: { type: 'choice', values: ['all', 'first_match'] },
      shorthand: true,
      description: 'all: matching transitions fire as one group named after the node; first_match: only the first.',
    },
    fanIn: {
      shape: { type: 'either', of: [{ type: 'choice', values: ['any', 'all'] }, fanInShape] },
      shorthand: true,
      description: 'The same synchronization on every inbound transition.',
    },
    merge: { shape: mergesShape, shorthand: true, description: 'The merge of the fan-in.' },
    onEarlyComplete: {
      shape: { type: 'choice', values: ['cancel', 'abandon'] },
      shorthand: true,
      description: 'onEarlyComplete of the fan-in.',
    },
  },
};

export const definitionShape: ObjectShape = {
  type: 'object',
  what: 'a workflow definition',
  fields: {
    $schema: { shape: text, description: 'The JSON Schema of this file, for editors.' },
    dialect: { shape: { type: 'choice', values: ['token'] }, description: 'How it is drawn. Default: token.' },
    id: { shape: workflowName, required: true, description: 'The name of the workflow.', examples: ['score-papers'] },
    version: { shape: version, description: 'Absent: the next free one.' },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    description: { shape: text, description: 'For people; the engine does not read it.' },
    inputSchema: { shape: schema, description: 'What the input of a run must look like (JSON Schema).' },
    stateSchema: { shape: schema, description: 'What the state must look like after every write (JSON Schema).' },
    outputSchema: { shape: schema, description: 'What the output of a run must look like (JSON Schema).' },
    outputMapping: {
      shape: mapping,
      description: 'The output of a run: keys are its (dotted) keys, values expressions. Absent: the output section.',
      examples: [{ scores: 'state.scores' }],
    },
    initialNode: {
      shape: nodeId,
      required: true,
      aliases: ['initialNodeId'],
      description: 'The id of the node at which a run starts.',
    },
    nodes: {
      shape: { type: 'list', of: nodeShape, min: 1, limit: 'definitionNodesMax' },
      required: true,
      description: 'The steps.',
    },
    transitions: {
      shape: { type: 'list', of: transitionShape, limit: 'definitionTransitionsMax' },
      description: 'The ways between the nodes. A node without one ends its path.',
    },
    summary: { ...summary, examples: ["'Order ' + input.order + ': ' + state.total + ' EUR'"] },
    timeoutMs: { shape: milliseconds, description: 'The longest that a run may take, in milliseconds.' },
    inputPolicy: {
      shape: { type: 'choice', values: ['open', 'serial'] },
      description: 'open (default): any number of prompts at once. serial: one at a time in the whole tree of runs.',
    },
    limits: {
      shape: { type: 'object', what: 'limits', fields: limitFields },
      description: 'Limits for runs of this workflow, at most those of the engine.',
    },
    meta: { shape: opaque, description: 'Anything: positions, colours, labels. The engine does not read it.' },
  },
};
