// AnswerPage.

import type { ReactElement } from 'react';

export function AnswerPage(): ReactElement {
  return <h1>Answer</h1>;
}
