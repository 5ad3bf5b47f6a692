// Summary: what the author of a definition has to say of a run, or of a node, in one line for people.
//
// Always true: it is evaluated when somebody looks and is kept nowhere, so that no run depends on it; it never fails.

import type { Json } from '../../base/json.ts';
import { shortJson } from '../../base/short-json.ts';
import type { Graph } from '../../definition/graph.ts';

type Expression = NonNullable<Graph['summary']>;
type Scope = Parameters<Expression['evaluate']>[0];
type Meter = Parameters<Expression['evaluate']>[1];

const lengthMax = 200;

/**
 * VW24: a text as it is, any other value as compact JSON, a failure as why; each up to 200 characters. Undefined if something
 * that it reads is not there (yet), or if there is no expression.
 */
export function summarize(expression: Expression | null, scope: Scope, meter?: Meter): string | undefined {
  const evaluation = expression?.evaluate(scope, meter);
  switch (evaluation?.type) {
    case 'value':
      return cut(textOf(evaluation.value));
    case 'error':
      return cut(`No summary: ${evaluation.message}`);
    case 'missing':
    case undefined:
      return undefined;
  }
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : shortJson(value, lengthMax + 1));

/** Between two characters, not inside one that takes two places. */
function cut(text: string): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
