// Schema check: one question for both kinds of schema, "does this value fit, and what is it then?".
//
// Always true: a Standard Schema may change the value (defaults, transforms) and may take its time; a JSON Schema does
// neither, and sees plain JSON only.

import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Json } from '../base/json.ts';
import type { JsonSchema } from '../definition/definition.ts';
import { compileSchema } from '../definition/schema.ts';
import type { Schema } from './action.ts';

export interface Complaint {
  /** JSON pointer into the value, or into the schema. */
  readonly pointer: string;
  readonly message: string;
}

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };

export interface SchemaCheck {
  /** True: `check` takes plain JSON only. */
  readonly isJsonSchema: boolean;
  /** As it was given, of a JSON Schema. */
  readonly schema?: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

/** Those beyond are not kept: they follow from the first ones, as a rule. */
const complaintsMax = 20;

/** What is wrong with the schema, and where, if it is none. */
export function compileSchemaCheck(schema: Schema): SchemaCheck | Complaint {
  if (isStandardSchema(schema)) return standardCheck(schema);
  const isJsonSchema = typeof schema === 'boolean' || (typeof schema === 'object' && schema !== null);
  if (isJsonSchema) return jsonCheck(schema);
  return { pointer: '', message: `Expected a Standard Schema or a JSON Schema, but found a ${typeof schema}` };
}

function isStandardSchema(schema: Schema): schema is StandardSchemaV1 {
  return (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema;
}

function standardCheck(schema: StandardSchemaV1): SchemaCheck {
  const standard = schema['~standard'];
  return {
    isJsonSchema: false,
    check(value) {
      const result = standard.validate(value);
      return 'then' in result ? Promise.resolve(result).then(readResult) : readResult(result);
    },
  };
}

function readResult(result: StandardSchemaV1.Result<unknown>): Checked {
  if (result.issues === undefined) return { ok: true, value: result.value };
  const complaints = result.issues.slice(0, complaintsMax);
  return { ok: false, complaints: complaints.map(({ message, path }) => ({ pointer: makePointer(path), message })) };
}

function makePointer(path: StandardSchemaV1.Issue['path'] = []): string {
  const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment));
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function jsonCheck(schema: JsonSchema): SchemaCheck | Complaint {
  const compiled = compileSchema(schema);
  if ('problem' in compiled) return compiled.problem;
  return {
    isJsonSchema: true,
    schema,
    check(value) {
      const problems = compiled.check(value as Json); // `isJsonSchema` told the caller what may come.
      if (problems.length === 0) return { ok: true, value };
      const complaints = problems.slice(0, complaintsMax);
      return { ok: false, complaints: complaints.map(({ pointer, message }) => ({ pointer, message })) };
    },
  };
}
