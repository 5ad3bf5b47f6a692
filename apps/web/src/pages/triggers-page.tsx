// TriggersPage.

import type { ReactElement } from 'react';

export function TriggersPage(): ReactElement {
  return <h1>Triggers</h1>;
}
