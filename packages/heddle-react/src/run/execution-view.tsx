// ExecutionView: one visit of a node, all in one place: how it stands, its error, attempts, input, output, what it waits for.

import type { TokenInfo } from 'heddle';
import { type ReactElement, type ReactNode, useEffect, useMemo, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { JsonView } from '../parts/json-view.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { StatusMark } from '../parts/status-mark.tsx';
import { DurationText, TimeText } from '../parts/time-text.tsx';
import { type Execution, executionOf } from './execution.ts';
import { FailureView } from './failure-view.tsx';
import { AnswerLink, RunLink } from './run-links.tsx';
import { isRunning, type RunReading, type RunSource } from './run-source.ts';
import { lookOfVisit, type Visit, wordOfVisit } from './visits.ts';

export interface ExecutionViewProps {
  readonly source: RunSource;
  readonly reading: RunReading;
  readonly visit: Visit;
  readonly onOpenSubrun: (runId: string) => void;
}

export function ExecutionView({ source, reading, visit, onOpenSubrun }: ExecutionViewProps): ReactElement {
  const { execution, error } = useExecution(source, reading, visit);
  return (
    <div className="hd-execution">
      {isRunning(reading) && visit.endedAt === null ? (
        <LiveTimes visit={visit} />
      ) : (
        <Times visit={visit} at={reading.figures?.at ?? visit.readyAt} />
      )}
      {visit.childRunId === null ? null : <Subrun runId={visit.childRunId} onOpen={onOpenSubrun} />}
      {error === null ? null : <ErrorNotice error={error} />}
      {execution === null && error === null ? <Skeleton lines={3} /> : null}
      {execution === null ? null : <Parts execution={execution} />}
    </div>
  );
}

const LiveTimes = ({ visit }: { readonly visit: Visit }): ReactElement => <Times visit={visit} at={useNow()} />;

/** Time in the queue stands apart from work. */
function Times({ visit, at }: { readonly visit: Visit; readonly at: number }): ReactElement {
  const { status, readyAt, startedAt, endedAt, attempt, token, pathId } = visit;
  const begun = startedAt ?? endedAt;
  return (
    <dl className="hd-facts">
      <Fact name="Status">
        <StatusMark look={lookOfVisit(status)} word={wordOfVisit(status)} />
      </Fact>
      <Fact name="Entered">
        <TimeText at={readyAt} />
      </Fact>
      {startedAt === null || startedAt === readyAt ? null : (
        <Fact name="In the queue">
          <DurationText ms={startedAt - readyAt} />
        </Fact>
      )}
      {begun === null ? null : (
        <Fact name={lastingName(visit)}>
          <DurationText ms={Math.max(0, (endedAt ?? at) - (startedAt ?? readyAt))} />
        </Fact>
      )}
      {attempt > 1 ? <Fact name="Attempt">{attempt}</Fact> : null}
      <Fact name="Token">
        {token}
        {pathId === 'root' ? null : <code className="hd-path">{pathId}</code>}
      </Fact>
    </dl>
  );
}

function lastingName({ status, endedAt }: Visit): string {
  if (endedAt !== null) return 'Took';
  return lookOfVisit(status) === 'active' ? 'Working for' : 'Waiting for';
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Subrun({ runId, onOpen }: { readonly runId: string; readonly onOpen: (runId: string) => void }): ReactElement {
  return (
    <p className="hd-line">
      Sub-run <RunLink runId={runId}>{runId}</RunLink>
      <Button size="small" onClick={() => onOpen(runId)}>
        Open here
      </Button>
    </p>
  );
}

function Parts({ execution }: { readonly execution: Execution }): ReactElement {
  const { input, output, error, attempts, steps, prompt, awaits } = execution;
  return (
    <>
      {error === undefined ? null : <FailureView failure={error} />}
      {prompt === undefined ? null : <Prompt prompt={prompt} />}
      {awaits === undefined ? null : (
        <p>
          Waits for the event <code>{awaits.event}</code>
          {awaits.correlation === '' ? null : (
            <>
              {' '}
              with the key <code>{awaits.correlation}</code>
            </>
          )}
        </p>
      )}
      {attempts.length > 1 ? <Attempts attempts={attempts} /> : null}
      {steps.length === 0 ? null : <Steps steps={steps} />}
      {input === undefined ? null : (
        <Part title="Input">
          <JsonView value={input} label="input" />
        </Part>
      )}
      {output === undefined ? null : (
        <Part title="Output">
          <JsonView value={output} label="output" />
        </Part>
      )}
    </>
  );
}

export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <section className="hd-part">
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Prompt({ prompt }: { readonly prompt: NonNullable<Execution['prompt']> }): ReactElement {
  const { correlationId, title, askedAt, answer, isExpired } = prompt;
  return (
    <p>
      Asked for {title === null ? 'a reply' : `"${title}"`} <TimeText at={askedAt} />.{' '}
      {answer !== undefined || isExpired ? (
        <span className="hd-muted">{isExpired ? 'nobody replied in time' : 'answered'}</span>
      ) : (
        <AnswerLink correlationId={correlationId} />
      )}
    </p>
  );
}

function Attempts({ attempts }: Pick<Execution, 'attempts'>): ReactElement {
  return (
    <Part title="Attempts">
      <ol className="hd-attempts">
        {attempts.map(({ attempt, startedAt, endedAt, outcome, error, retryAt }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an attempt may be handed out more than once, and none ever moves
          <li key={place}>
            <StatusMark look={outcomeLooks[outcome]} word={`${attempt}: ${outcome}`} />{' '}
            {endedAt === null ? <TimeText at={startedAt} /> : <DurationText ms={endedAt - startedAt} />}
            {error === undefined ? null : ` ${error.code}: ${error.message}`}
            {retryAt === undefined || place < attempts.length - 1 ? null : (
              <>
                {' '}
                again <TimeText at={retryAt} />
              </>
            )}
          </li>
        ))}
      </ol>
    </Part>
  );
}

const outcomeLooks = {
  running: 'active',
  completed: 'done',
  failed: 'failed',
  lost: 'cancelled',
  cancelled: 'cancelled',
  'timed out': 'failed',
  'nobody has its action': 'waiting',
} as const;

function Steps({ steps }: Pick<Execution, 'steps'>): ReactElement {
  return (
    <Part title="Steps">
      <ol className="hd-attempts">
        {steps.map(({ name, at, result }) => (
          <li key={name}>
            <StatusMark look="done" word={name} /> <TimeText at={at} />
            {result === undefined ? null : <JsonView value={result} label={`result of ${name}`} />}
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** From the journal; of a large run, from the server. */
function useExecution(
  { client }: RunSource,
  { runId, isLarge, events, moment }: RunReading,
  { token, listedAfter }: Visit,
): { readonly execution: Execution | null; readonly error: unknown } {
  const told = useMemo(
    () => (isLarge ? null : executionOf(events.slice(0, moment), token)),
    [isLarge, events, moment, token],
  );
  const [asked, setAsked] = useState<{ token: number; execution: Execution | null; error: unknown } | null>(null);
  useEffect(() => {
    if (!isLarge || client === null) return;
    const reading = new AbortController();
    const page = { runId, limit: 1, ...(listedAfter === null ? {} : { after: listedAfter }) };
    client.call('listTokens', page, { signal: reading.signal }).then(
      ({ items }) => setAsked({ token, execution: items[0] ? executionOfToken(items[0]) : null, error: null }),
      (error: unknown) => reading.signal.aborted || setAsked({ token, execution: null, error }),
    );
    return () => reading.abort();
  }, [client, runId, isLarge, token, listedAfter]);
  if (told !== null) return { execution: told, error: null };
  return asked?.token === token ? asked : { execution: null, error: null };
}

function executionOfToken({ input, output, error, steps = [], createdAt, attempt }: TokenInfo): Execution {
  return {
    attempts: [],
    steps: steps.map((name) => ({ name, attempt, at: createdAt })),
    ...(input === undefined ? {} : { input }),
    ...(output === undefined ? {} : { output }),
    ...(error === undefined ? {} : { error }),
  };
}
