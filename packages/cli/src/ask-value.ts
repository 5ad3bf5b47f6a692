// Ask value: a conversation that ends with a value for a JSON Schema: an object is asked for field by field, everything
// else by one question. What cannot be told by a question is written as JSON.
//
// Always true: what is read is JSON of the type that the schema names; whether it fits otherwise, the prompt decides.

import type { Json, JsonSchema } from 'heddle';
import { printable, shortened, type Terminal } from './terminal.ts';

export type Ask = (question: string) => Promise<string>;

interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** What of a schema matters for a question. */
interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly Json[];
  readonly const?: Json;
  readonly default?: Json;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export async function askValue(to: Terminal, given: JsonSchema | null, ask: Ask): Promise<Json> {
  const schema = (given ?? {}) as Schema; // it was checked when its definition was registered
  const { properties } = schema;
  if (properties === undefined) return askField(to, { name: 'answer', schema, isRequired: true }, ask);
  const answer: Record<string, Json> = {};
  for (const [name, part] of Object.entries(properties)) {
    const isRequired = schema.required?.includes(name) ?? false;
    const value = await askField(to, { name, schema: part, isRequired }, ask);
    if (value !== undefined) answer[name] = value;
  }
  return answer;
}

function askField(to: Terminal, field: Field & { readonly isRequired: true }, ask: Ask): Promise<Json>;
function askField(to: Terminal, field: Field, ask: Ask): Promise<Json | undefined>;
async function askField(to: Terminal, field: Field, ask: Ask): Promise<Json | undefined> {
  const { schema, isRequired } = field;
  if (schema.const !== undefined) return schema.const;
  const { description, enum: choices } = schema;
  if (typeof description === 'string') to.line(to.paint('dim', `  ${shortened(description, 200)}`));
  if (choices) for (const [index, choice] of choices.entries()) to.line(`  ${index + 1}  ${shown(choice)}`);
  for (;;) {
    const text = (await ask(questionOf(field))).trim();
    if (text === '' && schema.default !== undefined) return schema.default;
    if (text === '' && !isRequired) return undefined;
    const read = readText(schema, text);
    if ('value' in read) return read.value;
    to.line(to.paint('yellow', `  Expected ${read.expected}.`));
  }
}

function questionOf({ name, schema, isRequired }: Field): string {
  const title = typeof schema.title === 'string' ? schema.title : name;
  const fallback = schema.default === undefined ? null : shown(schema.default);
  const notes = [
    kindOf(schema),
    ...(fallback === null ? [] : [`default ${fallback}`]),
    ...(isRequired ? [] : ['optional']),
  ];
  return `${printable(title)} (${notes.join(', ')}): `;
}

function kindOf({ type, enum: choices }: Schema): string {
  if (choices) return `1 to ${choices.length}`;
  switch (type) {
    case 'boolean':
      return 'y or n';
    case 'string':
      return 'text';
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    default:
      return 'JSON';
  }
}

type Read = { readonly value: Json } | { readonly expected: string };

function readText(schema: Schema, text: string): Read {
  const { type, enum: choices } = schema;
  if (choices) return readChoice(choices, text);
  switch (type) {
    case 'boolean':
      if (/^(y|yes|true)$/i.test(text)) return { value: true };
      return /^(n|no|false)$/i.test(text) ? { value: false } : { expected: 'y or n' };
    case 'string':
      return { value: text };
    case 'integer':
    case 'number': {
      const number = Number(text);
      const isRight = text !== '' && Number.isFinite(number) && (type === 'number' || Number.isInteger(number));
      return isRight ? { value: number } : { expected: kindOf(schema) };
    }
    default:
      return readJson(text);
  }
}

/** By its number, or as it is written. */
function readChoice(choices: readonly Json[], text: string): Read {
  const chosen = choices[Number(text) - 1] ?? choices.find((choice) => shown(choice) === text);
  return chosen === undefined ? { expected: `a number from 1 to ${choices.length}` } : { value: chosen };
}

function readJson(text: string): Read {
  try {
    return { value: JSON.parse(text) as Json }; // JSON text is nothing else
  } catch {
    return { expected: 'JSON, such as "text", 12, true, [1, 2] or {"a": 1}' };
  }
}

const shown = (value: Json): string => (typeof value === 'string' ? printable(value) : JSON.stringify(value));
