// Expression trial: whatever text is given as an expression, it is refused with a typed problem or evaluates to JSON, to
// something missing or to a typed error, within its steps; it throws nothing and alters nothing. Attack A1.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import { compileSchema } from '../../../packages/heddle/src/definition/schema.ts';
import { compileExpression } from '../../../packages/heddle/src/expression/compile.ts';
import { conditionSource } from '../../../packages/heddle/src/expression/condition.ts';
import type { Evaluation } from '../../../packages/heddle/src/expression/expression.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { badConditions } from '../definitions/bad-texts.ts';
import { show, type Trial } from '../trial.ts';
import { evilPatterns, makeSource, mutate } from './make-source.ts';
import { payloads } from './payloads.ts';

const names: ReadonlySet<string> = new Set(['input', 'state', 'output', 'result', 'x']);

/** Few steps, so that what would take all of them takes a moment: 20,000 are a few milliseconds. */
const stepsMax = 20_000;
const limits = { expressionLengthMax: 10_000, expressionDepthMax: 64, expressionCostMax: stepsMax };

/** Steps are milliseconds; only work that nobody counts takes seconds, on however busy a machine. */
const secondsMax = 5;

export function makeExpressionTrial(dice: Dice): Trial {
  const kinds = [makePlainTrial, makeConditionTrial, makePatternTrial, makeBadConditionTrial] as const;
  return (dice.chance(1, 2) ? dice.pick(kinds) : makePlainTrial)(dice);
}

function makePlainTrial(dice: Dice): Trial {
  const source = makeSource(dice);
  return { input: () => `expression ${show(source, 12_000)}`, check: () => checkSource(source) };
}

function checkSource(source: string): string | null {
  const started = performance.now();
  const compiled = compileExpression(source, { limits, names });
  if ('problem' in compiled) return checkRefusal(compiled.problem, source) ?? checkTime(started);
  const evaluation = compiled.expression.evaluate(scope);
  const found = checkEvaluation(evaluation) ?? checkTime(started);
  if (found !== null || evaluation.type === 'value') return found;
  const again = compiled.expression.evaluate(scope);
  const isSame = again.type === evaluation.type && again.message === evaluation.message;
  return isSame ? null : `Expected the same again, but found ${show(again)}`;
}

const refusals: ReadonlySet<string> = new Set([
  'EXPRESSION_SYNTAX',
  'EXPRESSION_UNKNOWN_NAME',
  'EXPRESSION_LIMIT',
  'EXPRESSION_FORBIDDEN',
]);

function checkRefusal(
  { code, message, position }: { readonly code: string; readonly message: string; readonly position?: number },
  source: string,
): string | null {
  const isRight =
    refusals.has(code) &&
    message.startsWith('Expected ') &&
    message.length < 2_000 &&
    (position === undefined || (position >= 0 && position <= source.length));
  return isRight ? null : `Expected a typed problem, but found ${code} at ${position}: ${message}`;
}

function checkEvaluation(evaluation: Evaluation): string | null {
  switch (evaluation.type) {
    case 'value':
      return isJson(evaluation.value) ? null : `Expected JSON, but found ${show(evaluation.value)}`;
    case 'missing':
      return / is (?:missing|not in scope here)/.test(evaluation.message) ? null : `Unclear: ${evaluation.message}`;
    case 'error':
      return checkError(evaluation.code, evaluation.message);
  }
}

function checkError(code: string, message: string): string | null {
  const isKnown = code === 'EXPRESSION_FAILED' || code === 'EXPRESSION_COST';
  // What no step foresaw is caught by the last line, and is a fault of a step.
  const isForeseen = message.startsWith('Expected ') && !message.includes('to be evaluated, but');
  return isKnown && isForeseen && message.length < 2_000
    ? null
    : `Expected a typed error, but found ${code}: ${message}`;
}

function checkTime(started: number): string | null {
  const seconds = (performance.now() - started) / 1_000;
  return seconds <= secondsMax
    ? null
    : `Expected ${stepsMax} steps to take a moment, but it took ${seconds.toFixed(1)} s`;
}

/** Of a value that may share parts as often as it likes: as far as a few thousand of them. */
function isJson(root: unknown): boolean {
  const queue: unknown[] = [root];
  for (let looked = 0; looked < 5_000; looked++) {
    const value = queue.pop();
    if (value === undefined) return queue.length === 0 && looked > 0;
    if (typeof value === 'number' && !Number.isFinite(value)) return false;
    if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') return false;
    if (typeof value !== 'object' || value === null) continue;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== Array.prototype) return false;
    if (Object.hasOwn(value, '__proto__') && !isGiven(value)) return false;
    queue.push(...Object.values(value));
  }
  return true;
}

/** What stood in the scope already comes out as it is. */
const isGiven = (value: object): boolean => Object.isFrozen(value);

/** A condition as data can say no more than its form, whatever its parts are. */
function makeConditionTrial(dice: Dice): Trial {
  const hostile = (): string => (dice.chance(1, 2) ? (dice.pick(payloads) ?? '') : mutate('state.list.0', dice));
  const field = dice.chance(1, 3) ? `state.${hostile()}` : hostile();
  const op = dice.pick(['==', '!=', '<', 'contains', 'in', 'exists', 'is_empty', 'starts_with', hostile()]);
  const value: Json = dice.pick<Json>([hostile(), [hostile()], { [`k${hostile()}`]: hostile() }, null, 1]);
  const condition = dice.pick<Json>([
    { field, op, value },
    { field, op },
    { and: [{ field, op, value }, { not: { field, op } }] },
    { [hostile()]: value },
  ]);
  return {
    input: () => `condition ${show(condition)}`,
    check: () => checkCondition(condition as Readonly<Record<string, Json>>),
  };
}

function checkCondition(condition: Readonly<Record<string, Json>>): string | null {
  const made = conditionSource(condition);
  if ('problem' in made) {
    const { code, message, pointer } = made.problem;
    const isRight = code === 'INVALID_CONDITION' && message.startsWith('Expected ') && /^(?:\/|$)/.test(pointer);
    return isRight ? null : `Expected a typed problem, but found ${code} at ${pointer}: ${message}`;
  }
  const compiled = compileExpression(made.source, { limits, names });
  if ('problem' in compiled) {
    // A field may begin with a name that is not in scope, and a value may be too long: no text of it may be read as code.
    return ['EXPRESSION_UNKNOWN_NAME', 'EXPRESSION_LIMIT'].includes(compiled.problem.code)
      ? null
      : `Expected a condition that can be compiled, but ${compiled.problem.code}: ${compiled.problem.message}`;
  }
  const evaluation = compiled.expression.evaluate(scope);
  const isTruth = evaluation.type === 'value' && typeof evaluation.value === 'boolean';
  return isTruth || evaluation.type === 'error'
    ? checkEvaluation(evaluation)
    : `Expected true or false, but found ${show(evaluation)}`;
}

/** What is wrong with a condition, inside others that are right, is told of at its place. */
function makeBadConditionTrial(dice: Dice): Trial {
  let [condition, pointer] = dice.pick(badConditions) ?? [{}, ''];
  const right = { field: 'input.a', op: 'exists' };
  for (let levels = pointer.length > 100 ? 0 : dice.draw(5); levels > 0; levels--) {
    const [wrapped, below] = dice.pick<readonly [Json, string]>([
      [{ not: condition }, '/not'],
      [{ and: [right, condition] }, '/and/1'],
      [{ or: [condition, right] }, '/or/0'],
    ]);
    [condition, pointer] = [wrapped, `${below}${pointer}`];
  }
  const check = (): string | null => {
    const made = conditionSource(condition as Readonly<Record<string, Json>>);
    if (!('problem' in made)) return `Expected a problem at ${pointer}, but it was taken`;
    const { code, message } = made.problem;
    const isRight = code === 'INVALID_CONDITION' && made.problem.pointer === pointer && message.startsWith('Expected ');
    return isRight
      ? null
      : `Expected a problem at ${pointer}, but found ${code} at ${made.problem.pointer}: ${message}`;
  };
  return { input: () => `condition ${show(condition)}`, check };
}

/** The patterns of JSON Schemas are matched by the same means. */
function makePatternTrial(dice: Dice): Trial {
  const pattern = (dice.chance(1, 3) ? mutate(dice.pick(evilPatterns), dice) : dice.pick(evilPatterns)).replaceAll(
    '\\\\',
    '\\',
  );
  const isName = dice.chance(1, 3);
  const schema: Json = isName ? { patternProperties: { [pattern]: false } } : { properties: { a: { pattern } } };
  const text = dice.pick([scope.state.text, 'a'.repeat(40), `${'a'.repeat(5_000)}!`, '\ud800'.repeat(100), '']);
  const value: Json = isName ? { [text]: 1 } : { a: text };
  return {
    input: () => `schema ${show(schema)} on ${show(value)}`,
    check: () => {
      const started = performance.now();
      const compiled = compileSchema(schema);
      if ('check' in compiled) compiled.check(value);
      else if (!compiled.problem.message.startsWith('Expected ')) return `Unclear: ${compiled.problem.message}`;
      return checkTime(started);
    },
  };
}

function makeScope() {
  const deep = (levels: number): Json => {
    let value: Json = { bottom: true };
    for (let level = 0; level < levels; level++) value = { deep: value, '0': value };
    return value;
  };
  return {
    state: {
      a: 1,
      text: 'a'.repeat(3_000),
      list: Array.from({ length: 200 }, (_, index) => index),
      deep: deep(12),
      keys: Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, `value${index}`])),
      // As a journal would hold them: own keys, whatever they are called.
      odd: JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"toString":"t","hasOwnProperty":1,"length":-1,"then":{},"toJSON":5,"":0,"0":"zero","\\u0000":"\\ud800","valueOf":null}',
      ) as Json,
    },
    input: { n: 1, list: [[[]], {}, null, '', '\ud800', '__proto__', 1e300, -0] },
    output: {},
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

const scope = deepFreeze(makeScope());
