// Describe: an entry of the catalogue as an editor reads it: one list of the engine's own node types, those of the program
// and of workers, and plain actions. Rule CT1.

import { given } from '../../base/given.ts';
import { isJsonObject } from '../../base/path.ts';
import type { JsonSchema } from '../../definition/definition.ts';
import type { KnownSchemas } from '../../definition/flow/known-schemas.ts';
import type { Field, Shape } from '../../definition/shape.ts';
import type { InputPort, OutputPort } from '../dataflow/dataflow.ts';
import { findKind, type Kind, kindNames } from '../handle/parallel/kinds.ts';
import { type CatalogueEntry, type NodeTypeFacts, schemaOfPort } from './entry.ts';

export interface InputInfo extends InputPort {
  /** A text in it is an expression, also without `=`. */
  readonly isExpression?: true;
}

/** What an editor shows and asks for. Members that nothing is known of are absent. */
export interface NodeTypeInfo extends NodeTypeFacts {
  /** What nodes of it say as their type. */
  readonly type: string;
  readonly version: number;
  readonly title: string;
  readonly sideEffects: boolean;
  /** The engine's own, given by its program, or announced by workers. */
  readonly source: 'core' | 'program' | 'workers';
  readonly inputs?: readonly InputInfo[];
  readonly outputs?: readonly OutputPort[];
  /** Nodes may be drawn in it. */
  readonly isContainer?: true;
}

export const coreTypes: readonly string[] = kindNames;

export function describeCore(type: string): NodeTypeInfo | null {
  const kind = findKind(type);
  if (kind === undefined) return null;
  return {
    type,
    version: 1,
    ...kind.label,
    source: 'core',
    sideEffects: false,
    inputs: Object.entries(kind.settings.fields).map((setting) => describeSetting(kind, setting)),
    handles: kind.madeHandles ?? kind.handles({}),
    ...given({ isContainer: kind.isContainer }),
  };
}

function describeSetting({ expressions = [], settings }: Kind, [name, field]: [string, Field]): InputInfo {
  const isRequired = field.required === true && !(settings.exactlyOne ?? []).includes(name);
  return {
    name,
    title: toTitle(name),
    description: field.description,
    schema: toSchema(field.shape),
    ...given({ required: isRequired || undefined }),
    ...(expressions.includes(name) ? { isExpression: true } : {}),
  };
}

/** `deadlineMs` is called `Deadline (ms)`. */
function toTitle(name: string): string {
  const words = name.replace(/Ms$/, ' (ms)').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The same in the words of JSON Schema, as far as a form needs it. */
function toSchema(shape: Shape): JsonSchema {
  switch (shape.type) {
    case 'text':
      return { type: 'string', ...given({ maxLength: shape.lengthMax }) };
    case 'number':
      return { type: shape.integer ? 'integer' : 'number', ...given({ minimum: shape.min, maximum: shape.max }) };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: [...shape.values] };
    case 'list':
      return { type: 'array', items: toSchema(shape.of), ...given({ minItems: shape.min }) };
    case 'map':
      return { type: 'object', additionalProperties: toSchema(shape.of) };
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(
          Object.entries(shape.fields).map(([name, { shape: of, description }]) => [
            name,
            Object.assign({ description }, toSchema(of)),
          ]),
        ),
        required: Object.entries(shape.fields).flatMap(([name, { required }]) => (required ? [name] : [])),
        additionalProperties: false,
      };
    case 'either':
      return { anyOf: shape.of.map(toSchema) };
    case 'schema':
    case 'structured':
      return { type: 'object' };
    case 'opaque':
      return {};
  }
}

interface Known {
  /** Absent: an action of which no more is known than its schemas. */
  readonly entry: CatalogueEntry | undefined;
  readonly schemas: KnownSchemas | undefined;
  readonly source: 'program' | 'workers';
}

export function describeType(type: string, { entry, schemas, source }: Known): NodeTypeInfo {
  const { version = 1, title = type, sideEffects = true, inputs, outputs, compile: _, ...facts } = entry ?? {};
  return {
    ...(facts as NodeTypeFacts), // what is left
    type,
    version,
    title,
    sideEffects,
    source,
    ...given({
      inputs: inputs?.map(withSchema) ?? readFields(schemas?.input),
      outputs: outputs?.map(withSchema) ?? readFields(schemas?.output),
    }),
  };
}

function withSchema<Port extends OutputPort>(port: Port): Port {
  return { ...port, ...given({ schema: schemaOfPort(port) }) };
}

/** The fields of an object by its schema; undefined where it is none that says them. */
function readFields(schema: JsonSchema | undefined): readonly InputPort[] | undefined {
  if (typeof schema !== 'object' || !isJsonObject(schema['properties'])) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, field]) => {
    const { title, description, default: value } = isJsonObject(field) ? field : {};
    return {
      name,
      schema: field as JsonSchema, // a member of `properties`
      ...given({
        title: typeof title === 'string' ? title : undefined,
        description: typeof description === 'string' ? description : undefined,
        value,
      }),
      ...(required.includes(name) ? { required: true } : {}),
    };
  });
}
