// WorkflowsPage.

import type { ReactElement } from 'react';

export function WorkflowsPage(): ReactElement {
  return <h1>Workflows</h1>;
}
