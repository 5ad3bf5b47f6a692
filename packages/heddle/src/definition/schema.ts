// Schema: an author's JSON Schema becomes a check that says what is wrong with a value. Rule DF47.
//
// Always true: no code is generated (the interpreter of typebox is used), nothing is fetched, texts are matched in
// linear time, and a check ends within its steps.
//
// Importing `typebox/schema` reads 236 files and takes about 80 ms (bundled: 8 ms); only this file does.

import { Check, Errors } from 'typebox/schema';
import { assert } from '../base/assert.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import type { JsonSchema } from './definition.ts';
import type { SchemaCheck } from './graph.ts';
import { prepareSchema, type SchemaProblem, StepsSpent } from './prepare-schema.ts';
import { describeMismatches } from './schema-messages.ts';
import { withoutPrototypes } from './without-prototypes.ts';

export type CompiledSchema = { readonly check: SchemaCheck } | { readonly problem: SchemaProblem };

/** Steps of one check: some three per part of the value, about three million a second. */
const stepsMax = 10_000_000;

export function compileSchema(schema: JsonSchema): CompiledSchema {
  const prepared = prepareSchema(schema);
  if ('problem' in prepared) return prepared;
  const { schema: copy, steps, namesInherited } = prepared;
  const check: SchemaCheck = (value) => {
    steps.left = stepsMax;
    return runCheck(() => findMismatches(copy, namesInherited ? withoutPrototypes(value) : value));
  };
  // A schema that refers to itself without going deeper into the value shows at once.
  steps.left = stepsMax;
  const [failed] = runCheck(() => {
    for (const probe of probes) Check(copy, probe);
    return [];
  });
  if (failed === undefined) return { check };
  return { problem: { code: 'INVALID_SCHEMA', pointer: '', message: failed.message } };
}

/** The check of a schema that has been looked at already; none for no schema. */
export function compileCheck(schema: JsonSchema | undefined): SchemaCheck | null {
  if (schema === undefined) return null;
  const compiled = compileSchema(schema);
  assert('check' in compiled, 'Expected the schemas of a definition to have been checked, but one cannot be compiled');
  return compiled.check;
}

const probes: readonly Json[] = [null, {}, [], '', 0];

function findMismatches(schema: JsonSchema, value: Json): readonly Problem[] {
  if (Check(schema, value)) return [];
  const [, errors] = Errors(schema, value);
  return describeMismatches(value, errors);
}

// DF47: a check that does not end within its steps, or goes round in circles, refuses the value and says so.
function runCheck(check: () => readonly Problem[]): readonly Problem[] {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof StepsSpent) && !(error instanceof RangeError)) throw error;
    const found =
      error instanceof StepsSpent
        ? `it takes more than ${stepsMax} steps`
        : 'it goes too deep, or refers to itself without end';
    const message = `Expected a schema that can be checked, but ${found}`;
    return [{ severity: 'error', code: 'SCHEMA_FAILED', pointer: '', message }];
  }
}
