// Invariant: a claim about a run, as an expression over what can be seen of it, looked at after every commit.
//
// Always true: a claim about what is not there yet holds.

import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { defaultLimits } from '../definition/limits.ts';
import { compileExpression } from '../expression/compile.ts';
import type { Expression } from '../expression/expression.ts';

/** What an invariant can speak of: everything as of the newest commit, and how often each action was called. */
export const invariantNames = ['input', 'state', 'output', 'status', 'calls'] as const;

export type RunView = Readonly<Record<(typeof invariantNames)[number], Json>>;

export class Invariant {
  readonly source: string;
  /** Whether there was ever anything that it speaks of. */
  wasSeen = false;
  readonly #expression: Expression;

  constructor(source: string) {
    const compiled = compileExpression(source, { names: new Set(invariantNames), limits: defaultLimits });
    if ('problem' in compiled) {
      const { message, hint } = compiled.problem;
      throw new HeddleError(
        'INVARIANT_INVALID',
        `Expected an invariant, but \`${source}\`: ${message}. ${hint ?? ''}`.trim(),
      );
    }
    this.source = source;
    this.#expression = compiled.expression;
  }

  /** SM5: null if it holds, otherwise what was found. A claim about what is not there yet holds. */
  check(view: RunView): string | null {
    const found = this.#expression.evaluate(view);
    if (found.type === 'missing') return null;
    this.wasSeen = true;
    if (found.type === 'error') return found.message;
    return found.value === true ? null : `it is ${JSON.stringify(found.value)} with ${this.#describe(view)}`;
  }

  /** Of what it speaks. */
  #describe(view: RunView): string {
    const names = invariantNames.filter((name) => this.#expression.roots.has(name));
    return names.map((name) => `${name} ${shortened(JSON.stringify(view[name]))}`).join(', ');
  }
}

const shortened = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 299)}…`);
