// InboxPage.

import type { ReactElement } from 'react';

export function InboxPage(): ReactElement {
  return <h1>Inbox</h1>;
}
