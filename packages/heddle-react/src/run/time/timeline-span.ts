// Timeline span: one visit of a node as the timeline draws it: waiting in the queue, work, and waiting in between.

import type { Look } from '../../parts/status-mark.tsx';
import type { Stretch } from './time-scale.ts';

/** What is drawn of a visit. A `Span` of `heddle/journal` is one. */
export interface TimelineSpan {
  readonly token: number;
  readonly node: string;
  readonly pathId: string;
  readonly status: string;
  readonly readyAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly attempt: number;
  readonly attempts: readonly TimelineAttempt[];
  readonly error?: { readonly code: string; readonly message: string };
}

export interface TimelineAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: string;
}

/** A part of a bar. */
export interface SpanPart extends Stretch {
  readonly kind: 'queued' | 'working' | 'waiting';
  /** Work that came to nothing: the mark at its end. */
  readonly isFailed: boolean;
}

const looks: Readonly<Record<string, Look>> = {
  ready: 'idle',
  dispatched: 'active',
  completed: 'done',
  failed: 'failed',
  timed_out: 'failed',
  cancelled: 'cancelled',
};

/** Whatever else a token does, it waits. */
export const lookOfSpan = ({ status }: Pick<TimelineSpan, 'status'>): Look => looks[status] ?? 'waiting';

export const isFailedSpan = (span: Pick<TimelineSpan, 'status'>): boolean => lookOfSpan(span) === 'failed';

const failedOutcomes: ReadonlySet<string> = new Set(['failed', 'timed_out', 'lost', 'unavailable']);

export const endOf = ({ endedAt }: TimelineSpan, now: number): number => endedAt ?? now;

/** From ready to its end, without a hole: the queue, then its hand-outs, and waiting wherever nobody works on it. */
export function partsOf(span: TimelineSpan, now: number): readonly SpanPart[] {
  const end = endOf(span, now);
  const parts: SpanPart[] = [];
  let reached = span.readyAt;
  const goTo = (to: number, kind: SpanPart['kind'], isFailed = false): void => {
    if (to > reached || isFailed) parts.push({ from: reached, to: Math.max(to, reached), kind, isFailed });
    reached = Math.max(to, reached);
  };
  goTo(span.startedAt ?? end, 'queued');
  for (const { startedAt, endedAt, outcome } of span.attempts) {
    goTo(startedAt, 'waiting');
    goTo(endedAt ?? end, 'working', failedOutcomes.has(outcome));
  }
  goTo(end, 'waiting');
  return parts;
}

/** When something of a run works. Whoever only waits for a timer, a person or a worker does not. */
export function workingStretches(spans: readonly TimelineSpan[], now: number): readonly Stretch[] {
  return spans.flatMap((span) =>
    span.attempts.map(({ startedAt, endedAt }) => ({ from: startedAt, to: endedAt ?? endOf(span, now) })),
  );
}

export interface SpanTimes {
  readonly queuedMs: number;
  readonly workedMs: number;
  readonly waitedMs: number;
}

export function timesOf(span: TimelineSpan, now: number): SpanTimes {
  const parts = partsOf(span, now);
  const sum = (of: SpanPart['kind']): number =>
    parts.reduce((total, { from, to, kind }) => total + (kind === of ? to - from : 0), 0);
  return { queuedMs: sum('queued'), workedMs: sum('working'), waitedMs: sum('waiting') };
}
