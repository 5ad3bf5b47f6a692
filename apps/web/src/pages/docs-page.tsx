// DocsPage: the API: every operation with its schemas and an example, and a request that can be sent from the page.

import type { Json } from 'heddle';
import { type ReactElement, useEffect, useId, useMemo, useState } from 'react';
import { type ApiOperation, operationsOf } from '../docs/openapi.ts';
import { OperationView } from '../docs/operation-view.tsx';
import { type Asked, Loaded, Page, Section } from '../page.tsx';
import './docs.css';

export function DocsPage(): ReactElement {
  const document = useDocument();
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

/** It is no operation, and does not change while the server runs. */
function useDocument(): Asked<Json> {
  const [data, setData] = useState<Json>();
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another question
  useEffect(() => {
    setError(null);
    readDocument().then(setData, setError);
  }, [tries]);
  return { data, error, refetch: () => setTries(tries + 1) };
}

async function readDocument(): Promise<Json> {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`Expected the description of the API, but found status ${response.status}`);
  return (await response.json()) as Json; // it gives nothing else
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

/** Closed until somebody asks: there are a hundred of them. */
function OperationRow({
  operation,
  document,
}: {
  readonly operation: ApiOperation;
  readonly document: Json;
}): ReactElement {
  const isAsked = window.location.hash === `#${operation.name}`;
  const [isOpen, setOpen] = useState(isAsked);
  return (
    <details
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
