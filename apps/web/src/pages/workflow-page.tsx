// WorkflowPage.

import type { ReactElement } from 'react';

export function WorkflowPage(): ReactElement {
  return <h1>Workflow</h1>;
}
