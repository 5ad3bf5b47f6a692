// Problem text: one problem in a sentence, at the field that it is about: an error or a warning, by a shape and a word and not by
// a colour alone.

import type { ReactElement } from 'react';
import { StatusShape } from '../parts/status-mark.tsx';

export interface ToldProblem {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Absent: an error. */
  readonly severity?: 'error' | 'warning';
}

export const isError = ({ severity }: ToldProblem): boolean => severity !== 'warning';

export function ProblemText({ problem }: { readonly problem: ToldProblem }): ReactElement {
  const { message, hint } = problem;
  return (
    <span className="hd-problem-text" data-look={isError(problem) ? 'failed' : 'waiting'}>
      <StatusShape look={isError(problem) ? 'failed' : 'waiting'} />
      <span>
        {isError(problem) ? null : 'Warning: '}
        {message}. {hint ?? ''}
      </span>
    </span>
  );
}
