// PromptPage.

import type { ReactElement } from 'react';

export function PromptPage(): ReactElement {
  return <h1>Prompt</h1>;
}
