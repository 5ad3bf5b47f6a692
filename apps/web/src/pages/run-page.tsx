// RunPage.

import type { ReactElement } from 'react';

export function RunPage(): ReactElement {
  return <h1>Run</h1>;
}
