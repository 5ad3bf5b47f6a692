// Timeline table: the same visits in words and numbers, for those who do not look at a chart.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useMemo, useRef } from 'react';
import { StatusMark } from '../../parts/status-mark.tsx';
import { DurationText, TimeText } from '../../parts/time-text.tsx';
import type { TimelineSelection } from './timeline.tsx';
import { branchText } from './timeline-row.tsx';
import { lookOfSpan, type TimelineSpan, timesOf } from './timeline-span.ts';

export interface TimelineTableProps {
  readonly spans: readonly TimelineSpan[];
  readonly now: number;
  readonly selected: TimelineSelection | null;
  readonly onSelect: (selection: TimelineSelection) => void;
}

const rowHeight = 32;

export function TimelineTable({ spans, now, selected, onSelect }: TimelineTableProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const inOrder = useMemo(() => spans.toSorted((a, b) => a.readyAt - b.readyAt || a.token - b.token), [spans]);
  const virtual = useVirtualizer({
    count: inOrder.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  return (
    <div ref={scroller} className="hd-timeline-table" tabIndex={0} role="region" aria-label="Visits as a table">
      <table aria-rowcount={inOrder.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {['Node', 'Branch', 'Status', 'Ready', 'In the queue', 'At work', 'Waiting', 'Attempts'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const span = inOrder[index];
            return span === undefined ? null : (
              <tr
                key={span.token}
                aria-rowindex={index + 2}
                data-selected={selected?.token === span.token}
                style={{ transform: `translateY(${start}px)` }}
              >
                <SpanCells span={span} now={now} onSelect={onSelect} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
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
