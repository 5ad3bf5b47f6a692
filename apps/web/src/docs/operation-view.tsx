// OperationView: one operation of the API: what it takes, what it answers, and a form that sends it.

import type { Json } from 'heddle';
import { Button, CopyButton, ErrorNotice, JsonView } from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react';
import { type ApiOperation, exampleOf, type Parameter, spelledOut } from './openapi.ts';
import { addressFor, clientCodeFor, curlFor, type FilledRequest } from './request.ts';

export interface OperationViewProps {
  readonly operation: ApiOperation;
  readonly document: Json;
}

export function OperationView({ operation, document }: OperationViewProps): ReactElement {
  const { name, description, body, answers } = operation;
  return (
    <div className="app-operation-body">
      <p className="app-hint">
        In the client: <code>{name}</code>. <CodeText text={description ?? ''} />
      </p>
      <div className="app-columns">
        <Sender operation={operation} document={document} />
        <div className="app-section">
          {body === null ? null : <Schema title="Body" schema={spelledOut(body, document)} />}
          {answers.map(({ status, description: text, schema }) =>
            schema === null ? (
              <p key={status} className="app-hint">
                {status}: {text}
              </p>
            ) : (
              <Schema key={status} title={`Answer ${status}`} schema={spelledOut(schema, document)} />
            ),
          )}
        </div>
      </div>
    </div>
  );
}

/** With what stands between backticks as code. */
function CodeText({ text }: { readonly text: string }): ReactElement {
  return (
    <>
      {text.split('`').map((part, place) =>
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name, and never move
        place % 2 === 1 ? <code key={place}>{part}</code> : part,
      )}
    </>
  );
}

function Schema({ title, schema }: { readonly title: string; readonly schema: Json }): ReactElement {
  return (
    <details>
      <summary>{title}</summary>
      <JsonView value={schema} label={title} />
    </details>
  );
}

interface Sent {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function Sender({ operation, document }: OperationViewProps): ReactElement {
  const [parameters, setParameters] = useState(() => parametersInAddress(operation));
  const [body, setBody] = useState(() =>
    operation.body === null ? '' : JSON.stringify(exampleOf(operation.body, document), null, 2),
  );
  const [sent, setSent] = useState<Sent | null>(null);
  const [error, setError] = useState<unknown>(null);
  const id = useId();
  const filled: FilledRequest = { operation, parameters, body };
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    setError(null);
    sendRequest(filled).then(setSent, setError);
  };
  const { origin } = window.location;
  return (
    <form className="app-form" onSubmit={send} aria-label={`Try ${operation.name}`}>
      {operation.parameters.map((parameter) => (
        <ParameterField
          key={`${parameter.in} ${parameter.name}`}
          parameter={parameter}
          value={parameters[parameter.name] ?? ''}
          onChange={(value) => setParameters({ ...parameters, [parameter.name]: value })}
        />
      ))}
      {operation.body === null ? null : (
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Body
          </label>
          <textarea
            id={id}
            className="hd-input"
            rows={6}
            spellCheck={false}
            value={body}
            onChange={({ target }) => setBody(target.value)}
          />
        </div>
      )}
      <div className="app-page-actions">
        <Button kind="primary" type="submit">
          Send
        </Button>
        <span className="app-copy">
          curl <CopyButton text={curlFor(filled, origin)} label="Copy as curl" />
        </span>
        <span className="app-copy">
          client code <CopyButton text={clientCodeFor(filled, origin)} label="Copy as client code" />
        </span>
      </div>
      {error === null ? null : <ErrorNotice error={error} />}
      {sent === null ? null : <Answer sent={sent} />}
    </form>
  );
}

/** A link to an operation may fill it in. */
function parametersInAddress({ name, parameters }: ApiOperation): Readonly<Record<string, string>> {
  const { hash, search } = window.location;
  if (hash !== `#${name}`) return {};
  const given = new URLSearchParams(search);
  return Object.fromEntries(
    parameters.flatMap((each) => (given.has(each.name) ? [[each.name, given.get(each.name) ?? '']] : [])),
  );
}

interface ParameterFieldProps {
  readonly parameter: Parameter;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function ParameterField({ parameter, value, onChange }: ParameterFieldProps): ReactElement {
  const { name, in: place, isRequired, description } = parameter;
  const id = useId();
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        {name} <span className="app-hint">{isRequired ? `${place}, required` : place}</span>
      </label>
      <input
        id={id}
        className="hd-input"
        value={value}
        required={isRequired}
        aria-describedby={`${id}-about`}
        onChange={({ target }) => onChange(target.value)}
      />
      <span id={`${id}-about`} className="hd-field-hint">
        <CodeText text={description ?? ''} />
      </span>
    </div>
  );
}

/** An answer that never ends is cut: what has come after a moment is shown. */
const streamMs = 2_000;

async function sendRequest(request: FilledRequest): Promise<Sent> {
  const { operation, body, parameters } = request;
  const headers = new Headers(body === '' ? {} : { 'content-type': 'application/json' });
  for (const { name, in: place } of operation.parameters)
    if (place === 'header' && (parameters[name] ?? '') !== '') headers.set(name, parameters[name] ?? '');
  const response = await fetch(addressFor(request), {
    method: operation.method,
    headers,
    ...(body === '' ? {} : { body }),
  });
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text: await readText(response, type) };
}

async function readText(response: Response, type: string): Promise<string> {
  if (!type.startsWith('text/event-stream')) return response.text();
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const timer = setTimeout(() => void reader?.cancel(), streamMs);
  for (;;) {
    const read = await reader?.read();
    if (read === undefined || read.done) break;
    text += decoder.decode(read.value, { stream: true });
  }
  clearTimeout(timer);
  return text;
}

function Answer({ sent: { status, type, text } }: { readonly sent: Sent }): ReactElement {
  const isJson = /^application\/(problem\+)?json/.test(type) && text !== '';
  return (
    <div role="status">
      <strong>{status}</strong> <span className="app-hint">{type}</span>
      {isJson ? (
        <JsonView value={JSON.parse(text) as Json} label="Answer" /> // it says that it is
      ) : (
        <pre className="app-answer-text">{text}</pre>
      )}
    </div>
  );
}
