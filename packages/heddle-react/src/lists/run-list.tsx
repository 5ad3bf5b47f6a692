// RunList: runs that a filter finds, newest first, live; what each is doing; pages that stay where they are while runs arrive.

import type { RunSummary } from 'heddle';
import type { RequestOf } from 'heddle/wire';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { useAnswer } from '../connection/connection.tsx';
import { Button } from '../parts/button.tsx';
import { CopyButton, shortId } from '../parts/id-text.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { RunStatusMark } from '../parts/status-mark.tsx';
import { DurationText, TimeText } from '../parts/time-text.tsx';
import { type Column, DataTable, type Selection } from './data-table.tsx';
import { useLive } from './live.ts';
import { elapsedMs, shownRuns } from './shown-runs.ts';

/** What `listRuns` takes beside pages. */
export type RunListFilter = Omit<RequestOf<'listRuns'>, 'after' | 'limit'>;

export interface RunListProps {
  readonly filter?: RunListFilter;
  /** Where a page begins: the `next` of the page before. Absent: with the newest. */
  readonly after?: string;
  readonly limit?: number;
  /** A link to a run. Default: its id. */
  readonly link?: (runId: string, text: string) => ReactNode;
  readonly selection?: Selection;
  /** There are more runs than are shown, or this is not the first page. */
  readonly onPage?: (after: string | null) => void;
  /** In place of rows, where there are none. */
  readonly empty?: ReactNode;
  /** Runs of one workflow need no column for it. */
  readonly isOfOneWorkflow?: boolean;
}

export function RunList(props: RunListProps): ReactElement {
  const { filter = {}, after, limit = 50, selection, onPage } = props;
  const request = { ...filter, limit, activity: true, ...(after === undefined ? {} : { after }) };
  const { data, error, refetch } = useAnswer('listRuns', request);
  const [isFocused, setFocused] = useState(false);
  const [releasedAt, setReleasedAt] = useState(0);
  useLive(['listRuns', 'countRuns']);
  const isHeld = isFocused || (selection?.selected.size ?? 0) > 0;
  const { rows, news } = useShown(JSON.stringify([request, releasedAt]), data?.items, isHeld);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={8} label="Loading runs" />
    ) : (
      <ErrorNotice error={error} onRetry={() => void refetch()} />
    );
  if (rows.length === 0 && after === undefined)
    return <>{props.empty ?? <EmptyState title="No runs">Nothing was started that fits.</EmptyState>}</>;
  return (
    <div
      className="hd-run-list"
      onFocus={() => setFocused(true)}
      onBlur={({ currentTarget, relatedTarget }) => setFocused(currentTarget.contains(relatedTarget))}
    >
      {news === 0 ? null : (
        <div className="hd-list-news" role="status">
          <Button size="small" onClick={() => setReleasedAt(releasedAt + 1)}>
            Show {news} new {news === 1 ? 'run' : 'runs'}
          </Button>
        </div>
      )}
      <DataTable
        label="Runs"
        rows={rows}
        keyOf={({ runId }) => runId}
        columns={columnsOf(props)}
        {...(selection === undefined ? {} : { selection })}
      />
      {onPage === undefined || (data.next === null && after === undefined) ? null : (
        <nav className="hd-list-more" aria-label="Pages of runs">
          <Button disabled={after === undefined} onClick={() => onPage(null)}>
            Newest
          </Button>
          <Button disabled={data.next === null} onClick={() => onPage(data.next)}>
            Older
          </Button>
        </nav>
      )}
    </div>
  );
}

/** What was shown last, for as long as it is the same question. */
function useShown(question: string, fresh: readonly RunSummary[] | undefined, isHeld: boolean) {
  const last = useRef<{ question: string; rows: readonly RunSummary[] }>(null);
  const shown = shownRuns(last.current?.question === question ? last.current.rows : null, fresh ?? [], isHeld);
  if (fresh !== undefined) last.current = { question, rows: shown.rows };
  return shown;
}

function columnsOf({ link, isOfOneWorkflow = false }: RunListProps): readonly Column<RunSummary>[] {
  const workflow: Column<RunSummary> = { label: 'Workflow', show: ({ workflow: name }) => name };
  return [
    {
      label: 'Run',
      show: ({ runId }) => (
        <span className="hd-id">
          {link?.(runId, shortId(runId)) ?? shortId(runId)}
          <CopyButton text={runId} label={`Copy ${runId}`} />
        </span>
      ),
    },
    { label: 'Status', show: ({ status }) => <RunStatusMark status={status} /> },
    ...(isOfOneWorkflow ? [] : [workflow]),
    { label: 'Doing', show: (run) => <Doing run={run} /> },
    { label: 'Started', show: ({ createdAt }) => <TimeText at={createdAt} /> },
    { label: 'Took', align: 'end', show: (run) => <Took run={run} /> },
  ];
}

/** What its author says of a run, why it failed or what it waits for, and its tags. */
function Doing({ run }: { readonly run: RunSummary }): ReactElement {
  const { error, quarantine, tags } = run;
  const named = Object.entries(tags);
  const isWrong = error !== undefined && run.status !== 'cancelled';
  const text = quarantine ?? error?.message ?? run.activity?.text ?? null;
  return (
    <>
      {run.summary === undefined ? null : <span className="hd-run-told">{run.summary}</span>}
      {text === null ? null : (
        <span className="hd-run-doing" data-look={isWrong || quarantine !== null ? 'failed' : undefined}>
          {text}
        </span>
      )}
      {named.length === 0 ? null : (
        <span className="hd-tags">
          {named.map(([name, value]) => (
            <span key={name} className="hd-tag">
              {name}: {value}
            </span>
          ))}
        </span>
      )}
    </>
  );
}

function Took({ run }: { readonly run: RunSummary }): ReactElement {
  return <DurationText ms={elapsedMs(run, useNow())} />;
}
