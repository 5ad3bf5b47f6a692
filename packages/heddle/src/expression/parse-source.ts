// Parsing: source text to the syntax tree of cel-js, or a problem. Only the parser of cel-js is used: its evaluator
// has no budget, its numbers are bigints, and its `matches` is the backtracking RegExp (see docs/guide/expressions.md).

import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { given } from '../base/given.ts';
import type { ExpressionProblem } from './expression.ts';
import { syntaxHint } from './hints.ts';

export type Node = ASTNode;

/** Its depth counts brackets and member chains; `translate.ts` counts the tree itself, against the caller's limit. */
const limits = { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 100_000, maxMapEntries: 100_000 };

/** Made with the first expression: it takes 1.5 ms. */
let parser: Environment | null = null;

export function parseSource(
  source: string,
  names: ReadonlySet<string>,
): { readonly node: Node } | { readonly problem: ExpressionProblem } {
  try {
    parser ??= new Environment({ enableOptionalTypes: true, limits });
    return { node: parser.parse(source).ast };
  } catch (error) {
    return { problem: describeProblem(error, source, names) };
  }
}

function describeProblem(error: unknown, source: string, names: ReadonlySet<string>): ExpressionProblem {
  if (!(error instanceof ParseError)) {
    // The parser calls itself once per `!` or `-`: thousands of them end in a RangeError.
    return { code: 'EXPRESSION_LIMIT', message: 'Expected a shallow expression, but found one too deep to parse' };
  }
  const position = error.range?.start;
  const where = position === undefined ? {} : { position };
  if (error.code === 'limit_exceeded') {
    return { code: 'EXPRESSION_LIMIT', message: `Expected a smaller expression, but it ${error.summary}`, ...where };
  }
  const hint = syntaxHint(source, names);
  const message = `Expected an expression, but ${describeFinding(error, source)}`;
  return { code: 'EXPRESSION_SYNTAX', message, ...given({ hint }), ...where };
}

/** What was found instead of an expression, in the words of its source. */
function describeFinding({ code, summary, range }: ParseError, source: string): string {
  if (source.trim() === '') return 'found an empty text';
  const start = range?.start ?? 0;
  if (start >= source.trimEnd().length) return `${quoted(source, start)} ends too early`;
  const place = `at position ${start} of ${quoted(source, start)}`;
  const unexpected = code === 'unexpected_character' || code === 'unexpected_token' || code === 'expected_token';
  if (unexpected) return `found an unexpected "${source.slice(start, range?.end).slice(0, 40)}" ${place}`;
  return `found a mistake ${place}: ${summary}`;
}

const quotedMax = 80;

/** The source, or of a long one what is around a position. */
function quoted(source: string, position: number): string {
  if (source.length <= quotedMax) return `"${source}"`;
  const from = Math.max(0, Math.min(position - quotedMax / 2, source.length - quotedMax));
  const until = from + quotedMax;
  return `"${from > 0 ? '…' : ''}${source.slice(from, until)}${until < source.length ? '…' : ''}"`;
}
