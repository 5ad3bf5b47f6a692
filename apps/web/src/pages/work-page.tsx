// WorkPage.

import type { ReactElement } from 'react';

export function WorkPage(): ReactElement {
  return <h1>Work</h1>;
}
