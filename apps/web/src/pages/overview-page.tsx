// OverviewPage.

import type { ReactElement } from 'react';

export function OverviewPage(): ReactElement {
  return <h1>Overview</h1>;
}
