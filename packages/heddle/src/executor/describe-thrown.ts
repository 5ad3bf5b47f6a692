// Describe thrown: the stack, the causes and the parts of what an action threw, within bounds. Rule EX20.
//
// Always true: it never throws; the same error is always cut in the same way; what comes out has at most about 30 kB, so
// that a failure stays small beside the results in the journal.

import { isErrorCode, type Thrown } from '../base/failure.ts';
import { given } from '../base/given.ts';
import { readMember } from './read-member.ts';

const stackLengthMax = 4_000;
/** Of causes and parts: the text of each. */
const innerLengthMax = 1_000;
/** A longer message is left out of the stack, which repeats it at its top. */
const repeatedLengthMax = 500;
const nameLengthMax = 100;
const causesMax = 4;
const partsMax = 8;
const errorsMax = 1 + causesMax + partsMax;

// EX20: what was thrown is kept with its stack, its causes and its parts; nothing, if it has none of them.
export function describeThrown(error: unknown): Thrown | undefined {
  const { name, stack, cause, errors } = describe(error, 0, { left: errorsMax - 1 });
  if (stack === undefined && cause === undefined && errors === undefined) return undefined;
  return given({ name, stack, cause, errors });
}

export function shorten(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}

function describe(error: unknown, depth: number, budget: { left: number }): Thrown {
  if (typeof error === 'string') return { message: shorten(error, innerLengthMax) };
  const code = readMember(error, 'code');
  const message = readText(error, 'message');
  return given({
    name: shortText(readText(error, 'name'), nameLengthMax),
    message: shortText(message, innerLengthMax),
    code: isErrorCode(code) ? code : undefined,
    stack: readStack(error, message, depth === 0 ? stackLengthMax : innerLengthMax),
    cause: describeCause(readMember(error, 'cause'), depth, budget),
    errors: describeParts(readMember(error, 'errors'), depth, budget),
  });
}

function describeCause(cause: unknown, depth: number, budget: { left: number }): Thrown | undefined {
  const isError = typeof cause === 'object' ? cause !== null : typeof cause === 'string';
  if (!isError || depth === causesMax || budget.left === 0) return undefined;
  budget.left -= 1;
  return describe(cause, depth + 1, budget);
}

function describeParts(errors: unknown, depth: number, budget: { left: number }): readonly Thrown[] | undefined {
  const length = Array.isArray(errors) ? readMember(errors, 'length') : 0;
  if (typeof length !== 'number' || length === 0) return undefined;
  const parts: Thrown[] = [];
  for (let index = 0; index < Math.min(length, partsMax); index++) {
    const part = describeCause(readMember(errors, String(index)), depth, budget);
    if (part !== undefined) parts.push(part);
  }
  return parts.length === 0 ? undefined : parts;
}

/** A stack begins with the message: a long one must not push the places out, nor end inside a secret. */
function readStack(error: unknown, message: string | undefined, lengthMax: number): string | undefined {
  const stack = readText(error, 'stack');
  if (stack === undefined || message === undefined || message.length <= repeatedLengthMax)
    return shortText(stack, lengthMax);
  return shorten(
    stack.replace(message, () => '…'),
    lengthMax,
  );
}

function readText(error: unknown, key: string): string | undefined {
  const text = readMember(error, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

const shortText = (text: string | undefined, lengthMax: number): string | undefined =>
  text === undefined ? undefined : shorten(text, lengthMax);
