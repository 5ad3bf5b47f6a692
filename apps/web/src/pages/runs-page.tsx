// RunsPage.

import type { ReactElement } from 'react';

export function RunsPage(): ReactElement {
  return <h1>Runs</h1>;
}
