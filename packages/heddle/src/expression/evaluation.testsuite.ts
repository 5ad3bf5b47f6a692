// What the tests of this room share: compiling with the default limits, and evaluating in one line.

import type { Json } from '../base/json.ts';
import { type Compiled, compileExpression } from './compile.ts';
import type { Evaluation, Expression, Scope } from './expression.ts';

export const limits = { expressionLengthMax: 10_000, expressionDepthMax: 64, expressionCostMax: 1_000_000 };
export const names: ReadonlySet<string> = new Set(['input', 'state', 'output', 'result', '_branch', 'paper']);

export function compile(source: string): Compiled {
  return compileExpression(source, { limits, names });
}

function expressionOf(source: string): Expression {
  const compiled = compile(source);
  if ('problem' in compiled) throw new Error(`${source}: ${compiled.problem.message}`);
  return compiled.expression;
}

export function evaluate(source: string, scope: Scope): Evaluation {
  return expressionOf(source).evaluate(scope);
}

/** The value, or `missing`, or the code of the error or problem. */
export function outcome(source: string, scope: Scope): Json {
  const compiled = compile(source);
  if ('problem' in compiled) return compiled.problem.code;
  const evaluation = compiled.expression.evaluate(scope);
  if (evaluation.type === 'value') return evaluation.value;
  return evaluation.type === 'missing' ? 'missing' : evaluation.code;
}

export function deepFreeze<Value extends Json | Scope>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const each of Object.values(value)) deepFreeze(each as Json);
  }
  return value;
}
