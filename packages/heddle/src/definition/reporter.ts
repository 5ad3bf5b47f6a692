// Reporter: gathers every problem of one definition, with the place in the author's own JSON.

import type { Problem } from '../base/problem.ts';
import { Origins } from './origins.ts';

export interface ProblemText {
  readonly message: string;
  readonly hint?: string | undefined;
}

export class Reporter {
  readonly problems: Problem[] = [];
  readonly origins = new Origins();

  get hasErrors(): boolean {
    return this.problems.some((problem) => problem.severity === 'error');
  }

  error(code: string, pointer: string, { message, hint }: ProblemText): void {
    this.problems.push({ severity: 'error', code, pointer, message, ...(hint === undefined ? {} : { hint }) });
  }

  warning(code: string, pointer: string, { message, hint }: ProblemText): void {
    this.problems.push({ severity: 'warning', code, pointer, message, ...(hint === undefined ? {} : { hint }) });
  }
}
