// Check request: a request is checked by the table of operations where it enters an engine or leaves for one. Rules OP….
//
// Always true: a name that is not known, or a value of another kind, is refused, never ignored.

import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { isPlainObject } from '../base/json.ts';
import { invalidOption, shorten } from '../base/refuse-options.ts';
import type { Limits } from '../definition/limits.ts';
import { checkValue, type Fault } from './check-value.ts';
import { type OperationName, operationOf } from './operations.ts';
import { textLengthMax } from './schema.ts';

/** OP8: a request holds what its operation takes, each member of its kind; one that is undefined is as good as absent. */
export function checkRequest(name: OperationName, request: unknown, limits: Limits): void {
  const [first] = checkValue(operationOf(name).takes, request, limits);
  if (first !== undefined) throw refusalOf(name, first);
}

function refusalOf(
  name: OperationName,
  { code, message, pointer, hint, limit, refusal = 'OPTION_INVALID' }: Fault,
): HeddleError {
  if (limit !== undefined) return new HeddleError('LIMIT_EXCEEDED', message, { limit, pointer });
  // The hint stands in the message too: a stack trace shows nothing else.
  const told = hint === undefined ? message : `${message}. ${hint}`;
  const where = code === 'UNKNOWN_FIELD' ? `In the options of ${name}: ${told}` : told;
  return new HeddleError(refusal, where, { pointer, ...given({ hint }) });
}

/** Options as a caller gave them, for a request; what is no object holds none, and is refused. */
export function givenOptions<Options extends object>(what: string, options: Options): Options {
  if (isPlainObject(options)) return options;
  throw invalidOption(`the options of ${what}`, 'an object', options);
}

/** The same for a list of them. */
export function givenList<Options extends object>(what: string, list: readonly Options[]): readonly Options[] {
  if (!Array.isArray(list)) throw invalidOption(`what ${what} takes`, 'a list of objects', list);
  return list.map((options, index) => givenOptions(`${what} at ${index}`, options));
}

/** OP3: ids, names and keys are texts, and not without end: they are indexed. */
export function checkText(name: string, text: unknown): void {
  if (typeof text === 'string' && text.length > 0 && text.length <= textLengthMax) return;
  const found = typeof text === 'string' && text !== '' ? `${text.length} characters` : text;
  throw invalidOption(shorten(name), `a text of 1 to ${textLengthMax} characters`, found);
}
