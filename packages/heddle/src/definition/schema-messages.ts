// Schema messages: what a validator found, as problems with pointers into the value and readable sentences.

import type { Json } from '../base/json.ts';
import { readPath } from '../base/path.ts';
import { printable } from '../base/printable.ts';
import type { Problem } from '../base/problem.ts';
import { describeJson } from './shape.ts';

interface Mismatch {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Their details stand in the list too, if there are any. */
const summaries: ReadonlySet<string> = new Set(['additionalProperties', 'propertyNames', 'if', 'allOf']);

export function describeMismatches(value: Json, mismatches: readonly Mismatch[]): readonly Problem[] {
  const details = mismatches.filter(({ keyword }) => !summaries.has(keyword));
  const problems = new Map<string, Problem>();
  for (const mismatch of details.length > 0 ? details : mismatches) {
    const pointer = mismatch.instancePath;
    const found = pointer === '' ? value : readPath(value, pointer.slice(1).split('/').map(unescapeKey));
    const place = pointer === '' ? 'the value' : printable(pointer);
    const message = `Expected ${place} ${cut(describeExpectation(mismatch))}, but ${cut(describeFinding(mismatch, found))}`;
    problems.set(message, { severity: 'error', code: 'SCHEMA_MISMATCH', pointer, message });
  }
  return problems.size > 0 ? [...problems.values()] : [unnamed];
}

/** The validator said no without saying why. */
const unnamed: Problem = {
  severity: 'error',
  code: 'SCHEMA_MISMATCH',
  pointer: '',
  message: 'Expected the value to match its schema, but it does not',
};

/** A schema may allow a thousand words, or ask for a thousand members. */
const cut = (text: string): string => (text.length <= 500 ? text : `${text.slice(0, 500)}…`);

function unescapeKey(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** An object without a member is told by the member, any other value by itself. */
function describeFinding({ keyword, params }: Mismatch, found: Json | undefined): string {
  if (keyword !== 'required') return `found ${describeJson(found)}`;
  // What the validator gives with `required`.
  const missing = [(params as { readonly requiredProperties?: unknown }).requiredProperties].flat();
  return `${joinNames(missing)} ${missing.length === 1 ? 'is' : 'are'} missing`;
}

function describeExpectation({ keyword, params, message }: Mismatch): string {
  const values: Readonly<Record<string, unknown>> = { ...params };
  switch (keyword) {
    case 'boolean':
      return 'to be absent';
    case 'required':
      return `to have ${joinNames(values['requiredProperties'])}`;
    case 'unevaluatedProperties':
    case 'unevaluatedItems':
    case 'additionalProperties':
      return `to be without ${joinNames(values[keyword])}`;
    case 'const':
      return `to be ${JSON.stringify(values['allowedValue'])}`;
    case 'enum':
      return `to be one of ${JSON.stringify(values['allowedValues'])}`;
    case 'type':
      return `to be of type ${[values['type']].flat().join(' or ')}`;
    case 'pattern':
      return `to match the pattern ${values['pattern'] instanceof RegExp ? values['pattern'].source : ''}`;
    case '~refine':
      return 'to have unique items';
    default:
      return message.replace(/^must (not )?/, (_, not: string | undefined) => (not === undefined ? 'to ' : 'not to '));
  }
}

function joinNames(names: unknown): string {
  return [names]
    .flat()
    .map((name) => JSON.stringify(name))
    .join(', ');
}
