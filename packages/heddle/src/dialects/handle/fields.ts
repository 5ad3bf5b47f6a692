// Handle fields: every field of a definition in the handle dialect, with its shape, its other names and its
// description. A graph as React Flow saves it fits too: `edges`, with `source` and `sourceHandle`.

import { retryShape } from '../../definition/fields.ts';
import { limitFields } from '../../definition/limits.ts';
import { actionName, nodeId, transitionId, workflowName } from '../../definition/names.ts';
import { type Field, type ObjectShape, quote, type Shape } from '../../definition/shape.ts';
import { decorativeField } from '../decoration.ts';
import {
  asReactFlow,
  type FieldNames,
  reactFlowEdgeFields,
  reactFlowFields,
  reactFlowNodeFields,
} from '../react-flow.ts';

const text: Shape = { type: 'text', what: 'a text' };
const handle: Shape = { ...nodeId, what: 'the name of a handle' };
const meta: Field = {
  shape: { type: 'opaque' },
  description: 'Anything: positions, colours, labels. The engine does not read it.',
};

const nodeShape: ObjectShape = {
  type: 'object',
  what: 'a node',
  label: ({ id }) => (typeof id === 'string' ? `node ${quote(id)}` : 'a node'),
  fields: {
    ...reactFlowNodeFields,
    id: { shape: nodeId, required: true, description: 'Unique among the nodes.', examples: ['n1'] },
    type: {
      shape: { ...actionName, what: 'a node type' },
      description: 'The executor (or action) that runs it. Default: default, as in React Flow.',
      examples: ['HTTP_REQUEST'],
    },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    data: {
      shape: { type: 'map', of: { type: 'opaque' } },
      description: "The node's configuration: what its executor is given as data.",
    },
    meta,
  },
};

const connectionShape: ObjectShape = {
  type: 'object',
  what: 'a connection',
  fields: {
    ...reactFlowEdgeFields,
    id: { shape: { ...transitionId, what: 'a connection id' }, description: 'Unique among the connections.' },
    fromNodeId: { shape: nodeId, required: true, aliases: ['source'], description: 'The node that it leaves.' },
    toNodeId: { shape: nodeId, required: true, aliases: ['target'], description: 'The node that it leads to.' },
    fromOutput: {
      shape: handle,
      aliases: ['sourceHandle'],
      description: 'The output handle: it is followed if the node names it as _branch. Default: main.',
    },
    toInput: { shape: handle, aliases: ['targetHandle'], description: 'The input handle. Default: main.' },
    meta,
  },
};

const sequentialShape: ObjectShape = {
  type: 'object',
  what: 'a workflow definition of the dialect handle',
  fields: {
    ...reactFlowFields,
    $schema: { shape: text, description: 'The JSON Schema of this file, for editors.' },
    dialect: { shape: { type: 'choice', values: ['handle'] }, description: 'handle; it may be left out.' },
    mode: {
      shape: { type: 'choice', values: ['sequential', 'parallel'] },
      description: 'One node at a time, or all that can run. Default: sequential; without dialect, parallel.',
    },
    id: { shape: workflowName, required: true, description: 'The name of the workflow.' },
    version: {
      shape: { type: 'number', integer: true, min: 1, max: Number.MAX_SAFE_INTEGER },
      description: 'Absent: the next free one.',
    },
    name: { shape: text, description: 'For people; the engine does not read it.' },
    description: { shape: text, description: 'For people; the engine does not read it.' },
    nodes: makeNodesField(nodeShape),
    connections: makeConnectionsField(connectionShape),
    decorative: decorativeField,
    maxNodes: {
      shape: { type: 'number', integer: true, min: 1, limit: 'handleNodesMax' },
      description: 'The most nodes that a run may execute. Default: the limit handleNodesMax, 50.',
    },
    timeoutMs: {
      shape: { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' },
      description: 'The longest that a run may take, in milliseconds.',
    },
    limits: {
      shape: { type: 'object', what: 'limits', fields: limitFields },
      description: 'Limits for runs of this workflow, at most those of the engine.',
    },
    meta,
  },
};

const maxIterations: Shape = { type: 'number', integer: true, min: 1, limit: 'loopIterationsMax' };

const parallelConnectionShape: ObjectShape = {
  ...connectionShape,
  isOpen: true,
  fields: {
    ...connectionShape.fields,
    maxIterations: {
      shape: maxIterations,
      description: 'In parallel mode, of one that leads back: the most rounds of the loop. It may stand in data too.',
    },
  },
};

const parallelNodeShape: ObjectShape = {
  ...nodeShape,
  isOpen: true,
  fields: {
    ...nodeShape.fields,
    typeVersion: {
      shape: { type: 'number', integer: true, min: 1 },
      description: 'In parallel mode: the version of its type that its settings are of. Absent: the newest.',
    },
    retry: { shape: retryShape, description: 'In parallel mode: when a failed attempt is made again.' },
    timeoutMs: {
      shape: { type: 'number', integer: true, min: 1, limit: 'timeoutMsMax' },
      description: 'In parallel mode: the longest that one attempt may take, in milliseconds.',
    },
  },
};

/** With all that a parallel graph may have. */
export const handleShape: ObjectShape = {
  ...sequentialShape,
  isOpen: true,
  fields: {
    ...sequentialShape.fields,
    nodes: makeNodesField(parallelNodeShape),
    connections: makeConnectionsField(parallelConnectionShape),
    maxIterations: {
      shape: maxIterations,
      description: 'In parallel mode: the most rounds of a loop whose edge does not say.',
    },
  },
};

function makeNodesField(shape: ObjectShape): Field {
  return {
    shape: { type: 'list', of: shape, min: 1, limit: 'definitionNodesMax' },
    required: true,
    description: 'The steps.',
  };
}

function makeConnectionsField(shape: ObjectShape): Field {
  return {
    shape: { type: 'list', of: shape, limit: 'definitionTransitionsMax' },
    aliases: ['edges'],
    description: 'The ways between the nodes.',
  };
}

/** What React Flow calls the ends of a connection. */
export const drawnNames: FieldNames = {
  fromNodeId: 'source',
  toNodeId: 'target',
  fromOutput: 'sourceHandle',
  toInput: 'targetHandle',
};

/** For a graph as React Flow saves it: the same, so that messages have its words. */
function asDrawn(shape: ObjectShape, connection: ObjectShape): ObjectShape {
  const edge = { ...connection, what: 'an edge', fields: asReactFlow(connection.fields, drawnNames) };
  const fields = { ...shape.fields, connections: makeConnectionsField(edge) };
  return { ...shape, fields: asReactFlow(fields, { connections: 'edges' }) };
}

const shapes = {
  sequential: { own: sequentialShape, drawn: asDrawn(sequentialShape, connectionShape) },
  parallel: { own: handleShape, drawn: asDrawn(handleShape, parallelConnectionShape) },
};

export function shapeOf(mode: 'sequential' | 'parallel', isDrawn: boolean): ObjectShape {
  return shapes[mode][isDrawn ? 'drawn' : 'own'];
}
