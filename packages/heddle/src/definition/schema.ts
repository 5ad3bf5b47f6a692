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
import { prepareSchema, type Refused, type SchemaProblem, StepsSpent } from './prepare-schema.ts';
import { describeMismatches } from './schema-messages.ts';

/** `problem` is the first of all `problems`. */
export type CompiledSchema = { readonly check: SchemaCheck } | (Refused & { readonly problem: SchemaProblem });

/** Steps of a check that shares none with others: some three per part of the value, about eight million a second. */
const stepsMax = 2_000_000;

/** A step of a check takes as long as several of an expression. */
const meterStepsPerStep = 4;

/** Steps for trying schemas out when they are compiled, beyond those that each has by its length. */
export interface TrialSteps {
  left: number;
}

export const trialStepsMax = 1_000_000;

/** Five values are tried, and each part is looked at some three times for one. */
const trialStepsPerPart = 50;

/** `trial`: of all schemas of a definition, so that a thousand slow ones do not take a thousand times as long. */
export function compileSchema(schema: JsonSchema, trial: TrialSteps = { left: trialStepsMax }): CompiledSchema {
  const prepared = prepareSchema(schema);
  if ('problems' in prepared) return refused(prepared.problems);
  const { schema: copy, steps, namesInherited, parts } = prepared;
  const check: SchemaCheck = (value, meter = { stepsLeft: stepsMax * meterStepsPerStep }) => {
    const most = Math.max(0, Math.floor(meter.stepsLeft / meterStepsPerStep));
    steps.left = most;
    const problems = runCheck(() => findMismatches(copy, namesInherited ? withoutPrototypes(value) : value), most);
    meter.stepsLeft -= meterStepsPerStep * (steps.left < 0 ? most + 1 : most - steps.left);
    return problems;
  };
  // A schema that refers to itself without going deeper into the value shows at once.
  const own = trialStepsPerPart * parts;
  const most = own + trial.left;
  steps.left = most;
  const [failed] = runCheck(() => {
    for (const probe of probes) Check(copy, probe);
    return [];
  }, most);
  trial.left = Math.min(trial.left, Math.max(0, steps.left));
  if (failed === undefined) return { check };
  return refused([{ code: 'INVALID_SCHEMA', pointer: '', message: failed.message }]);
}

const refused = (problems: Refused['problems']): CompiledSchema => ({ problem: problems[0], problems });

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
function runCheck(check: () => readonly Problem[], most: number): readonly Problem[] {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof StepsSpent) && !(error instanceof RangeError)) throw error;
    const found =
      error instanceof StepsSpent
        ? `it takes more than ${most} steps`
        : 'it goes too deep, or refers to itself without end';
    const message = `Expected a schema that can be checked, but ${found}`;
    return [{ severity: 'error', code: 'SCHEMA_FAILED', pointer: '', message }];
  }
}

/**
 * A copy in which no object inherits anything, for a validator that asks `in`. The depth of the value is bounded (see
 * `check-json.ts`); parts wait in a queue all the same.
 */
function withoutPrototypes(value: Json): Json {
  const holder: Record<string, Json> = {};
  const queue: { value: Json; put: (copy: Json) => void }[] = [{ value, put: (copy) => (holder['copy'] = copy) }];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (typeof next.value !== 'object' || next.value === null) {
      next.put(next.value);
      continue;
    }
    const copy: Record<string, Json> | Json[] = Array.isArray(next.value) ? [] : Object.create(null);
    next.put(copy);
    for (const [key, part] of Object.entries<Json>(next.value)) {
      // A list is written by its indices.
      queue.push({ value: part, put: (made) => ((copy as Record<string, Json>)[key] = made) });
    }
  }
  return holder['copy'] ?? null;
}
