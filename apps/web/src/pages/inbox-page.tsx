// InboxPage: what is asked of me? `/inbox/ID` is the same page with one prompt open.

import { Inbox } from 'heddle-react';
import type { ReactElement } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { Page } from '../page.tsx';

export function InboxPage(): ReactElement {
  const { correlationId } = useParams();
  const [, navigate] = useLocation();
  return (
    <Page title="Inbox">
      <Inbox
        selected={correlationId === undefined ? null : decodeURIComponent(correlationId)}
        onSelect={(id) => navigate(id === null ? '/inbox' : `/inbox/${encodeURIComponent(id)}`)}
        runLink={(runId) => (
          <Link href={`/runs/${encodeURIComponent(runId)}`} className="hd-link">
            Show the run
          </Link>
        )}
      />
    </Page>
  );
}
