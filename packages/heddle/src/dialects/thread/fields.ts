// Thread fields: every field of a definition in the thread dialect, by node type, with its shape, its other names and
// its description. What fields mean together is checked in `thread/check.ts`.

import { keysIn } from '../../base/keys-in.ts';
import { actionShape, retryShape } from '../../definition/fields.ts';
import { limitFields } from '../../definition/limits.ts';
import { actionName, nodeId, workflowName } from '../../definition/names.ts';
import { type Field, type ObjectShape, quote, type Shape } from '../../definition/shape.ts';
import { batchShape, promptShape } from '../../definition/waiting-fields.ts';
import type { ThreadNode } from './thread.ts';

const opaque: Shape = { type: 'opaque' };
const text: Shape = { type: 'text', what: 'a text' };
const path: Shape = { type: 'text', what: 'a path' };
const expression: Shape = { type: 'text', what: 'an expression' };
const version: Shape = { type: 'number', integer: true, min: 1, max: Number.MAX_SAFE_INTEGER };
const milliseconds: Shape = { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' };
const outputName: Shape = { ...nodeId, what: 'the name of an output' };
const isOptional: Field = { shape: { type: 'boolean' }, description: 'Whether it may be missing. Default: false.' };
const meta: Field = { shape: opaque, description: 'Anything: positions, colours. The engine does not read it.' };

const valueField: Field = { shape: opaque, description: 'The value itself: any JSON.' };
const expressionField: Field = { shape: expression, description: 'An expression that gives the value.' };
const contextPath: Field = { shape: path, required: true, description: 'Where in the context.', examples: ['a.b'] };

const entryShape: ObjectShape = {
  type: 'object',
  what: 'an entry',
  fields: {
    path: { ...contextPath, description: 'Where in the input, and then in the context.' },
    optional: isOptional,
    default: { shape: opaque, description: 'What the context holds if the input has nothing there.' },
    expression: { shape: expression, description: 'In place of a default: an expression that gives it.' },
  },
};

const upsertShape: ObjectShape = {
  type: 'object',
  what: 'an upsert',
  exactlyOne: ['value', 'expression'],
  fields: { path: contextPath, value: valueField, expression: expressionField },
};

const mappingShape: ObjectShape = {
  type: 'object',
  what: 'a mapping',
  exactlyOne: ['from', 'expression', 'value'],
  fields: {
    to: { shape: path, required: true, description: 'Where the value is written.', examples: ['scores'] },
    from: { shape: path, description: 'Where the value is: in the context, for outputs in the result.' },
    expression: expressionField,
    value: valueField,
    optional: isOptional,
  },
};

const mappings = (description: string): Field => ({ shape: { type: 'list', of: mappingShape }, description });
const inputs = mappings('The input of its work. Absent: the whole context.');

const switchEntryShape: ObjectShape = {
  type: 'object',
  what: 'an entry',
  fields: {
    name: { shape: outputName, required: true, description: 'The name of the output that is then taken.' },
    expression: {
      shape: { type: 'either', of: [expression, { type: 'structured' }] },
      description:
        'Gives true or false; or a structured condition such as {field, op, value}. Blank: it never holds, unless it is the last.',
    },
  },
};

const assignmentShape: ObjectShape = {
  type: 'object',
  what: 'an assignment',
  fields: { path: contextPath, expression: { ...expressionField, required: true } },
};

const pickFields = ({ fields }: ObjectShape, names: readonly string[]): ObjectShape['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));

/** The fields of each type of node, besides those that all have. */
const fieldsByType: Readonly<Record<ThreadNode['type'], Pick<ObjectShape, 'fields' | 'exactlyOne'>>> = {
  start: {
    fields: {
      initialize: {
        shape: { type: 'list', of: entryShape },
        description: 'What the context holds at first. Absent: the whole input.',
      },
    },
  },
  end: { fields: { mappings: mappings('The result of the run. Absent: the whole context.') } },
  edit: {
    fields: {
      upserts: { shape: { type: 'list', of: upsertShape }, description: 'Values to write, in order.' },
      deletes: { shape: { type: 'list', of: path }, description: 'Paths to remove, after the upserts.' },
    },
  },
  switch: {
    fields: {
      entries: {
        shape: { type: 'list', of: switchEntryShape, min: 1 },
        required: true,
        description: 'The first that holds is taken; the last is the default.',
      },
    },
  },
  action: {
    fields: {
      action: {
        shape: { type: 'either', of: [actionName, actionShape] },
        required: true,
        description: 'The action: its name, or {name, version}.',
        examples: ['core.echo'],
      },
      inputs,
      outputs: mappings('What is kept of the result. Absent: it is written to "output".'),
      retry: { shape: retryShape, description: 'When a failed attempt is made again.' },
      timeoutMs: { shape: milliseconds, description: 'The longest that one attempt may take, in milliseconds.' },
    },
  },
  code: {
    exactlyOne: ['expression', 'set'],
    fields: {
      path: { shape: path, description: 'Where the value of the expression is written. Default: output.' },
      expression: expressionField,
      set: { shape: { type: 'list', of: assignmentShape }, description: 'Several values to write, in order.' },
    },
  },
  fanOut: {
    fields: {
      outputs: {
        shape: { type: 'list', of: outputName },
        description: 'The names of its outputs. Absent: those that connectors name.',
      },
    },
  },
  fanIn: { fields: {} },
  batch: {
    fields: {
      items: {
        shape: path,
        required: true,
        aliases: ['inputArrayPath'],
        description: 'Where the list is in the context. In the process path it holds the slice.',
        examples: ['papers'],
      },
      ...pickFields(batchShape, ['batchSize', 'parallelBatches']),
    },
  },
  gosub: {
    fields: {
      workflow: {
        shape: workflowName,
        required: true,
        aliases: ['workflowId'],
        description: 'The workflow to run, of any dialect.',
      },
      version: { shape: version, description: 'Absent: the latest when it starts.' },
      inputs,
      outputs: mappings('What is kept of its result. Absent: it is merged over the context.'),
    },
  },
  input: { fields: pickFields(promptShape, ['schema', 'deadlineMs']) },
};

export const nodeTypes = keysIn(fieldsByType);

export const nodeShapes = Object.fromEntries(
  nodeTypes.map((type): [string, ObjectShape] => [type, shapeOf(type)]),
) as Readonly<Record<ThreadNode['type'], ObjectShape>>; // one for each type

function shapeOf(type: ThreadNode['type']): ObjectShape {
  const { fields, ...rest } = fieldsByType[type];
  return {
    type: 'object',
    what: `a node of type ${type}`,
    label: ({ id }) => (typeof id === 'string' ? `node ${quote(id)}` : 'a node'),
    fields: {
      id: { shape: nodeId, required: true, description: 'Unique among the nodes.', examples: ['start'] },
      // Read before the shape is chosen.
      type: { shape: opaque, required: true, description: 'What the node does.' },
      title: { shape: text, description: 'For people; an input node asks with it.' },
      meta,
      ...fields,
    },
    ...rest,
  };
}

const connectorShape: ObjectShape = {
  type: 'object',
  what: 'a connector',
  fields: {
    from: { shape: nodeId, required: true, description: 'The node it leaves.' },
    output: { shape: outputName, description: 'Which output, where the node has several.' },
    to: { shape: nodeId, required: true, description: 'The node it leads to.' },
    meta,
  },
};

export const threadShape: ObjectShape = {
  type: 'object',
  what: 'a workflow definition of the dialect thread',
  fields: {
    $schema: { shape: text, description: 'The JSON Schema of this file, for editors.' },
    dialect: { shape: { type: 'choice', values: ['thread'] }, description: 'May be left out beside connectors.' },
    id: { shape: workflowName, required: true, description: 'The name of the workflow.' },
    version: { shape: version, description: 'Absent: the next free one.' },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    description: { shape: text, description: 'For people; the engine does not read it.' },
    inputSchema: { shape: { type: 'schema' }, description: 'What the input of a run must look like (JSON Schema).' },
    outputSchema: { shape: { type: 'schema' }, description: 'What the result must look like (JSON Schema).' },
    // Each is read by the shape of its type.
    nodes: {
      shape: { type: 'list', of: opaque, min: 1, limit: 'definitionNodesMax' },
      required: true,
      description: 'The steps.',
    },
    connectors: {
      shape: { type: 'list', of: connectorShape, limit: 'definitionTransitionsMax' },
      description: 'The ways between the nodes.',
    },
    timeoutMs: { shape: milliseconds, description: 'The longest that a run may take, in milliseconds.' },
    limits: {
      shape: { type: 'object', what: 'limits', fields: limitFields },
      description: 'Limits for runs of this workflow, at most those of the engine.',
    },
    meta,
  },
};
