// Parsing: source text to the syntax tree of cel-js, or a problem. Only the parser of cel-js is used: its evaluator
// has no budget, its numbers are bigints, and its `matches` is the backtracking RegExp (see docs/guide/expressions.md).

import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';

export interface ExpressionProblem {
  readonly code: 'EXPRESSION_SYNTAX' | 'EXPRESSION_UNKNOWN_NAME' | 'EXPRESSION_LIMIT' | 'EXPRESSION_FORBIDDEN';
  /** `Expected …, but found …`. */
  readonly message: string;
  readonly hint?: string;
  /** Where in the source, from 0. */
  readonly position?: number;
}

export type Node = ASTNode;

/** The words that cel-js keeps for itself: none of them can name a variable. */
export const reservedNames: ReadonlySet<string> = new Set(
  (
    'as break const continue else for function if import let loop package namespace return var void while in ' +
    'true false null __proto__ prototype'
  ).split(' '),
);

/** Its depth counts brackets and member chains; `translate.ts` counts the tree itself, against the caller's limit. */
const parser = new Environment({
  enableOptionalTypes: true,
  limits: { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 100_000, maxMapEntries: 100_000 },
});

export function parseSource(source: string): { readonly node: Node } | { readonly problem: ExpressionProblem } {
  try {
    return { node: parser.parse(source).ast };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function problemOf(error: unknown): ExpressionProblem {
  if (!(error instanceof ParseError)) {
    // The parser calls itself once per `!` or `-`: thousands of them end in a RangeError.
    return { code: 'EXPRESSION_LIMIT', message: 'Expected a shallow expression, but found one too deep to parse' };
  }
  const position = error.range?.start;
  const where = position === undefined ? {} : { position };
  if (error.code === 'limit_exceeded') {
    return { code: 'EXPRESSION_LIMIT', message: `Expected a smaller expression, but it ${error.summary}`, ...where };
  }
  const at = position === undefined ? '' : ` at position ${position}`;
  return { code: 'EXPRESSION_SYNTAX', message: `Expected an expression, but found${at}: ${error.summary}`, ...where };
}
