// Reporter: gathers the problems of one definition, with the place in the author's own JSON. Rules DF57 and DF58.
//
// Always true: whatever the definition is, what is said of it is of bounded length, and finding words for it takes a bounded
// time: so many problems, and hints for the first of them alone (a hint may look at all names that there are).

import { printable } from '../base/printable.ts';
import type { Problem } from '../base/problem.ts';
import { Origins } from './origins.ts';
import { type TrialSteps, trialStepsMax } from './schema.ts';

export interface ProblemText {
  readonly message: string;
  /** One that has to be looked for is a function, called only if the problem is reported. */
  readonly hint?: string | undefined | (() => string | undefined);
}

const problemsMax = 1_000;
const hintsMax = 100;

export class Reporter {
  readonly origins = new Origins();
  /** For trying out all schemas of the definition. */
  readonly schemaTrial: TrialSteps = { left: trialStepsMax };
  readonly #told: Problem[] = [];
  #untold = 0;
  readonly #closed = new Set<string>();
  #errors = 0;

  get hasErrors(): boolean {
    return this.#errors > 0;
  }

  /** How many there are, told or not: whether a part of the definition has any, whoever checks it can tell by it. */
  get errors(): number {
    return this.#errors;
  }

  /** DF58: of a definition with very many problems the first are reported, and how many more there are. */
  get problems(): readonly Problem[] {
    if (this.#untold === 0) return this.#told;
    const message = `Expected at most ${problemsMax} problems, but there are ${this.#untold} more, which are not told`;
    const severity = this.hasErrors ? 'error' : 'warning';
    return [...this.#told, { severity, code: 'MORE_PROBLEMS', pointer: '', message }];
  }

  /** From now on, what is found below a place is told at that place: what stands there is not what the author wrote. */
  closeAt(pointer: string): void {
    this.#closed.add(pointer);
  }

  error(code: string, pointer: string, text: ProblemText): void {
    this.#errors += 1;
    this.#report('error', code, pointer, text);
  }

  warning(code: string, pointer: string, text: ProblemText): void {
    this.#report('warning', code, pointer, text);
  }

  // DF57: what a message quotes cannot disturb what it is printed on.
  #report(severity: Problem['severity'], code: string, pointer: string, { message, hint }: ProblemText): void {
    if (this.#told.length >= problemsMax) {
      this.#untold += 1;
      return;
    }
    const found = typeof hint === 'function' ? this.#look(hint) : hint;
    const advice = found === undefined ? {} : { hint: printable(found) };
    this.#told.push({ severity, code, pointer: this.#openPart(pointer), message: printable(message), ...advice });
  }

  #openPart(pointer: string): string {
    if (this.#closed.size === 0) return pointer;
    for (let end = pointer.indexOf('/', 1); end !== -1; end = pointer.indexOf('/', end + 1))
      if (this.#closed.has(pointer.slice(0, end))) return pointer.slice(0, end);
    return pointer;
  }

  #look(hint: () => string | undefined): string | undefined {
    return this.#told.length < hintsMax ? hint() : undefined;
  }
}
