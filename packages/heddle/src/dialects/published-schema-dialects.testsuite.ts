// Published schema, dialects: the shape of each dialect as it is published, and how a reader of the schema knows which
// one a file is in: as the parser does (rule DL1).

import { assert } from '../base/assert.ts';
import type { JsonObject } from '../base/json.ts';
import { definitionShape } from '../definition/fields.ts';
import type { Dialect } from '../definition/graph.ts';
import type { Field, ObjectShape, Shape } from '../definition/shape.ts';
import { dataflowShape, portsShape } from './dataflow/fields.ts';
import { handleShape } from './handle/fields.ts';
import { portNames } from './react-flow.ts';
import { nodeShapes, nodeTypes, threadShape } from './thread/fields.ts';

/** What the tables leave open, because only the value tells, is filled in: the node types and the ports. */
export const dialectShapes: Readonly<Record<Dialect, ObjectShape>> = {
  token: definitionShape,
  dataflow: withNodes(dataflowShape, withPorts),
  thread: withNodes(threadShape, () => ({ type: 'either', of: nodeTypes.map(threadNode) })),
  handle: handleShape,
};

export const dialects = Object.keys(dialectShapes) as readonly Dialect[];

function withNodes(shape: ObjectShape, change: (node: Shape) => Shape): ObjectShape {
  const { nodes } = shape.fields;
  assert(nodes?.shape.type === 'list', 'Expected the nodes to be a list, but they are not');
  const list: Shape = { ...nodes.shape, of: change(nodes.shape.of) };
  return { ...shape, fields: { ...shape.fields, nodes: { ...nodes, shape: list } } };
}

function withPorts(node: Shape): ObjectShape {
  assert(node.type === 'object', 'Expected a node to be an object, but it is not');
  return withShapes(node, portsShape(undefined).fields);
}

function threadNode(type: (typeof nodeTypes)[number]): ObjectShape {
  return withShapes(nodeShapes[type], { type: { shape: { type: 'choice', values: [type] } } });
}

function withShapes(object: ObjectShape, shapes: Readonly<Record<string, { readonly shape: Shape }>>): ObjectShape {
  const fields = Object.entries(object.fields).map(([name, field]): [string, Field] => {
    const known = shapes[name];
    return [name, known === undefined ? field : { ...field, shape: known.shape }];
  });
  return { ...object, fields: Object.fromEntries(fields) };
}

interface Choice {
  readonly if: JsonObject;
  readonly then: JsonObject;
}

/** A chain of if, then and else: an editor completes, and finds fault, by the dialect of the file alone. */
export function chooseDialect(): JsonObject {
  const named = dialects.map((dialect) => ({
    if: { properties: { dialect: { const: dialect } } },
    then: definitionOf(dialect),
  }));
  const guessed = [
    { if: { anyOf: [has('transitions'), has('initialNode')] }, then: definitionOf('token') },
    { if: has('connectors'), then: definitionOf('thread') },
    { if: has('connections'), then: definitionOf('handle') },
    { if: { allOf: [has('edges'), isDrawn, { not: hasPorts }] }, then: definitionOf('handle') },
    { if: has('edges'), then: has('dialect') },
  ];
  // A name that is none of theirs is refused where the names stand, and nothing more is said.
  return { if: has('dialect'), then: chain(named, {}), else: chain(guessed, definitionOf('token')) };
}

const definitionOf = (dialect: Dialect): JsonObject => ({ $ref: `#/$defs/${dialect}` });
const has = (field: string): JsonObject => ({ required: [field] });

const contains = (list: string, field: string): JsonObject => ({
  required: [list],
  properties: { [list]: { contains: { type: 'object', required: [field] } } },
});
const isDrawn: JsonObject = {
  anyOf: [
    has('viewport'),
    contains('nodes', 'position'),
    contains('edges', 'sourceHandle'),
    contains('edges', 'targetHandle'),
  ],
};
const hasPorts: JsonObject = {
  anyOf: [
    contains('nodes', 'inputs'),
    contains('nodes', 'outputs'),
    ...portNames.map((name) => contains('edges', name)),
  ],
};

function chain(choices: readonly Choice[], otherwise: JsonObject): JsonObject {
  return choices.reduceRight<JsonObject>((rest, choice) => ({ ...choice, else: rest }), otherwise);
}
