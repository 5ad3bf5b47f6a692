// Check inputs: what is made for an action, or for a called workflow, is what it takes. Rules DF89 to DF91.
//
// Always true: all of it is a warning. An action may be another one where it runs, and a workflow may be registered anew.

import type { Json, JsonObject } from '../../base/json.ts';
import { nearestHint } from '../../base/nearest.ts';
import { isJsonObject } from '../../base/path.ts';
import type { Form } from '../../expression/reads.ts';
import type { Reporter } from '../reporter.ts';
import { compileSchema } from '../schema.ts';
import { listNames } from '../shape.ts';
import type { Flow, InputSite } from './flow.ts';
import { firstMissing, outlineOf } from './outline.ts';

export function checkInputs({ inputs }: Flow, reporter: Reporter): void {
  for (const site of inputs) {
    checkFields(site, reporter);
    checkRequired(site, reporter);
    checkLiterals(site, reporter);
  }
}

// DF89: an input has no field that a closed schema lacks.
function checkFields({ schema, of, entries, who }: InputSite, reporter: Reporter): void {
  const outline = outlineOf(schema);
  for (const { keys, pointer } of entries) {
    const missing = firstMissing(outline, keys);
    if (missing === null) continue;
    reporter.warning('FIELD_NOT_IN_SCHEMA', pointer, {
      message: `Expected "${keys.join('.')}" to be in the input schema of ${of}, but there is no "${missing.key}" in it (${listNames(missing.known)}), in ${who}`,
      hint: () => nearestHint(missing.key, missing.known),
    });
  }
}

// DF90: an input has all fields that its schema requires. A mapping may find no value: only one that is not there is told of.
function checkRequired({ schema, of, entries, pointer, who }: InputSite, reporter: Reporter): void {
  const given = new Set(entries.map(({ keys: [key] }) => key));
  const required = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  const absent = required.filter((name): name is string => typeof name === 'string' && !given.has(name));
  if (absent.length === 0) return;
  const names = listNames(absent.map((name) => `"${name}"`));
  reporter.warning('INPUT_MISSING', pointer, {
    message: `Expected ${names} in ${who}, since the input schema of ${of} requires it, but nothing is mapped to it`,
    hint: `Add it to the mapping: "${absent[0]}": "<expression>".`,
  });
}

// DF91: a field that is written out fits its part of the schema.
function checkLiterals({ schema, of, entries, who }: InputSite, reporter: Reporter): void {
  const written = entries.flatMap(({ keys: [key = '', ...deeper], form, pointer }) => {
    const value = deeper.length > 0 ? undefined : literalOf(form);
    return value === undefined ? [] : [{ key, value, pointer }];
  });
  if (written.length === 0 || !isJsonObject(schema)) return;
  const compiled = compileSchema(partsOf(schema), reporter.schemaTrial);
  if ('problems' in compiled) return; // it is not this definition that is wrong
  for (const { key, value, pointer } of written) {
    for (const { message } of compiled.check({ [key]: value }).slice(0, 1))
      reporter.warning('INPUT_WRONG_KIND', pointer, { message: `${message}, by the input schema of ${of}, in ${who}` });
  }
}

/** What a schema says of each field by itself. */
function partsOf({ properties = {}, $defs = {}, definitions = {} }: JsonObject): JsonObject {
  return { properties, $defs, definitions };
}

/** The value of an expression that says it; undefined for all others. Forms are a few levels deep. */
function literalOf(form: Form): Json | undefined {
  switch (form.type) {
    case 'scalar':
      return form.value;
    case 'list': {
      const items = form.items.map(literalOf);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object': {
      const members = [...form.members].map(([key, part]) => [key, literalOf(part)] as const);
      return members.every(([, value]) => value !== undefined)
        ? (Object.fromEntries(members) as JsonObject)
        : undefined;
    }
    case 'path':
    case 'unknown':
      return undefined;
  }
}
