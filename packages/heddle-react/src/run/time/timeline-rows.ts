// Timeline rows: a row for each node, in the order in which they were first entered; below one that runs in several
// branches, when it is open, a row for each branch. And what is drawn in a row: bars, and clusters where bars would overlap.

import type { Look } from '../../parts/status-mark.tsx';
import type { TimeScale } from './time-scale.ts';
import { endOf, isFailedSpan, lookOfSpan, type TimelineSpan } from './timeline-span.ts';

export interface TimelineRow {
  readonly key: string;
  readonly node: string;
  /** Null: the node's row, with the visits of all its branches. */
  readonly pathId: string | null;
  /** How many branches it stands for. */
  readonly branches: number;
  /** Null if there is nothing to open. */
  readonly isOpen: boolean | null;
  /** In the order in which they were ready. */
  readonly spans: readonly TimelineSpan[];
}

const byNumber = new Intl.Collator('en', { numeric: true });

export function rowsOf(spans: readonly TimelineSpan[], open: ReadonlySet<string>): readonly TimelineRow[] {
  const inOrder = spans.toSorted((a, b) => a.readyAt - b.readyAt || a.token - b.token);
  const rows: TimelineRow[] = [];
  for (const [node, own] of grouped(inOrder, 'node')) {
    const byPath = grouped(own, 'pathId');
    const branches = byPath.size;
    const isOpen = branches > 1 ? open.has(node) : null;
    rows.push({ key: node, node, pathId: null, branches, isOpen, spans: own });
    if (isOpen !== true) continue;
    const paths = [...byPath].toSorted(([a], [b]) => byNumber.compare(a, b));
    for (const [pathId, visits] of paths)
      rows.push({ key: `${node} ${pathId}`, node, pathId, branches: 1, isOpen: null, spans: visits });
  }
  return rows;
}

function grouped(spans: readonly TimelineSpan[], by: 'node' | 'pathId'): ReadonlyMap<string, readonly TimelineSpan[]> {
  const groups = new Map<string, TimelineSpan[]>();
  for (const span of spans) {
    const group = groups.get(span[by]);
    if (group) group.push(span);
    else groups.set(span[by], [span]);
  }
  return groups;
}

/** What of the scale is in view, from 0 to 1. */
export interface TimeWindow {
  readonly start: number;
  readonly end: number;
}

export interface Bar {
  /** In pixels, within the view. */
  readonly left: number;
  readonly width: number;
  /** One is drawn in parts; more are a cluster. */
  readonly spans: readonly TimelineSpan[];
  readonly look: Look;
  readonly failed: number;
}

export interface Viewport {
  readonly scale: TimeScale;
  readonly window: TimeWindow;
  readonly width: number;
  readonly now: number;
}

/** The narrowest thing that a pointer still meets. */
const barWidthMin = 6;

export const pixelOf = ({ scale, window, width }: Viewport, at: number): number =>
  ((scale.placeOf(at) - window.start) / (window.end - window.start)) * width;

/** Bars in view, from left to right. Those that would cover each other are one cluster, so that a row has a bounded number. */
export function barsOf(spans: readonly TimelineSpan[], viewport: Viewport): readonly Bar[] {
  const clusters: { left: number; right: number; spans: TimelineSpan[] }[] = [];
  for (const span of spans) {
    const left = pixelOf(viewport, span.readyAt);
    const right = pixelOf(viewport, endOf(span, viewport.now));
    if (right < 0 || left > viewport.width) continue;
    const last = clusters.at(-1);
    const isCovered = last !== undefined && left < Math.max(last.right - 0.5, last.left + barWidthMin);
    if (!isCovered) clusters.push({ left, right, spans: [span] });
    else {
      last.right = Math.max(last.right, right);
      last.spans.push(span);
    }
  }
  return clusters.map(({ left, right, spans: own }) => ({
    left,
    width: Math.max(right - left, barWidthMin),
    spans: own,
    look: lookOfAll(own),
    failed: own.filter(isFailedSpan).length,
  }));
}

/** What matters most in a cluster is what it looks like. */
const byImportance: readonly Look[] = ['failed', 'active', 'waiting', 'idle', 'cancelled', 'done'];

function lookOfAll(spans: readonly TimelineSpan[]): Look {
  const looks = new Set(spans.map(lookOfSpan));
  return byImportance.find((look) => looks.has(look)) ?? 'done';
}
