// OverviewPage: is everything all right? What runs, what failed of late and why, what waits for whom.

import type { RunStatus } from 'heddle';
import type { AnswerOf } from 'heddle/wire';
import { DataTable, lookOf, Notice, StatusShape, useAnswer, useLive, useMay } from 'heddle-react';
import { lazy, type ReactElement, Suspense, useMemo } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { addressOf } from '../addresses.ts';
import { FirstVisit } from '../overview/first-visit.tsx';
import { Loaded, Page, Section } from '../page.tsx';
import { Success, Took, type WorkflowFigures } from '../workflows/success.tsx';
import './overview.css';

const Chart = lazy(async () => ({ default: (await import('../overview/chart.tsx')).Chart }));

type Overview = AnswerOf<'getOverview'>;
type ErrorFigures = Overview['errors'][number];

const windows = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;
const windowLabels = { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days' } as const;
type Window = keyof typeof windows;
const windowNames = Object.keys(windows) as Window[]; // its own keys

/** With fewer somebody is still finding out what there is. */
const fewRuns = 10;
const sumOf = (sum: number, count: number): number => sum + count;

export function OverviewPage(): ReactElement {
  const asked = new URLSearchParams(useSearch()).get('window');
  const shown = windowNames.find((name) => name === asked) ?? '1h';
  const may = useMay();
  const overview = useAnswer('getOverview', { sinceMs: windows[shown] }, { enabled: may('run:read'), keepsLast: true });
  const counts = useAnswer('countRuns', {}, { enabled: may('run:read') });
  useLive(['getOverview', 'countRuns'], { enabled: may('run:read') });
  const total = counts.data === undefined ? null : Object.values(counts.data.byStatus).reduce(sumOf, 0);
  const isEmpty = total === 0;
  if (!may('run:read'))
    return (
      <Page title="Overview">
        <Notice look="idle" title="Your key does not allow looking at runs" />
      </Page>
    );
  return (
    <Page title="Overview" actions={isEmpty ? null : <WindowChoice shown={shown} />}>
      {isEmpty ? (
        <FirstVisit hasRuns={false} />
      ) : (
        <Loaded answer={counts} lines={3}>
          {({ byStatus, more }) => <Counts byStatus={byStatus} more={more} />}
        </Loaded>
      )}
      <Loaded answer={overview} lines={8}>
        {(data) => <Figures overview={data} isEmpty={isEmpty} label={windowLabels[shown]} />}
      </Loaded>
      {total !== null && total > 0 && total < fewRuns ? <FirstVisit hasRuns /> : null}
    </Page>
  );
}

function WindowChoice({ shown }: { readonly shown: Window }): ReactElement {
  const [, navigate] = useLocation();
  return (
    <select
      className="hd-input"
      aria-label="Time that is shown"
      value={shown}
      onChange={({ target }) => navigate(target.value === '1h' ? '/' : `/?window=${target.value}`)}
    >
      {windowNames.map((name) => (
        <option key={name} value={name}>
          {windowLabels[name]}
        </option>
      ))}
    </select>
  );
}

const shownStatuses: readonly RunStatus[] = [
  'running',
  'waiting',
  'suspended',
  'paused',
  'failed',
  'completed',
  'cancelled',
];
/** These are told only where there are some. */
const rareStatuses: readonly RunStatus[] = ['submitted', 'timed_out', 'exhausted'];

interface CountsProps {
  readonly byStatus: Readonly<Record<string, number>>;
  readonly more: readonly string[];
}

function Counts({ byStatus, more }: CountsProps): ReactElement {
  const told = [...shownStatuses, ...rareStatuses.filter((status) => (byStatus[status] ?? 0) > 0)];
  return (
    <ul className="app-counts" aria-label="Runs by status">
      {told.map((status) => (
        <li key={status}>
          <Link href={`/runs?status=${status}`} data-look={lookOf(status)} data-none={(byStatus[status] ?? 0) === 0}>
            <strong>
              {(byStatus[status] ?? 0).toLocaleString('en')}
              {more.includes(status) ? '+' : ''}
            </strong>
            <span className="hd-status">
              <StatusShape look={lookOf(status)} />
              {status.replace('_', ' ')}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface FiguresProps {
  readonly overview: Overview;
  readonly isEmpty: boolean;
  readonly label: string;
}

function Figures({ overview, isEmpty, label }: FiguresProps): ReactElement {
  const { errors, workflows, isPartial } = overview;
  return (
    <>
      <Backlog backlog={overview.backlog} />
      {isPartial ? (
        <Notice look="idle" title="There were more runs in this time than are counted: the newest are." />
      ) : null}
      {isEmpty ? null : <Charts overview={overview} />}
      {isEmpty ? null : (
        <div className="app-columns">
          <Section title={`Failures, ${label}`}>
            {errors.length === 0 ? <p className="app-hint">None.</p> : <Errors errors={errors} />}
          </Section>
          <Section title={`Workflows, ${label}`}>
            {workflows.length === 0 ? <p className="app-hint">None ran.</p> : <Workflows workflows={workflows} />}
          </Section>
        </div>
      )}
    </>
  );
}

function Backlog({ backlog }: { readonly backlog: Overview['backlog'] }): ReactElement | null {
  const { openPrompts, waitingTasks, missingActions, quarantined } = backlog;
  if (openPrompts + waitingTasks + missingActions.length + quarantined === 0) return null;
  return (
    <ul className="app-attention" aria-label="What needs attention">
      {openPrompts === 0 ? null : (
        <li>
          <Link href="/inbox" className="hd-link">
            {openPrompts} {openPrompts === 1 ? 'prompt waits' : 'prompts wait'} for an answer
          </Link>
        </li>
      )}
      {missingActions.length === 0 ? null : (
        <li>
          <Link href="/work" className="hd-link">
            Nobody has the {missingActions.length === 1 ? 'action' : 'actions'} {missingActions.join(', ')}
          </Link>
        </li>
      )}
      {waitingTasks === 0 ? null : (
        <li>
          <Link href="/work" className="hd-link">
            {waitingTasks} {waitingTasks === 1 ? 'task waits' : 'tasks wait'} for workers
          </Link>
        </li>
      )}
      {quarantined === 0 ? null : <li>{quarantined} set aside: they could not be loaded or planned</li>}
    </ul>
  );
}

function Charts({ overview: { buckets } }: { readonly overview: Overview }): ReactElement {
  const times = useMemo(() => buckets.map(({ at }) => at), [buckets]);
  const throughput = useMemo(
    () =>
      [
        { label: 'started', colour: '--hd-active', values: buckets.map(({ started }) => started), dash: [6, 4] },
        { label: 'completed', colour: '--hd-done', values: buckets.map(({ completed }) => completed) },
        { label: 'failed', colour: '--hd-failed', values: buckets.map(({ failed }) => failed), dash: [2, 3] },
      ] as const,
    [buckets],
  );
  const durations = useMemo(
    () =>
      [
        { label: 'median', colour: '--hd-active', values: buckets.map(({ p50Ms }) => p50Ms) },
        { label: '95 of 100', colour: '--hd-waiting', values: buckets.map(({ p95Ms }) => p95Ms), dash: [6, 4] },
      ] as const,
    [buckets],
  );
  return (
    <Suspense fallback={<div className="app-chart-space" />}>
      <div className="app-columns">
        <Chart title="Runs" times={times} lines={throughput} unit="runs" />
        <Chart title="Durations" times={times} lines={durations} unit="ms" />
      </div>
    </Suspense>
  );
}

function Errors({ errors }: { readonly errors: readonly ErrorFigures[] }): ReactElement {
  return (
    <DataTable<ErrorFigures>
      label="Failures"
      rows={errors}
      keyOf={({ code, message }) => `${code} ${message}`}
      columns={[
        {
          label: 'Error',
          show: ({ code, message, newestRunId }) => (
            <>
              <Link href={addressOf.run(newestRunId)} className="hd-link">
                {code}
              </Link>{' '}
              {message}
            </>
          ),
        },
        { label: 'Runs', align: 'end', show: ({ count }) => count },
      ]}
    />
  );
}

function Workflows({ workflows }: { readonly workflows: readonly WorkflowFigures[] }): ReactElement {
  return (
    <DataTable<WorkflowFigures>
      label="Workflows"
      rows={workflows}
      keyOf={({ workflow }) => workflow}
      columns={[
        {
          label: 'Workflow',
          show: ({ workflow }) => (
            <Link href={addressOf.workflow(workflow)} className="hd-link">
              {workflow}
            </Link>
          ),
        },
        { label: 'Started', align: 'end', show: ({ started }) => started },
        { label: 'Success', show: (figures) => <Success figures={figures} /> },
        { label: 'Median', align: 'end', show: ({ p50Ms }) => <Took ms={p50Ms} /> },
      ]}
    />
  );
}
