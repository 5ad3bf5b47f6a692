// DocsPage.

import type { ReactElement } from 'react';

export function DocsPage(): ReactElement {
  return <h1>API</h1>;
}
