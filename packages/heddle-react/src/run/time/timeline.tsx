// Timeline: when each node worked, waited and stood in the queue, by node and branch, as a chart or as a table.
//
// Always true: everything that a pointer can do, keys can do.

import { type ReactElement, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/notice.tsx';
import { TimelineChart } from './timeline-chart.tsx';
import type { TimeWindow } from './timeline-rows.ts';
import type { TimelineSpan } from './timeline-span.ts';
import { TimelineTable } from './timeline-table.tsx';
import { wholeWindow, zoomed } from './timeline-window.ts';

export interface TimelineSelection {
  readonly node: string;
  /** One visit of it; null: all. */
  readonly token: number | null;
}

export interface TimelineProps {
  /** The visits; of large runs, those that are kept one by one. */
  readonly spans: readonly TimelineSpan[];
  /** Until when what lives is drawn: the moment that is shown. */
  readonly now: number;
  readonly selected?: TimelineSelection | null;
  readonly onSelect?: (selection: TimelineSelection) => void;
  /** How many visits are not among the spans. */
  readonly untold?: number;
}

export function Timeline({ spans, now, selected = null, onSelect, untold = 0 }: TimelineProps): ReactElement {
  const [isTable, setTable] = useState(false);
  const [window, setWindow] = useState(wholeWindow);
  if (spans.length === 0)
    return <EmptyState title="Nothing has begun at this moment">Move the slider to the right.</EmptyState>;
  const shown = { spans, now, selected, onSelect: onSelect ?? ignore };
  return (
    <section className="hd-timeline" aria-label="Timeline">
      <div className="hd-timeline-bar">
        <Legend />
        <span className="hd-timeline-tools">
          {isTable ? null : <ZoomButtons window={window} onChange={setWindow} />}
          <Button size="small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            As table
          </Button>
        </span>
      </div>
      {isTable ? <TimelineTable {...shown} /> : <TimelineChart {...shown} window={window} onWindow={setWindow} />}
      {untold === 0 ? null : (
        <p className="hd-timeline-note">{untold.toLocaleString('en')} earlier visits are counted, and not drawn.</p>
      )}
    </section>
  );
}

const ignore = (): void => undefined;

function Legend(): ReactElement {
  return (
    <span className="hd-timeline-legend">
      <span>
        <i data-part="queued" /> in the queue
      </span>
      <span>
        <i data-part="working" /> at work
      </span>
      <span>
        <i data-part="waiting" /> waiting
      </span>
      <span>
        <i data-part="idle" /> idle, squeezed
      </span>
    </span>
  );
}

interface ZoomButtonsProps {
  readonly window: TimeWindow;
  readonly onChange: (window: TimeWindow) => void;
}

function ZoomButtons({ window, onChange }: ZoomButtonsProps): ReactElement {
  const middle = (window.start + window.end) / 2;
  const isWhole = window.end - window.start >= 1;
  return (
    <>
      <Button
        size="small"
        aria-label="Zoom out"
        disabled={isWhole}
        onClick={() => onChange(zoomed(window, 0.5, middle))}
      >
        −
      </Button>
      <Button size="small" aria-label="Zoom in" onClick={() => onChange(zoomed(window, 2, middle))}>
        +
      </Button>
      <Button size="small" disabled={isWhole} onClick={() => onChange(wholeWindow)}>
        Fit
      </Button>
    </>
  );
}
