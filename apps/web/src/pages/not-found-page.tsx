// NotFoundPage: an address that leads nowhere.

import { EmptyState } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link } from 'wouter';
import { Page } from '../page.tsx';

export function NotFoundPage(): ReactElement {
  return (
    <Page title="Not found">
      <EmptyState title="There is no page at this address">
        <Link href="/" className="hd-link">
          Go to the overview
        </Link>
      </EmptyState>
    </Page>
  );
}
