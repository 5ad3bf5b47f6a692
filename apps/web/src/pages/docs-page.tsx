// DocsPage: the API: every operation with its schemas and an example, and a request that can be sent from the page.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { type ApiOperation, operationsOf } from '../docs/openapi.ts';
import { OperationView } from '../docs/operation-view.tsx';
import { useApiDocument } from '../docs/use-api-document.ts';
import { Loaded, Page, Section } from '../page.tsx';
import './docs.css';

export function DocsPage(): ReactElement {
  const document = useApiDocument();
  return (
    <Page
      title="API"
      actions={
        <a className="hd-link" href="/openapi.json">
          openapi.json
        </a>
      }
    >
      <Loaded answer={document} lines={8}>
        {(data) => <Operations document={data} />}
      </Loaded>
    </Page>
  );
}

function Operations({ document }: { readonly document: Json }): ReactElement {
  const [text, setText] = useState('');
  const id = useId();
  const operations = useMemo(() => operationsOf(document), [document]);
  const found = operations.filter(({ name, path, summary }) =>
    `${name} ${path} ${summary}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  const tags = [...new Set(found.map(({ tag }) => tag))];
  return (
    <>
      <p className="app-hint">
        What a page of this app has asked is in the menu at the top right, there: “API calls of this page”.
      </p>
      <div className="hd-field app-docs-search">
        <label htmlFor={id}>Find an operation</label>
        <input
          id={id}
          type="search"
          className="hd-input"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {found.length === 0 ? <p className="app-hint">No operation is called that.</p> : null}
      {tags.map((tag) => (
        <Section key={tag} title={tag}>
          {found
            .filter((operation) => operation.tag === tag)
            .map((operation) => (
              <OperationRow key={`${operation.method} ${operation.path}`} operation={operation} document={document} />
            ))}
        </Section>
      ))}
    </>
  );
}

/** What the address names after its `#`. */
const useHash = (): string => useSyncExternalStore(onHashChange, () => window.location.hash);

function onHashChange(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** Closed until somebody asks: there are a hundred of them. */
function OperationRow({
  operation,
  document,
}: {
  readonly operation: ApiOperation;
  readonly document: Json;
}): ReactElement {
  const row = useRef<HTMLDetailsElement>(null);
  const isAsked = useHash() === `#${operation.name}`;
  const [isOpen, setOpen] = useState(isAsked);
  // It was not there when the browser looked for it.
  useEffect(() => {
    if (!isAsked) return;
    setOpen(true);
    row.current?.scrollIntoView({ block: 'start' });
  }, [isAsked]);
  return (
    <details
      ref={row}
      id={operation.name}
      className="app-operation"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <code className="app-method">{operation.method}</code>
        <code>{operation.path}</code>
        <span className="app-hint">{operation.summary}</span>
      </summary>
      {isOpen ? <OperationView operation={operation} document={document} /> : null}
    </details>
  );
}
