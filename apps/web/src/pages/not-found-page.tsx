// NotFoundPage: an address that leads nowhere.

import { EmptyState } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';

export function NotFoundPage(): ReactElement {
  return (
    <EmptyState title="There is no page at this address">
      <Link href="/" className="hd-link">
        Go to the overview
      </Link>
    </EmptyState>
  );
}
