// Check inputs: what is made for an action, or for a called workflow, is what it takes. Rules DF89 to DF91.
//
// Always true: all of it is a warning, unless the site says otherwise. An action may be another one where it runs, and a
// workflow may be registered anew.

import type { Json } from '../../base/json.ts';
import { nearestHint } from '../../base/nearest.ts';
import { isJsonObject } from '../../base/path.ts';
import type { Form } from '../../expression/reads.ts';
import type { JsonSchema } from '../definition.ts';
import type { SchemaCheck } from '../graph.ts';
import type { Reporter } from '../reporter.ts';
import { compileSchema } from '../schema.ts';
import { listNames } from '../shape.ts';
import type { Flow, InputSite } from './flow.ts';
import { firstMissing, type Outline, readOutline } from './outline.ts';

export function checkInputs({ inputs }: Pick<Flow, 'inputs'>, reporter: Reporter): void {
  const known = new Map<JsonSchema, KnownInput>();
  for (const site of inputs) {
    const input = known.get(site.schema) ?? new KnownInput(site.schema, reporter);
    known.set(site.schema, input);
    checkFields(site, input, reporter);
    checkRequired(site, input, reporter);
    checkLiterals(site, input, reporter);
  }
}

/** What a schema says, worked out once for all nodes that share it. */
class KnownInput {
  readonly outline: Outline;
  readonly required: readonly string[];
  readonly #schema: JsonSchema;
  readonly #reporter: Reporter;
  #check: SchemaCheck | undefined;

  constructor(schema: JsonSchema, reporter: Reporter) {
    this.#schema = schema;
    this.#reporter = reporter;
    this.outline = readOutline(schema);
    const required = isJsonObject(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
    this.required = required.filter((name): name is string => typeof name === 'string');
  }

  /** Of each field by itself. A schema that cannot be compiled is not this definition's mistake. */
  get check(): SchemaCheck {
    if (this.#check !== undefined) return this.#check;
    const { properties = {}, $defs = {}, definitions = {} } = isJsonObject(this.#schema) ? this.#schema : {};
    const compiled = compileSchema({ properties, $defs, definitions }, this.#reporter.schemaTrial);
    this.#check = 'check' in compiled ? compiled.check : () => [];
    return this.#check;
  }
}

// DF89: an input has no field that a closed schema lacks.
function checkFields(
  { of, entries, who, severity = 'warning' }: InputSite,
  { outline }: KnownInput,
  reporter: Reporter,
): void {
  for (const { keys, pointer } of entries) {
    const missing = firstMissing(outline, keys);
    if (missing === null) continue;
    reporter[severity]('FIELD_NOT_IN_SCHEMA', pointer, {
      message: `Expected "${keys.join('.')}" to be in the input schema of ${of}, but there is no "${missing.key}" in it (${listNames(missing.known)}), in ${who}`,
      hint: () => nearestHint(missing.key, missing.known),
    });
  }
}

// DF90: an input has all fields that its schema requires. A mapping may find no value: only one that is not there is reported.
function checkRequired(
  { of, entries, pointer, who, severity = 'warning' }: InputSite,
  { required }: KnownInput,
  reporter: Reporter,
): void {
  const given = new Set(entries.map(({ keys: [key] }) => key));
  const absent = required.filter((name) => !given.has(name));
  if (absent.length === 0) return;
  const names = listNames(absent.map((name) => `"${name}"`));
  const nothing = severity === 'error' ? 'nothing gives it' : 'nothing is mapped to it';
  reporter[severity]('INPUT_MISSING', pointer, {
    message: `Expected ${names} in ${who}, since the input schema of ${of} requires it, but ${nothing}`,
    hint:
      severity === 'error'
        ? 'Fill it in, or draw an edge to it.'
        : `Add it to the mapping: "${absent[0]}": "<expression>".`,
  });
}

// DF91: a field that is written out fits its part of the schema.
function checkLiterals(
  { of, entries, who, severity = 'warning' }: InputSite,
  known: KnownInput,
  reporter: Reporter,
): void {
  for (const { keys, form, pointer } of entries) {
    const value = keys.length === 1 ? readLiteral(form) : undefined;
    if (value === undefined) continue;
    const [mismatch] = known.check({ [keys[0] ?? '']: value });
    if (mismatch === undefined) continue;
    const message = `${mismatch.message}, by the input schema of ${of}, in ${who}`;
    reporter[severity]('INPUT_WRONG_KIND', pointer, { message });
  }
}

/** The value of an expression that says it; undefined for all others. Forms are a few levels deep. */
function readLiteral(form: Form): Json | undefined {
  switch (form.type) {
    case 'scalar':
      return form.value;
    case 'list': {
      const items = form.items.map(readLiteral);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case 'object': {
      const members = new Map<string, Json>();
      for (const [key, part] of form.members) {
        const value = readLiteral(part);
        if (value === undefined) return undefined;
        members.set(key, value);
      }
      return Object.fromEntries(members);
    }
    case 'path':
    case 'unknown':
      return undefined;
  }
}
