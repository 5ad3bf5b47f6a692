// Linear pattern: a regular expression of a JSON Schema, matched in linear time whatever the text. The matcher is
// that of the expression language.

import { compileExpression } from '../expression/compile.ts';
import type { Expression } from '../expression/expression.ts';

const limits = { expressionLengthMax: 10_000, expressionDepthMax: 8, expressionCostMax: Number.MAX_SAFE_INTEGER };
const names: ReadonlySet<string> = new Set(['text']);

/** A RegExp (what the validator asks for) whose `test` does not backtrack. */
class LinearPattern extends RegExp {
  readonly #matches: Expression;

  constructor(source: string, matches: Expression) {
    super(source, 'u');
    this.#matches = matches;
  }

  override test(text: string): boolean {
    const evaluation = this.#matches.evaluate({ text });
    return evaluation.type === 'value' && evaluation.value === true;
  }
}

/** The pattern, or what is wrong with it. */
export function compileLinearPattern(source: string): RegExp | string {
  const linear = source.replace(
    /\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]+)\}/g,
    (_, four, braced) => `\\x{${four ?? braced}}`,
  );
  const compiled = compileExpression(`matches(text, ${JSON.stringify(linear)})`, { limits, names });
  if ('problem' in compiled) return compiled.problem.message;
  try {
    return new LinearPattern(source, compiled.expression);
  } catch (error) {
    // RE2 takes it, JavaScript does not: the two would not mean the same.
    return error instanceof Error ? error.message : String(error);
  }
}

/** One character or class, and at most one way to repeat it: `a`, `\d`, `[a-z]`, `.` with `*`, `+`, `?` or `{n,m}`. */
const piece = /(?:\\[dDwWsS]|\\[^\w\s]|\[(?:\\.|[^\]\\])*\]|[^\\()[\]{}|*+?^$])(\*|\+|\?|\{\d+(?:,\d*)?\})?/uy;

/**
 * Whether a backtracking engine matches it in linear time for sure: no groups, no alternatives, at most one repeated
 * piece, and that only after a leading `^`. For patterns of property names, which the validator compiles itself.
 */
export function isSimplePattern(source: string): boolean {
  const isAnchored = source.startsWith('^');
  const end = source.endsWith('$') && !source.endsWith('\\$') ? source.length - 1 : source.length;
  let repeats = 0;
  for (let at = isAnchored ? 1 : 0; at < end; at = piece.lastIndex) {
    piece.lastIndex = at;
    const found = piece.exec(source);
    if (found === null) return false;
    if (found[1] !== undefined) repeats += 1;
  }
  return source.length <= 500 && (repeats === 0 || (repeats === 1 && isAnchored)) && isPattern(source);
}

/** Whether the validator, which compiles it later, will take it: an escape such as `\@` it does not. */
function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
