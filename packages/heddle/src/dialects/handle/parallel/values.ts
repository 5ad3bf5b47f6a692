// Values: settings of a drawn node, in which a text that begins with `=` is an expression, at any depth. Rule DR5.

import type { Json } from '../../../base/json.ts';
import { isJsonObject } from '../../../base/path.ts';
import type { SourceDefinition } from '../../../definition/lowered.ts';

// DR5: a text that begins with `=` is an expression. Without its `=`; null if the text is only a text.
export function readExpression(value: Json | undefined): string | null {
  return typeof value === 'string' && value.startsWith('=') ? value.slice(1).trim() : null;
}

/** The expression of a setting that is always one, a text by its shape; the `=` may be left out. */
export const expressionIn = (text: Json | undefined): string =>
  readExpression(text) ?? (typeof text === 'string' ? text : 'null');

export const nodeOutput = (id: string): string => `nodes[${JSON.stringify(id)}]`;

/** The output of a node, or something else as long as it has none. */
export const readNode = (id: string, otherwise = 'null'): string =>
  `(${JSON.stringify(id)} in nodes ? ${nodeOutput(id)} : ${otherwise})`;

export interface FoundExpression {
  readonly source: string;
  /** Below the value. */
  readonly pointer: string;
}

export function listExpressions(value: Json, pointer = ''): FoundExpression[] {
  const source = readExpression(value);
  if (source !== null) return [{ source, pointer }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    listExpressions(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Where a setting gets its value from: itself, or one expression for all that it holds. */
export function toSource(value: Json): SourceDefinition {
  return listExpressions(value).length === 0 ? { literal: value } : { expression: writeValue(value) };
}

/** The whole of a setting as one expression. */
export function writeValue(value: Json): string {
  const source = readExpression(value);
  if (source !== null) return `(${source})`;
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${writeValue(member)}`)
    .join(', ')}}`;
}
