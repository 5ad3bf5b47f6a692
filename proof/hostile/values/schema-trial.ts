// Schema trial: JSON Schemas made of any keywords with any values, and any value checked against those that are taken. Each is
// refused with a typed problem or answers with a list of mismatches that point into the value. Rules DF45 to DF47.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Problem } from '../../../packages/heddle/src/base/problem.ts';
import { compileSchema } from '../../../packages/heddle/src/definition/schema.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { badSchemas } from '../definitions/bad-texts.ts';
import { isObject } from '../definitions/takes.ts';
import { show, type Trial } from '../trial.ts';

export function makeSchemaTrial(dice: Dice): Trial {
  return (dice.chance(1, 3) ? makeBadTrial : makeAnyTrial)(dice);
}

/** What is wrong with a schema, inside others that are right, is told of at its place. */
function makeBadTrial(dice: Dice): Trial {
  const [bad, place, code] = dice.pick(badSchemas) ?? [{ type: 5 }, '/type', 'INVALID_SCHEMA'];
  let [schema, pointer] = [bad, place];
  // What refers to its top means another thing further down.
  const isWhole = pointer === '' || pointer.length > 100;
  for (let levels = isWhole ? 0 : dice.draw(5); levels > 0; levels--) {
    const [wrapped, below] = dice.pick<readonly [Json, string]>([
      [{ properties: { 'a/b': schema, toString: true } }, '/properties/a~1b'],
      [{ items: schema, type: 'array' }, '/items'],
      [{ anyOf: [true, schema] }, '/anyOf/1'],
      [{ $defs: { constructor: schema } }, '/$defs/constructor'],
      [{ if: {}, else: schema }, '/else'],
    ]);
    [schema, pointer] = [wrapped, `${below}${pointer}`];
  }
  const look = (): string | null => {
    const compiled = compileSchema(schema as never); // made of bad ones
    const problems = 'problems' in compiled ? compiled.problems : [];
    if (problems.some((one) => one.pointer === pointer && one.code === code)) return null;
    const found = problems.map((one) => `${one.code} at ${one.pointer}`).join(', ') || 'no problem';
    return `Expected ${code} at ${pointer || 'the top'}, but found ${found}`;
  };
  return { input: () => `schema ${show(schema)}`, check: look };
}

function makeAnyTrial(dice: Dice): Trial {
  const schema = drawSchema(dice, 4);
  const value = drawValue(dice, 4);
  return { input: () => `schema ${show(schema)} on ${show(value)}`, check: () => check(schema, value) };
}

const codes = new Set(['INVALID_SCHEMA', 'PATTERN_NOT_ALLOWED', 'REMOTE_REFERENCE', 'TOO_DEEP']);

function check(schema: Json, value: Json): string | null {
  if (typeof schema !== 'boolean' && !isObject(schema)) return null;
  const compiled = compileSchema(schema);
  if ('problem' in compiled) {
    const { code, message, pointer } = compiled.problem;
    const isRight = codes.has(code) && message.startsWith('Expected ') && leads(schema, pointer);
    return isRight ? null : `Expected a typed problem, but found ${code} at ${pointer}: ${message}`;
  }
  for (const { code, message, pointer } of compiled.check(value) satisfies readonly Problem[]) {
    const isTyped = code === 'SCHEMA_MISMATCH' || code === 'SCHEMA_FAILED';
    if (isTyped && message.startsWith('Expected ') && message.length < 5_000 && leads(value, pointer)) continue;
    return `Expected a mismatch that points into the value, but found ${code} at ${pointer}: ${message}`;
  }
  return null;
}

/** Whether there is something at the pointer. */
function leads(root: Json, pointer: string): boolean {
  let here: Json | undefined = root;
  for (const key of pointer.split('/').slice(1)) {
    const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, name)) return false;
    here = (here as Readonly<Record<string, Json>>)[name];
  }
  return true;
}

const keys: readonly [string, ...string[]] = [
  'a',
  'b',
  'constructor',
  'toString',
  'a/b',
  '~',
  '',
  'length',
  'then',
  'hasOwnProperty',
  '0',
  '$ref',
];

const keywords = (
  'type properties required additionalProperties items prefixItems contains minContains maxContains uniqueItems enum const ' +
  'allOf anyOf oneOf not if then else minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern ' +
  'format minItems maxItems minProperties maxProperties propertyNames patternProperties dependentRequired dependentSchemas ' +
  'unevaluatedProperties unevaluatedItems $ref $dynamicRef $defs definitions $anchor $dynamicAnchor $id $schema $comment title ' +
  'description default examples deprecated readOnly contentMediaType dependencies additionalItems ~refine ~standard ~kind constructor ' +
  'toString discriminator nullable $recursiveRef'
).split(' ');

/** Most keywords get what they ask for, some get anything. */
function drawSchema(dice: Dice, depth: number): Json {
  if (depth === 0 || dice.chance(1, 6))
    return dice.pick<Json>([{}, true, false, { type: 'string' }, { type: ['number', 'null'] }]);
  const members = Array.from({ length: dice.between(1, 4) }, (): [string, Json] => {
    const keyword = dice.pick(keywords) ?? 'type';
    return [keyword, dice.chance(1, 12) ? drawValue(dice, 2) : drawFor(keyword, dice, depth - 1)];
  });
  return Object.fromEntries(members);
}

function drawFor(keyword: string, dice: Dice, depth: number): Json {
  const schema = (): Json => drawSchema(dice, depth);
  const schemas = (): Json => Array.from({ length: dice.between(1, 3) }, schema);
  const named = (make: () => Json): Json =>
    Object.fromEntries(Array.from({ length: dice.between(1, 3) }, () => [dice.pick(keys), make()]));
  if (/^(?:properties|\$defs|definitions|dependentSchemas|dependencies)$/.test(keyword)) return named(schema);
  if (keyword === 'patternProperties')
    return { [dice.pick(['^a', 'b$', '\\@', '[a-z]', '^\\p{L}+', '(a+)+', '^[^x]*$', 'a{2}', '\\u0061'])]: schema() };
  if (/^(?:allOf|anyOf|oneOf|prefixItems)$/.test(keyword)) return schemas();
  if (/^(?:min|max)[A-Z]/.test(keyword)) return dice.pick<Json>([0, 1, 2, 1e300, -1, 0.5]);
  if (/imum$|multipleOf/.test(keyword)) return dice.pick<Json>([0, 1, -1, 0.1, 1e-300, 1e300]);
  if (/[rR]ef$/.test(keyword))
    return dice.pick([
      '#',
      '#/$defs/a',
      '#/properties/a',
      '#a',
      '#/',
      '#/allOf/0',
      '#/$defs/constructor',
      '#/%41',
      'other',
      '',
    ]);
  if (/nchor$|^\$|^title|^desc|^format|^content/.test(keyword))
    return dice.pick(['a', '#a', 'date-time', 'email', 'uri', 'regex', 'constructor', '']);
  if (keyword === 'type')
    return dice.pick<Json>(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', ['string', 'array']]);
  if (keyword === 'required') return [dice.pick(keys), dice.pick(keys)];
  if (keyword === 'dependentRequired') return named(() => [dice.pick(keys)]);
  if (keyword === 'pattern')
    return dice.pick(['^a+$', '(a+)+$', '\\d', '[', '(?=a)', '\\p{L}', 'a{1,500}', '\\u{1f600}', '(?i)a']);
  if (keyword === 'enum') return [drawValue(dice, 1), drawValue(dice, 1)];
  if (/^(?:uniqueItems|deprecated|readOnly|nullable)$/.test(keyword)) return dice.chance(1, 2);
  return schema();
}

export function drawValue(dice: Dice, depth: number): Json {
  const scalars: readonly [Json, ...Json[]] = [
    null,
    true,
    false,
    0,
    1,
    -1,
    2.5,
    1e300,
    '',
    'a',
    'aaaa!',
    '\ud800',
    'constructor',
    '__proto__',
  ];
  if (depth === 0 || dice.chance(1, 3)) return dice.pick(scalars);
  if (dice.chance(1, 2)) return Array.from({ length: dice.draw(4) }, () => drawValue(dice, depth - 1));
  return Object.fromEntries(Array.from({ length: dice.draw(4) }, () => [dice.pick(keys), drawValue(dice, depth - 1)]));
}
