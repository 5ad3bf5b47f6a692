// Timeline row: a node, or one branch of it, and its bars.

import type { ReactElement } from 'react';
import { durationText } from '../../parts/time-text.tsx';
import type { TimelineSelection } from './timeline.tsx';
import { gapsInView } from './timeline-axis.tsx';
import { type Bar, barsOf, pixelOf, type TimelineRow, type Viewport } from './timeline-rows.ts';
import { partsOf, type TimelineSpan, timesOf } from './timeline-span.ts';

export interface TimelineRowViewProps {
  readonly id: string;
  readonly row: TimelineRow;
  /** Its place among all rows. */
  readonly place: number;
  readonly top: number;
  readonly viewport: Viewport;
  /** The visit at which the keys are; null: at the row; undefined: elsewhere. */
  readonly cursor: number | null | undefined;
  readonly selected: TimelineSelection | null;
  readonly onChoose: (bar: Bar | null) => void;
}

export function TimelineRowView(props: TimelineRowViewProps): ReactElement {
  const { id, row, place, top, viewport, cursor, selected, onChoose } = props;
  const bars = barsOf(row.spans, viewport);
  const isHere = (bar: Bar): boolean => bar.spans.some(({ token }) => token === cursor);
  return (
    <div
      id={id}
      role="row"
      className="hd-timeline-row"
      aria-rowindex={place + 1}
      aria-level={row.pathId === null ? 1 : 2}
      {...(row.isOpen === null ? {} : { 'aria-expanded': row.isOpen })}
      aria-selected={selected !== null}
      data-cursor={cursor === null}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="hd-timeline-label">
        <button type="button" tabIndex={-1} title={row.pathId ?? row.node} onClick={() => onChoose(null)}>
          {row.isOpen === null ? null : <span aria-hidden="true">{row.isOpen ? '▾ ' : '▸ '}</span>}
          {row.pathId === null ? row.node : branchText(row.pathId)}
          {row.branches > 1 ? <small> ×{row.branches.toLocaleString('en')}</small> : null}
        </button>
      </div>
      <div role="gridcell" className="hd-timeline-track">
        {gapsInView(viewport).map(({ from, left, width }) => (
          <span key={from} className="hd-timeline-gap" style={{ left, width }} />
        ))}
        {bars.map((bar) => (
          <BarView
            key={bar.spans[0]?.token}
            bar={bar}
            viewport={viewport}
            isCursor={isHere(bar)}
            isSelected={bar.spans.some(({ token }) => token === selected?.token)}
            onChoose={() => onChoose(bar)}
          />
        ))}
      </div>
    </div>
  );
}

/** `root.split.3` is `split.3`: everything is below the root. */
export const branchText = (pathId: string): string => (pathId === 'root' ? 'no branch' : pathId.replace(/^root\./, ''));

interface BarViewProps {
  readonly bar: Bar;
  readonly viewport: Viewport;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly onChoose: () => void;
}

function BarView({ bar, viewport, isCursor, isSelected, onChoose }: BarViewProps): ReactElement {
  const { left, width, spans, look, failed } = bar;
  const text = barText(bar, viewport.now);
  const [only] = spans.length === 1 ? spans : [];
  return (
    <button
      type="button"
      tabIndex={-1}
      className="hd-bar"
      data-look={look}
      data-cluster={only === undefined}
      data-cursor={isCursor}
      data-selected={isSelected}
      aria-label={text}
      title={text}
      style={{ left, width }}
      onClick={onChoose}
    >
      {only ? <Parts span={only} left={left} viewport={viewport} /> : null}
      {only === undefined && width > 28 ? <span className="hd-bar-count">{spans.length}</span> : null}
      {failed > 0 ? <FailureMark at={width - 5} /> : null}
    </button>
  );
}

interface PartsProps {
  readonly span: TimelineSpan;
  readonly left: number;
  readonly viewport: Viewport;
}

function Parts({ span, left, viewport }: PartsProps): ReactElement {
  const parts = partsOf(span, viewport.now);
  if (parts.length === 0) return <span className="hd-bar-instant" />;
  return (
    <>
      {parts.map(({ from, to, kind, isFailed }, place) => {
        const start = pixelOf(viewport, from) - left;
        const end = pixelOf(viewport, to) - left;
        const isLast = place === parts.length - 1;
        return (
          <span key={`${kind} ${from}`}>
            <span className="hd-bar-part" data-part={kind} style={{ left: start, width: Math.max(1, end - start) }} />
            {isFailed && !isLast ? <FailureMark at={end - 4} /> : null}
          </span>
        );
      })}
    </>
  );
}

/** A cross: failures are seen without colours. */
function FailureMark({ at }: { readonly at: number }): ReactElement {
  return (
    <svg className="hd-bar-failure" viewBox="0 0 8 8" width="8" height="8" aria-hidden="true" style={{ left: at }}>
      <path d="M1 1l6 6m0-6l-6 6" stroke="currentColor" strokeWidth="2" />
    </svg>
  );
}

function barText({ spans, failed }: Bar, now: number): string {
  const [first] = spans;
  if (!first || spans.length > 1) {
    const failures = failed === 0 ? '' : `, ${failed.toLocaleString('en')} failed`;
    return `${spans.length.toLocaleString('en')} visits of ${first?.node ?? ''}${failures}`;
  }
  const { queuedMs, workedMs, waitedMs } = timesOf(first, now);
  const said = [
    `${first.node}${first.pathId === 'root' ? '' : ` in ${branchText(first.pathId)}`}: ${first.status.replaceAll('_', ' ')}`,
    workedMs > 0 ? `worked ${durationText(workedMs)}` : '',
    queuedMs > 0 ? `in the queue ${durationText(queuedMs)}` : '',
    waitedMs > 0 ? `waited ${durationText(waitedMs)}` : '',
    first.attempts.length > 1 ? `${first.attempts.length} attempts` : '',
    first.error ? `${first.error.code}: ${first.error.message}` : '',
  ];
  return said.filter((part) => part !== '').join(', ');
}
