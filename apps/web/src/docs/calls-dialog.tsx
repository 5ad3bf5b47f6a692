// CallsDialog: the calls of the API that the open page was made of: each leads to its operation, filled in, and can be copied.

import type { Json } from 'heddle';
import { Button, CopyButton, Dialog, EmptyState } from 'heddle-react';
import { type ReactElement, useState } from 'react';
import { Link } from 'wouter';
import { Loaded } from '../page.tsx';
import { operationsOf } from './openapi.ts';
import { callsOfPage } from './page-calls.ts';
import { type MadeRequest, madeClientCode, madeCurl, madeRequest } from './request.ts';
import { useApiDocument } from './use-api-document.ts';

/** The frame asks these for every page. */
const ofTheFrame = new Set(['whoAmI', 'health']);

export function CallsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [addresses] = useState(callsOfPage);
  return (
    <Dialog title="API calls of this page" onClose={onClose} actions={<Button onClick={onClose}>Close</Button>}>
      <Loaded answer={useApiDocument()}>
        {(document) => <Calls made={madeRequests(document, addresses)} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function madeRequests(document: Json, addresses: readonly string[]): readonly MadeRequest[] {
  const operations = operationsOf(document);
  const made = addresses.flatMap((address) => madeRequest(operations, address) ?? []);
  return made.filter(({ operation }) => !ofTheFrame.has(operation.name));
}

interface CallsProps {
  readonly made: readonly MadeRequest[];
  readonly onClose: () => void;
}

function Calls({ made, onClose }: CallsProps): ReactElement {
  const { origin } = window.location;
  if (made.length === 0) return <EmptyState title="This page has asked the server for nothing" />;
  return (
    <ul className="app-calls">
      {made.map((call) => (
        <li key={call.address}>
          <Link href={docsAddress(call)} className="hd-link" onClick={onClose}>
            {call.operation.summary}
          </Link>
          <code>
            {call.operation.method} {call.address}
          </code>
          <span className="app-copy">
            curl <CopyButton text={madeCurl(call, origin)} label={`Copy ${call.operation.name} as curl`} />
          </span>
          <span className="app-copy">
            client code{' '}
            <CopyButton text={madeClientCode(call, origin)} label={`Copy ${call.operation.name} as client code`} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function docsAddress({ operation, request }: MadeRequest): string {
  const given = Object.entries(request).map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]);
  const query = new URLSearchParams(given).toString();
  return `/docs${query === '' ? '' : `?${query}`}#${operation.name}`;
}
