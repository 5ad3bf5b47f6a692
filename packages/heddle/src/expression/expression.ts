// Expression: one condition or mapping source, compiled once per definition, evaluated many times.

import type { Json } from '../base/json.ts';

export interface Expression {
  readonly source: string;
  /** The names it reads (`state`, `_branch`, an item variable …): a caller builds only these. */
  readonly roots: ReadonlySet<string>;
  /** `meter`: the steps that this evaluation shares with others. */
  evaluate(scope: Scope, meter?: Meter): Evaluation;
}

/** Steps that are left for several evaluations together; below zero they are used up. */
export interface Meter {
  stepsLeft: number;
}

/** An absent name reads as missing. */
export type Scope = Readonly<Record<string, Json | undefined>>;

export type Evaluation =
  | { readonly type: 'value'; readonly value: Json }
  /** A member that the expression reads is not there: a mapping then writes nothing. `state.a is missing`. */
  | { readonly type: 'missing'; readonly message: string }
  | { readonly type: 'error'; readonly code: 'EXPRESSION_FAILED' | 'EXPRESSION_COST'; readonly message: string };

/** Why a source is no expression. */
export interface ExpressionProblem {
  readonly code: 'EXPRESSION_SYNTAX' | 'EXPRESSION_UNKNOWN_NAME' | 'EXPRESSION_LIMIT' | 'EXPRESSION_FORBIDDEN';
  /** `Expected …, but found …`. */
  readonly message: string;
  readonly hint?: string;
  /** Where in the source, from 0. */
  readonly position?: number;
}
