// Dataflow fields: every field of a dataflow definition, with its shape and its other names.

import type { Json } from '../../base/json.ts';
import { costField, definitionShape, retryShape } from '../../definition/fields.ts';
import { actionName, nodeId } from '../../definition/names.ts';
import { type Field, type ObjectShape, quote, type Shape, type TextShape } from '../../definition/shape.ts';
import { decorativeField } from '../decoration.ts';
import {
  asReactFlow,
  type FieldNames,
  reactFlowEdgeFields,
  reactFlowFields,
  reactFlowNodeFields,
} from '../react-flow.ts';

const opaque: Shape = { type: 'opaque' };
const text: Shape = { type: 'text', what: 'a text' };
const milliseconds: Shape = { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' };
const meta: Field = {
  shape: opaque,
  description: 'Anything: positions, colours, labels. The engine does not read it.',
};

export const portName: TextShape = {
  ...nodeId,
  what: 'a port name',
  hint: 'Port names have 1 to 200 printable characters.',
};

const outputFields: Readonly<Record<string, Field>> = {
  name: { shape: portName, required: true, description: 'Unique among the inputs (outputs) of the node.' },
  type: { shape: text, description: 'What its values are; both ends of an edge must agree, unless one is "any".' },
  description: { shape: text, description: 'For people; the engine does not read it.' },
  title: { shape: text, description: 'What an editor calls it.' },
  schema: { shape: { type: 'schema' }, description: 'What its values look like, for an editor.' },
};

const inputFields: Readonly<Record<string, Field>> = {
  ...outputFields,
  value: { shape: opaque, description: 'What it gets where no edge brings a value.' },
  repeated: { shape: { type: 'boolean' }, description: 'Whether it gathers the values of all its edges in a list.' },
  required: { shape: { type: 'boolean' }, description: 'Whether the node is likely to fail without it.' },
};

const inputList: Shape = { type: 'list', of: { type: 'object', what: 'an input', fields: inputFields } };
const inputMap: Shape = { type: 'map', of: opaque };
const outputList: Shape = { type: 'list', of: { type: 'object', what: 'an output', fields: outputFields } };

/** Inputs are a list of ports, or an object of values by port: which one, only the value tells. */
export function portsShape(inputs: Json | undefined): ObjectShape {
  const shape: Shape = Array.isArray(inputs)
    ? inputList
    : typeof inputs === 'object' && inputs !== null
      ? inputMap
      : { type: 'either', of: [inputList, inputMap] };
  return {
    type: 'object',
    what: 'the ports of a node',
    fields: {
      inputs: { shape, description: 'What the node takes.' },
      outputs: { shape: outputList, description: 'What the node gives.' },
    },
  };
}

const nodeShape: ObjectShape = {
  type: 'object',
  what: 'a node',
  label: ({ id }) => (typeof id === 'string' ? `node ${quote(id)}` : 'a node'),
  fields: {
    id: { shape: nodeId, required: true, description: 'Unique among the nodes.', examples: ['add'] },
    type: { shape: actionName, required: true, description: 'The node type or action that does its work.' },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    inputs: { shape: opaque, description: 'Its inputs: a list of ports, or an object of values by port.' },
    outputs: { shape: opaque, description: 'Its outputs: a list of ports.' },
    cost: costField,
    retry: { shape: retryShape, aliases: ['retryPolicy'], description: 'When a failed attempt is made again.' },
    timeoutMs: { shape: milliseconds, description: 'The longest that one attempt may take, in milliseconds.' },
    meta,
    data: { shape: opaque, shorthand: true, description: 'As React Flow saves it: its inputs and outputs count.' },
    ...reactFlowNodeFields,
  },
};

const edgeShape: ObjectShape = {
  type: 'object',
  what: 'an edge',
  label: ({ id }) => (typeof id === 'string' ? `edge ${quote(id)}` : 'an edge'),
  fields: {
    id: { shape: { ...nodeId, what: 'an edge id' }, description: 'Unique among the edges.' },
    source: { shape: nodeId, required: true, description: 'The node that a value comes from.' },
    sourceOutput: {
      shape: portName,
      aliases: ['sourceHandle', 'sourcePort'],
      description: 'Its output; may be left out where the node has only one.',
    },
    target: { shape: nodeId, required: true, description: 'The node that the value goes to.' },
    targetInput: {
      shape: portName,
      aliases: ['targetHandle', 'targetPort'],
      description: 'Its input; may be left out where the node has only one.',
    },
    meta,
    ...reactFlowEdgeFields,
  },
};

/** As in a token definition. */
const shared = new Set([
  '$schema',
  'id',
  'version',
  'name',
  'description',
  'inputSchema',
  'timeoutMs',
  'limits',
  'meta',
]);

export const dataflowShape: ObjectShape = {
  type: 'object',
  what: 'a dataflow definition',
  fields: {
    dialect: { shape: { type: 'choice', values: ['dataflow'] }, required: true, description: 'The dialect.' },
    ...Object.fromEntries(Object.entries(definitionShape.fields).filter(([name]) => shared.has(name))),
    nodes: makeNodesField(nodeShape),
    edges: makeEdgesField(edgeShape),
    decorative: decorativeField,
    ...reactFlowFields,
  },
};

function makeNodesField(shape: ObjectShape): Field {
  return {
    shape: { type: 'list', of: shape, limit: 'definitionNodesMax' },
    required: true,
    description: 'What is computed.',
  };
}

function makeEdgesField(shape: ObjectShape): Field {
  return {
    shape: { type: 'list', of: shape, limit: 'definitionTransitionsMax' },
    description: 'From the output of a node to the input of another.',
  };
}

/** What React Flow calls the ports of an edge. */
export const drawnNames: FieldNames = { sourceOutput: 'sourceHandle', targetInput: 'targetHandle' };

/** For a graph as React Flow saves it: the same, so that messages have its words. */
export const drawnDataflowShape: ObjectShape = {
  ...dataflowShape,
  fields: {
    ...dataflowShape.fields,
    nodes: makeNodesField({ ...nodeShape, fields: asReactFlow(nodeShape.fields, {}) }),
    edges: makeEdgesField({ ...edgeShape, fields: asReactFlow(edgeShape.fields, drawnNames) }),
  },
};
