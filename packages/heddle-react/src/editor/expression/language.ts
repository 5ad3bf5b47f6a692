// Language: what the engine says of an expression, and what it gives on data. In a worker: the parser is 30 kB, and an
// expression may take its time.

import {
  compileExpression,
  defaultLimits,
  type Evaluation,
  type ExpressionProblem,
  type Scope,
} from 'heddle/expressions';

export interface Source {
  readonly source: string;
  /** The names that are in scope. */
  readonly names: readonly string[];
}

export interface SourceOnData extends Source {
  readonly data: Scope;
}

/** Null if nothing is wrong with it. */
export function checkExpression({ source, names }: Source): ExpressionProblem | null {
  const compiled = compileExpression(source, { limits: defaultLimits, names: new Set(names) });
  return 'problem' in compiled ? compiled.problem : null;
}

export function evaluateExpression({ source, names, data }: SourceOnData): Evaluation {
  const compiled = compileExpression(source, { limits: defaultLimits, names: new Set(names) });
  if ('expression' in compiled) return compiled.expression.evaluate(data);
  return { type: 'error', code: 'EXPRESSION_FAILED', message: compiled.problem.message };
}

export const languageCalls = { checkExpression, evaluateExpression };
export type LanguageCalls = typeof languageCalls;
