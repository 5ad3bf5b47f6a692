// Operators: what `+ - * / % == != < <= > >= in`, `!x`, `-x` do to values. All numbers are JSON numbers (doubles).

import type { Json, JsonObject } from '../base/json.ts';
import { charge, chargeText, type Frame } from './frame.ts';
import type { Node } from './parse-source.ts';
import {
  describe,
  Fault,
  failed,
  finite,
  isList,
  isObject,
  keyText,
  Optional,
  type Outcome,
  ownMember,
  type Value,
} from './value.ts';

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in';
type Binary = (left: Value, right: Value, frame: Frame) => Outcome;

export const binaryOperators: Readonly<Record<BinaryOperator, Binary>> = {
  '+': add,
  '-': (left, right) => arithmetic(left, '-', right),
  '*': (left, right) => arithmetic(left, '*', right),
  '/': (left, right) => arithmetic(left, '/', right),
  '%': (left, right) => arithmetic(left, '%', right),
  '==': equality,
  '!=': (left, right, frame) => {
    const same = equality(left, right, frame);
    return same instanceof Fault ? same : !same;
  },
  '<': (left, right, frame) => compare(left, '<', right, frame),
  '<=': (left, right, frame) => compare(left, '<=', right, frame),
  '>': (left, right, frame) => compare(left, '>', right, frame),
  '>=': (left, right, frame) => compare(left, '>=', right, frame),
  in: isIn,
};

export type BinaryNode = Node & { readonly op: BinaryOperator };

export function isBinary(node: Node): node is BinaryNode {
  return Object.hasOwn(binaryOperators, node.op);
}

export function negate(value: Value): Outcome {
  if (typeof value === 'number') return finite(-value, '-');
  return failed(`Expected a number after -, but found ${describe(value)}`);
}

export function not(value: Value): Outcome {
  if (typeof value === 'boolean') return !value;
  return failed(`Expected true or false after !, but found ${describe(value)}`);
}

function add(left: Value, right: Value, frame: Frame): Outcome {
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right, '+');
  if (typeof left === 'string' || typeof right === 'string') return addText(left, right, frame);
  if (isList(left) && isList(right)) return charge(frame, left.length + right.length) ?? [...left, ...right];
  const hint = isObject(left) && isObject(right) ? ' (use merge(a, b))' : '';
  return failed(`Expected numbers, texts or lists around +, but found ${describe(left)} and ${describe(right)}${hint}`);
}

/** A text takes numbers and true or false as JSON writes them; null and the rest are mistakes more often than not. */
function addText(left: Value, right: Value, frame: Frame): Outcome {
  const first = textOfScalar(left);
  const second = textOfScalar(right);
  if (first === undefined || second === undefined) {
    const other = describe(first === undefined ? left : right);
    return failed(`Expected a text, a number, true or false to add to a text, but found ${other} (use string(x))`);
  }
  return chargeText(frame, first.length + second.length) ?? first + second;
}

export function textOfScalar(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** `/` is the division of JSON numbers, for literals too: 7 / 2 is 3.5. `%` keeps the sign of its left side. */
function arithmetic(left: Value, operator: '-' | '*' | '/' | '%', right: Value): Outcome {
  if (typeof left !== 'number' || typeof right !== 'number') {
    return failed(`Expected numbers around ${operator}, but found ${describe(left)} and ${describe(right)}`);
  }
  switch (operator) {
    case '-':
      return finite(left - right, '-');
    case '*':
      return finite(left * right, '*');
    case '/':
      return right === 0
        ? failed('Expected to divide by a number other than 0, but found 0')
        : finite(left / right, '/');
    case '%':
      return right === 0
        ? failed('Expected to divide by a number other than 0, but found 0')
        : finite(left % right, '%');
  }
}

function compare(left: Value, operator: '<' | '<=' | '>' | '>=', right: Value, frame: Frame): Outcome {
  const numbers = typeof left === 'number' && typeof right === 'number';
  if (!numbers) {
    if (typeof left !== 'string' || typeof right !== 'string') {
      const found = `${describe(left)} and ${describe(right)}`;
      return failed(`Expected two numbers or two texts around ${operator}, but found ${found}`);
    }
    const over = chargeText(frame, Math.min(left.length, right.length));
    if (over) return over;
  }
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function isIn(item: Value, container: Value, frame: Frame): Outcome {
  if (isList(container)) return listContains(container, item, frame);
  if (!isObject(container)) {
    const hint = typeof container === 'string' ? ' (use contains(text, part))' : '';
    return failed(`Expected a list or an object after in, but found ${describe(container)}${hint}`);
  }
  const key = keyText(item);
  if (key === undefined) return failed(`Expected a text before in for an object, but found ${describe(item)}`);
  return ownMember(container, key) !== undefined;
}

export function listContains(list: readonly Json[], item: Value, frame: Frame): boolean | Fault {
  for (const each of list) {
    const same = charge(frame, 1) ?? equal(each, item, frame);
    if (same !== false) return same;
  }
  return false;
}

function equality(left: Value, right: Value, frame: Frame): boolean | Fault {
  if (left instanceof Optional) return failed(`Expected a value before == or !=, but found ${describe(left)}`);
  if (right instanceof Optional) return failed(`Expected a value after == or !=, but found ${describe(right)}`);
  return equal(left, right, frame);
}

/** Deep equality of JSON. Values of different kinds differ; that is no error. */
function equal(left: Json, right: Value, frame: Frame): boolean | Fault {
  if (typeof left === 'string' && typeof right === 'string') return equalText(left, right, frame);
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return left === right;
  if (kindsDiffer(left, right)) return false;
  return equalDeep(left, right as Json, frame); // an optional is of another kind
}

function equalText(left: string, right: string, frame: Frame): boolean | Fault {
  if (left.length !== right.length) return false;
  return (left.length > 64 ? chargeText(frame, left.length) : null) ?? left === right;
}

function kindsDiffer(left: Value, right: Value): boolean {
  return isList(left) !== isList(right) || isObject(left) !== isObject(right);
}

/** With a list of pairs still to compare instead of recursion: depth of the data costs no stack. */
function equalDeep(left: Json, right: Json, frame: Frame): boolean | Fault {
  const pending: Json[] = [left, right];
  while (pending.length > 0) {
    const b = pending.pop() as Json; // values lie there in pairs
    const a = pending.pop() as Json; // as above
    if (a === b) continue;
    const nested = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && !kindsDiffer(a, b);
    const same = nested ? pushPairs(a, b, pending, frame) : equal(a, b, frame);
    if (same !== true) return same;
  }
  return true;
}

/** False if the two cannot be equal: other lengths or other keys. */
function pushPairs(left: object, right: object, pending: Json[], frame: Frame): boolean | Fault {
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return false;
    const over = charge(frame, 1 + left.length);
    if (over) return over;
    // Both have the same length.
    for (let index = 0; index < left.length; index++) pending.push(left[index] as Json, right[index] as Json);
    return true;
  }
  const keys = Object.keys(left);
  const over = charge(frame, 1 + 2 * keys.length);
  if (over) return over;
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(right, key)) return false;
    // Both have the key.
    pending.push((left as JsonObject)[key] as Json, (right as JsonObject)[key] as Json);
  }
  return true;
}
