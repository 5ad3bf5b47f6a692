// InboxPage: what is asked of me? `/inbox/ID` is the same page with one prompt open.

import { Inbox } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link, useLocation } from 'wouter';
import { addressOf, useParam } from '../addresses.ts';
import { Page } from '../page.tsx';

export function InboxPage(): ReactElement {
  const correlationId = useParam('correlationId');
  const [, navigate] = useLocation();
  return (
    <Page title="Inbox">
      <Inbox
        selected={correlationId ?? null}
        onSelect={(id) => navigate(id === null ? '/inbox' : addressOf.prompt(id))}
        runLink={(runId) => (
          <Link href={addressOf.run(runId)} className="hd-link">
            Show the run
          </Link>
        )}
      />
    </Page>
  );
}
