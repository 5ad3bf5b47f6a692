// Timeline chart: rows of bars below an axis. Idle time is squeezed; rows are drawn as far as they are in view, and bars that
// would cover each other are one cluster, so that a fan-out of any size stays smooth.

import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactElement,
  type RefObject,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import { TimeScale } from './time-scale.ts';
import type { TimelineSelection } from './timeline.tsx';
import { TimelineAxis } from './timeline-axis.tsx';
import { keysText, movedWithin, stepOf, type TimelineStep } from './timeline-keys.ts';
import { TimelineRowView } from './timeline-row.tsx';
import { type Bar, barsOf, rowsOf, type TimelineRow, type TimeWindow, type Viewport } from './timeline-rows.ts';
import { endOf, type TimelineSpan, workingStretches } from './timeline-span.ts';
import { panned, showing, wholeWindow, zoomed, zoomedTo } from './timeline-window.ts';
import { useWidth } from './use-width.ts';

export interface TimelineChartProps {
  readonly spans: readonly TimelineSpan[];
  readonly now: number;
  readonly selected: TimelineSelection | null;
  readonly onSelect: (selection: TimelineSelection) => void;
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
}

/** Where the keys are: a row, and maybe the bar of a visit in it. */
interface Cursor {
  readonly row: number;
  readonly token: number | null;
}

const rowHeight = 24;
const wideLabel = 168;
const narrowLabel = 96;
/** What happens last, however short, has room at the right end. */
const lastRoom = 12;

export function TimelineChart(props: TimelineChartProps): ReactElement {
  const { spans, now, window, onWindow } = props;
  const frame = useRef<HTMLDivElement>(null);
  const frameWidth = useWidth(frame);
  const labelWidth = frameWidth < 600 ? narrowLabel : wideLabel;
  const scale = useMemo(() => scaleOf(spans, now), [spans, now]);
  const viewport: Viewport = { scale, window, width: Math.max(100, frameWidth - labelWidth - lastRoom), now };
  usePointer(frame, { window, onWindow, labelWidth });
  return (
    <div className="hd-timeline-frame" style={{ '--hd-label': `${labelWidth}px` }}>
      <TimelineAxis viewport={viewport} />
      <ChartRows {...props} frame={frame} viewport={viewport} />
    </div>
  );
}

interface ChartRowsProps extends TimelineChartProps {
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly viewport: Viewport;
}

function ChartRows(props: ChartRowsProps): ReactElement {
  const { spans, selected, frame, viewport } = props;
  const id = useId();
  const [cursor, setCursor] = useState<Cursor>({ row: 0, token: null });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(spans, open), [spans, open]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 4,
  });
  const toggle = (node: string): void => setOpen(toggled(open, node));
  const moveTo = (next: Cursor): void => {
    setCursor(next);
    virtual.scrollToIndex(next.row);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.target === event.currentTarget ? stepOf(event.key, event.shiftKey) : null;
    const row = rows[cursor.row];
    if (!step || !row) return;
    event.preventDefault();
    take(step, { ...props, rows, row, cursor, moveTo, toggle });
  };
  const items = virtual
    .getVirtualItems()
    .flatMap(({ index, start }) => rows.slice(index, index + 1).map((row) => ({ index, start, row })));
  const isDrawn = items.some(({ index }) => index === cursor.row);
  return (
    <div
      ref={frame}
      className="hd-timeline-rows"
      role="treegrid"
      aria-label={`Visits by node and branch. ${keysText}`}
      aria-rowcount={rows.length}
      {...(isDrawn ? { 'aria-activedescendant': `${id}-${cursor.row}` } : {})}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className="hd-timeline-sizer" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, row }) => (
          <TimelineRowView
            key={row.key}
            id={`${id}-${index}`}
            row={row}
            place={index}
            top={start}
            viewport={viewport}
            cursor={index === cursor.row ? cursor.token : undefined}
            selected={selected?.node === row.node ? selected : null}
            onChoose={(bar) => {
              moveTo({ row: index, token: bar?.spans[0]?.token ?? null });
              chooseBar(bar, { ...props, row, toggle });
            }}
          />
        ))}
      </div>
    </div>
  );
}

/** From the first visit to now, or to the end. */
function scaleOf(spans: readonly TimelineSpan[], now: number): TimeScale {
  let [from, to] = [Number.POSITIVE_INFINITY, 0];
  for (const span of spans) {
    from = Math.min(from, span.readyAt);
    to = Math.max(to, endOf(span, now));
  }
  return new TimeScale({ from, to }, workingStretches(spans, now));
}

function toggled(open: ReadonlySet<string>, node: string): ReadonlySet<string> {
  const next = new Set(open);
  if (!next.delete(node)) next.add(node);
  return next;
}

interface Choice extends TimelineChartProps {
  readonly viewport: Viewport;
  readonly row: TimelineRow;
  readonly toggle: (node: string) => void;
}

/** A visit is selected; a cluster is opened by branch, or else zoomed into; a row without a bar opens. */
function chooseBar(bar: Bar | null, { row, viewport, now, onSelect, onWindow, toggle }: Choice): void {
  const [first] = bar?.spans ?? [];
  const isOne = first !== undefined && bar?.spans.length === 1;
  onSelect({ node: row.node, token: isOne ? first.token : null });
  if (isOne) return;
  if (row.isOpen !== null) toggle(row.node);
  else if (bar) onWindow(zoomedTo(...placesOf(bar, viewport.scale, now)));
}

function placesOf({ spans }: Bar, scale: TimeScale, now: number): [from: number, to: number] {
  const ends = spans.map((span) => endOf(span, now));
  return [scale.placeOf(spans[0]?.readyAt ?? scale.from), scale.placeOf(Math.max(...ends))];
}

interface Journey extends Choice {
  readonly rows: readonly TimelineRow[];
  readonly cursor: Cursor;
  readonly moveTo: (cursor: Cursor) => void;
}

function take(step: TimelineStep, journey: Journey): void {
  const { window, onWindow, rows, row, cursor, moveTo } = journey;
  const barHere = (): Bar | null => barsInAll(journey).find((bar) => holds(bar, cursor.token)) ?? null;
  switch (step.type) {
    case 'zoom':
      return onWindow(zoomed(window, step.factor, (window.start + window.end) / 2));
    case 'pan':
      return onWindow(panned(window, step.share));
    case 'fit':
      return onWindow(wholeWindow);
    case 'row':
      return moveTo({ row: movedWithin(rows.length, cursor.row, step.by), token: null });
    case 'choose':
      return chooseBar(barHere(), journey);
    case 'bar':
      return moveToBar(step.by, { ...journey, row });
  }
}

function moveToBar(by: number, journey: Journey): void {
  const { cursor, window, viewport, now, onWindow, moveTo } = journey;
  const bars = barsInAll(journey);
  const at = bars.findIndex((bar) => holds(bar, cursor.token));
  const next = bars[at === -1 && by < 0 ? bars.length - 1 : movedWithin(bars.length, at, by)];
  if (!next) return;
  moveTo({ row: cursor.row, token: next.spans[0]?.token ?? null });
  onWindow(showing(window, ...placesOf(next, viewport.scale, now)));
}

const holds = ({ spans }: Bar, token: number | null): boolean => spans.some((span) => span.token === token);

/** Of the whole row, as close as it is drawn: also those that are not in view. */
function barsInAll({ row, viewport, window }: Journey): readonly Bar[] {
  const width = viewport.width / (window.end - window.start);
  return barsOf(row.spans, { ...viewport, window: wholeWindow, width });
}

interface PointerOptions {
  readonly window: TimeWindow;
  readonly onWindow: (window: TimeWindow) => void;
  readonly labelWidth: number;
}

/** The wheel with Ctrl zooms around the pointer, sideways or with Shift it pans; without, the page scrolls as ever. */
function usePointer(frame: { readonly current: HTMLDivElement | null }, options: PointerOptions): void {
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const onWheel = (event: WheelEvent): void => {
      const { window, onWindow, labelWidth } = latest.current;
      const { left, width } = element.getBoundingClientRect();
      const sideways = event.shiftKey ? event.deltaY : event.deltaX;
      if (event.ctrlKey || event.metaKey) {
        const share = (event.clientX - left - labelWidth) / (width - labelWidth - lastRoom);
        const around = window.start + Math.min(1, Math.max(0, share)) * (window.end - window.start);
        onWindow(zoomed(window, Math.exp(-event.deltaY / 200), around));
      } else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) {
        onWindow(panned(window, sideways / width));
      } else return;
      event.preventDefault();
    };
    element.addEventListener('wheel', onWheel, { passive: false }); // React's own cannot keep the page from zooming
    return () => element.removeEventListener('wheel', onWheel);
  }, [frame]);
}
