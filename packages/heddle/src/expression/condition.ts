// Structured conditions: what a form in a workflow builder makes, `{"field": "state.n", "op": ">=", "value": 3}` and
// `and`, `or`, `not` around such, as the source text of an expression.
//
// Always true: field and value reach the source only as escaped literals, so no condition can say more than its form.
// A field that is missing makes a comparison false (`!=`, `not_contains`, `not_exists`, `is_empty`: true).

import { isJsonArray, type Json, type JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import { reservedNames } from './reserved-names.ts';

export type ConditionSource = { readonly source: string } | { readonly problem: Problem };

export const conditionOperators = [
  '==',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'in',
  'exists',
  'not_exists',
  'is_empty',
  'is_not_empty',
] as const;
export type ConditionOperator = (typeof conditionOperators)[number];

/** Forms are shallow; expressions have a limit of their own. */
const depthMax = 32;

/** Of a condition in either form; a text is an expression already. */
export function conditionSource(condition: string | JsonObject): ConditionSource {
  if (typeof condition === 'string') return { source: condition };
  const source = writeSource(condition, '', 1);
  return typeof source === 'string' ? { source } : { problem: source };
}

function problemAt(pointer: string, message: string): Problem {
  return { severity: 'error', code: 'INVALID_CONDITION', pointer, message };
}

function writeSource(condition: Json, pointer: string, depth: number): string | Problem {
  if (depth > depthMax) return problemAt(pointer, `Expected at most ${depthMax} levels of conditions, but found more`);
  if (!isJsonObject(condition))
    return problemAt(pointer, `Expected a condition (an object), but found ${shown(condition)}`);
  const [combination = ''] = Object.keys(condition);
  switch (combination) {
    case 'and':
    case 'or':
    case 'not': {
      const unknown = unknownKey(condition, [combination]);
      if (unknown !== undefined)
        return problemAt(
          `${pointer}/${escaped(unknown)}`,
          `Expected "${combination}" alone, but found ${shown(unknown)}`,
        );
      return combinationSource(combination, condition[combination] ?? null, `${pointer}/${combination}`, depth);
    }
    default:
      return comparisonSource(condition, pointer);
  }
}

function combinationSource(
  combination: 'and' | 'or' | 'not',
  content: Json,
  pointer: string,
  depth: number,
): string | Problem {
  if (combination === 'not') {
    const inner = writeSource(content, pointer, depth + 1);
    return typeof inner === 'string' ? `!(${inner})` : inner;
  }
  if (!isJsonArray(content)) return problemAt(pointer, `Expected a list of conditions, but found ${shown(content)}`);
  const parts: string[] = [];
  for (const [index, each] of content.entries()) {
    const part = writeSource(each, `${pointer}/${index}`, depth + 1);
    if (typeof part !== 'string') return part;
    parts.push(`(${part})`);
  }
  if (parts.length === 0) return combination === 'and' ? 'true' : 'false';
  return parts.join(combination === 'and' ? ' && ' : ' || ');
}

function comparisonSource(condition: JsonObject, pointer: string): string | Problem {
  const unknown = unknownKey(condition, ['field', 'op', 'value']);
  if (unknown !== undefined)
    return problemAt(
      `${pointer}/${escaped(unknown)}`,
      `Expected only "field", "op" and "value", but found ${shown(unknown)}`,
    );
  const { field, op, value } = condition;
  if (field === undefined) return problemAt(pointer, 'Expected a condition to have "field", but it has none');
  if (op === undefined) return problemAt(pointer, 'Expected a condition to have "op", but it has none');
  const path = typeof field === 'string' ? fieldSource(field) : null;
  if (path === null) return problemAt(`${pointer}/field`, `Expected a path such as state.n, but found ${shown(field)}`);
  if (!isOperator(op)) {
    return problemAt(`${pointer}/op`, `Expected one of ${conditionOperators.join(', ')}, but found ${shown(op)}`);
  }
  const text = operatorSource(op, path, value);
  if (text !== null) return text;
  if (value === undefined)
    return problemAt(pointer, `Expected a condition with ${op} to have "value", but it has none`);
  return problemAt(`${pointer}/value`, `Expected ${valuePhrase(op)} for ${op}, but found ${shown(value)}`);
}

/** A value as its author wrote it, or the beginning of that. */
function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}

function isOperator(op: Json): op is ConditionOperator {
  return (conditionOperators as readonly Json[]).includes(op); // `includes` takes only what may be in the list
}

function valuePhrase(op: ConditionOperator): string {
  if (op === 'in') return 'a list as value';
  return op.startsWith('exists') || op.startsWith('not_exists') || op.startsWith('is_') ? 'no value' : 'a value';
}

function unknownKey(object: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(object).find((key) => !known.includes(key));
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Null if the value does not suit the operator. */
function operatorSource(op: ConditionOperator, path: string, value: Json | undefined): string | null {
  const literal = value === undefined ? null : literalSource(value);
  switch (op) {
    case 'exists':
      return value === undefined ? `has(${path}) && ${path} != null` : null;
    case 'not_exists':
      return value === undefined ? `!(has(${path}) && ${path} != null)` : null;
    case 'is_empty':
      return value === undefined ? `!has(${path}) || ${path} in [null, "", [], {}]` : null;
    case 'is_not_empty':
      return value === undefined ? `has(${path}) && !(${path} in [null, "", [], {}])` : null;
    case 'in':
      return Array.isArray(value) && literal !== null ? `has(${path}) && ${path} in ${literal}` : null;
    case '!=':
      return literal && `!(has(${path}) && ${path} == ${literal})`;
    case 'not_contains':
      return literal && `!(has(${path}) && contains(${path}, ${literal}))`;
    case 'contains':
      return literal && `has(${path}) && contains(${path}, ${literal})`;
    case 'starts_with':
      return literal && `has(${path}) && startsWith(${path}, ${literal})`;
    case 'ends_with':
      return literal && `has(${path}) && endsWith(${path}, ${literal})`;
    case '==':
    case '>':
    case '>=':
    case '<':
    case '<=':
      return literal && `has(${path}) && ${path} ${op} ${literal}`;
  }
}

/** `state.items.0.first-name` becomes `state.items[0]["first-name"]`. */
function fieldSource(field: string): string | null {
  const [root = '', ...keys] = field.split('.');
  if (!isName(root) || reservedNames.has(root) || keys.includes('')) return null;
  return root + keys.map(keySource).join('');
}

function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text);
}

function keySource(key: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(key)) return `[${key}]`;
  return isName(key) && !reservedNames.has(key) ? `.${key}` : `[${textSource(key)}]`;
}

/** JSON's escapes are the language's too, but for that of a surrogate that stands alone, which is written as it is. */
function textSource(text: string): string {
  return JSON.stringify(text).replace(/\\\\|\\u(d[89a-f][0-9a-f]{2})/g, (found, code: string | undefined) =>
    code === undefined ? found : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Null if the language has no literal for it: the key `__proto__`. */
function literalSource(value: Json): string | null {
  if (typeof value === 'string') return textSource(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : value.toExponential();
  if (typeof value !== 'object' || value === null) return String(value);
  const parts = isJsonArray(value) ? value.map(literalSource) : membersSource(value);
  if (parts.includes(null)) return null;
  return Array.isArray(value) ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

function membersSource(object: JsonObject): readonly (string | null)[] {
  return Object.entries(object).map(([key, value]) => {
    const literal = key === '__proto__' ? null : literalSource(value);
    return literal === null ? null : `${textSource(key)}: ${literal}`;
  });
}
