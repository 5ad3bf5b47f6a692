// ComparePage.

import type { ReactElement } from 'react';

export function ComparePage(): ReactElement {
  return <h1>Compare</h1>;
}
