// TryOut: an expression on data: made up by the schemas and changed by hand, or that of a past run as of any of its events.

import type { JsonObject, RunEvent } from 'heddle';
import type { Evaluation, Scope } from 'heddle/expressions';
import { type ReactElement, useEffect, useId, useMemo, useState } from 'react';
import { useAnswer, useConnection } from '../../connection/connection.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { ErrorNotice, Skeleton } from '../../parts/notice.tsx';
import { exactText } from '../../parts/time-text.tsx';
import type { ExpressionScope } from './scope.ts';
import { dataOf, sampleData } from './try-out-data.ts';
import { askLanguage } from './use-language.ts';

export interface TryOutProps {
  readonly source: string;
  readonly scope: ExpressionScope;
  readonly workflow?: string | undefined;
  readonly nodeId?: string | undefined;
}

export function TryOut({ source, scope, workflow, nodeId }: TryOutProps): ReactElement {
  const [runId, setRunId] = useState<string | null>(null);
  const [data, setData] = useState<Scope | null>(null);
  return (
    <section className="hd-try-out" aria-label="Try out">
      {workflow === undefined ? null : <RunChoice {...{ workflow, runId }} onChoose={setRunId} />}
      {runId === null ? (
        <SampleData scope={scope} onData={setData} />
      ) : (
        <RunData key={runId} {...{ runId, scope, nodeId }} onData={setData} />
      )}
      {data === null ? null : <Value {...{ source, scope, data }} />}
    </section>
  );
}

const runsOffered = 20;

function RunChoice(props: {
  readonly workflow: string;
  readonly runId: string | null;
  readonly onChoose: (runId: string | null) => void;
}): ReactElement {
  const { workflow, runId, onChoose } = props;
  const id = useId();
  const { data } = useAnswer('listRuns', { workflow, limit: runsOffered });
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        Data
      </label>
      <select
        id={id}
        className="hd-input"
        value={runId ?? ''}
        onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}
      >
        <option value="">Sample data</option>
        {(data?.items ?? []).map((run) => (
          <option key={run.runId} value={run.runId}>
            {`Run ${run.runId} (${run.status}, ${exactText(run.createdAt)})`}
          </option>
        ))}
      </select>
    </div>
  );
}

interface DataProps {
  readonly scope: ExpressionScope;
  readonly onData: (data: Scope | null) => void;
}

function SampleData({ scope, onData }: DataProps): ReactElement {
  const id = useId();
  const sample = useMemo(() => JSON.stringify(sampleData(scope), null, 2), [scope]);
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? sample;
  const parsed = useMemo(() => parse(text), [text]);
  useEffect(() => onData(parsed), [parsed, onData]);
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        Sample data
      </label>
      <textarea
        id={id}
        className="hd-input"
        rows={6}
        value={text}
        spellCheck={false}
        aria-invalid={parsed === null}
        onChange={({ target }) => setTyped(target.value)}
      />
      {parsed === null ? <span className="hd-field-problem">Expected a JSON object, but it cannot be read</span> : null}
    </div>
  );
}

function parse(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : null; // so it is
  } catch {
    return null;
  }
}

interface RunDataProps extends DataProps {
  readonly runId: string;
  readonly nodeId: string | undefined;
}

/** The moment is an event: its slider goes over the journal. */
function RunData({ runId, scope, nodeId, onData }: RunDataProps): ReactElement {
  const id = useId();
  const { events, error } = useJournal(runId);
  const [chosen, setChosen] = useState<number | null>(null);
  const last = (events?.length ?? 0) - 1;
  const place = chosen ?? last;
  const event = events?.[place];
  const state = useAnswer('getStateAt', { runId, eventId: event?.id ?? '' }, { enabled: event !== undefined });
  useEffect(() => {
    if (events === null || state.data === undefined) return;
    onData(dataOf(scope, { events: events.slice(0, place + 1), state: state.data, nodeId }));
  }, [events, state.data, place, scope, nodeId, onData]);
  if (error !== null || state.error !== null) return <ErrorNotice error={error ?? state.error} />;
  if (events === null || event === undefined) return <Skeleton lines={1} label="Reading the run" />;
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        After event {place + 1} of {last + 1}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={place}
        aria-valuetext={event.type}
        onChange={({ target }) => setChosen(Number(target.value))}
      />
      <span className="hd-field-hint">
        {event.type}, {exactText(event.at)}
      </span>
    </div>
  );
}

/** Of a longer run, the first so many. */
const eventsMax = 5_000;

function useJournal(runId: string): { readonly events: readonly RunEvent[] | null; readonly error: unknown } {
  const { client } = useConnection();
  const [read, setRead] = useState<{ readonly events: readonly RunEvent[] | null; readonly error: unknown }>({
    events: null,
    error: null,
  });
  useEffect(() => {
    const leaving = new AbortController();
    const readAll = async (): Promise<void> => {
      const events: RunEvent[] = [];
      for (let next: string | null | undefined; next !== null && events.length < eventsMax; ) {
        const request = { runId, ...(next === undefined ? {} : { after: next }) };
        const page = await client.call('listRunEvents', request, { signal: leaving.signal });
        events.push(...page.items);
        next = page.next;
      }
      setRead({ events, error: null });
    };
    readAll().catch((error: unknown) => leaving.signal.aborted || setRead({ events: null, error }));
    return () => leaving.abort();
  }, [client, runId]);
  return read;
}

function Value(props: {
  readonly source: string;
  readonly scope: ExpressionScope;
  readonly data: Scope;
}): ReactElement {
  const { source, scope, data } = props;
  const [told, setTold] = useState<Evaluation | null>(null);
  useEffect(() => {
    let isWanted = true;
    const ask = askLanguage()('evaluateExpression', { source, names: scope.names.map(({ name }) => name), data });
    const failed = (error: Error): Evaluation => ({ type: 'error', code: 'EXPRESSION_FAILED', message: error.message });
    void ask.catch(failed).then((evaluation) => isWanted && setTold(evaluation));
    return () => {
      isWanted = false;
    };
  }, [source, scope, data]);
  if (source.trim() === '' || told === null)
    return <p className="hd-field-hint">Write an expression to see its value.</p>;
  return (
    <div
      className="hd-try-out-value"
      role="status"
      aria-label="Value"
      data-look={told.type === 'value' ? 'done' : 'failed'}
    >
      {told.type === 'value' ? <JsonView value={told.value} label="value" /> : <span>{told.message}</span>}
    </div>
  );
}
