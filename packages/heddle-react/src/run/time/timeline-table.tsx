// Timeline table: the same visits in words and numbers, for those who do not look at a chart.

import { type ReactElement, useMemo } from 'react';
import { StatusMark } from '../../parts/status-mark.tsx';
import { DurationText, TimeText } from '../../parts/time-text.tsx';
import { LongTable } from './long-table.tsx';
import type { TimelineSelection } from './timeline.tsx';
import { branchText } from './timeline-row.tsx';
import { lookOfSpan, type TimelineSpan, timesOf } from './timeline-span.ts';

export interface TimelineTableProps {
  readonly spans: readonly TimelineSpan[];
  readonly now: number;
  readonly selected: TimelineSelection | null;
  readonly onSelect: (selection: TimelineSelection) => void;
}

const titles = ['Node', 'Branch', 'Status', 'Ready', 'In the queue', 'At work', 'Waiting', 'Attempts'];

export function TimelineTable({ spans, now, selected, onSelect }: TimelineTableProps): ReactElement {
  const inOrder = useMemo(() => spans.toSorted((a, b) => a.readyAt - b.readyAt || a.token - b.token), [spans]);
  return (
    <LongTable
      label="Visits as a table"
      className="hd-timeline-table"
      titles={titles}
      rows={inOrder}
      keyOf={({ token }) => token}
      isSelected={({ token }) => selected?.token === token}
    >
      {(span) => <SpanCells span={span} now={now} onSelect={onSelect} />}
    </LongTable>
  );
}

interface SpanCellsProps {
  readonly span: TimelineSpan;
  readonly now: number;
  readonly onSelect: (selection: TimelineSelection) => void;
}

function SpanCells({ span, now, onSelect }: SpanCellsProps): ReactElement {
  const { node, token, pathId, status, readyAt, attempt } = span;
  const { queuedMs, workedMs, waitedMs } = timesOf(span, now);
  return (
    <>
      <td>
        <button type="button" className="hd-plain-link" onClick={() => onSelect({ node, token })}>
          {node}
        </button>
      </td>
      <td>{pathId === 'root' ? '–' : branchText(pathId)}</td>
      <td>
        <StatusMark look={lookOfSpan(span)} word={status.replaceAll('_', ' ')} />
      </td>
      <td>
        <TimeText at={readyAt} />
      </td>
      <td>
        <DurationText ms={queuedMs} />
      </td>
      <td>
        <DurationText ms={workedMs} />
      </td>
      <td>
        <DurationText ms={waitedMs} />
      </td>
      <td>{attempt}</td>
    </>
  );
}
