// Spans: the visits of a run on a timeline: when each was ready, was begun, ended, and its attempts. Rule VW16.
//
// Always true: every visit that lives has its span; of those that have ended, the newest `spansMax` are kept one by one and
// the rest are added up by node. A span that has ended never changes again, so that copies share it.

import type { Failure } from '../../base/failure.ts';
import type { BranchRef, Event, EventOf, EventType, TokenId } from '../events.ts';
import type { TokenViewStatus } from './tokens.ts';

export interface Span {
  readonly token: TokenId;
  readonly node: string;
  /** The token it comes from; null for the root, and for what a retry has taken over. */
  readonly from: TokenId | null;
  readonly via: string | null;
  readonly branch: BranchRef;
  readonly pathId: string;
  readonly status: TokenViewStatus;
  /** What it does: of a node that only passes on, nothing. */
  readonly kind: SpanKind | null;
  /** In the queue from here on. */
  readonly readyAt: number;
  /** When it was first handed out, or began to wait; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The number of the newest attempt. */
  readonly attempt: number;
  /** Its hand-outs, of which the newest are kept. */
  readonly attempts: readonly SpanAttempt[];
  readonly childRunId?: string;
  /** Why its newest attempt failed, shortened. */
  readonly error?: Pick<Failure, 'code' | 'message'>;
}

export type SpanKind = 'task' | 'subworkflow' | 'timer' | 'input' | 'event' | 'batch';

/** One hand-out. */
export interface SpanAttempt {
  readonly attempt: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `lost`: whoever had it is gone. `unavailable`: nobody had its action. */
  readonly outcome: 'running' | 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'lost' | 'unavailable';
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One that lives. Its attempts are never altered in place: what was shown of it stays as it was. */
export interface LiveSpan extends Mutable<Span> {
  /** It was given an input: its work is its own, not taken over from the run that this one retries. */
  hasInput: boolean;
}

/** What spans that are no longer kept one by one add up to. */
export interface SpanTotals {
  readonly node: string;
  readonly spans: number;
  readonly failed: number;
  /** From ready to begun, and from there to the end. */
  readonly queuedMs: number;
  readonly workedMs: number;
  readonly longestMs: number;
  readonly firstReadyAt: number;
  readonly lastEndedAt: number;
}

const attemptsMax = 20;
const messageLengthMax = 300;

/** As much of it as thousands of spans may have. */
function shortened({ code, message }: Failure): Pick<Failure, 'code' | 'message'> {
  return { code, message: message.length > messageLengthMax ? `${message.slice(0, messageLengthMax - 1)}…` : message };
}

export class Spans {
  readonly #max: number;
  readonly #live = new Map<TokenId, LiveSpan>();
  /** A ring: the oldest is at `#next` once it is full. */
  #ended: Span[] = [];
  #next = 0;
  readonly #totals = new Map<string, SpanTotals>();

  constructor(max: number) {
    this.#max = max;
  }

  open(span: LiveSpan): void {
    this.#live.set(span.token, span);
  }

  find(token: TokenId): LiveSpan | undefined {
    return this.#live.get(token);
  }

  close(span: LiveSpan): void {
    this.#live.delete(span.token);
    if (this.#ended.length < this.#max) this.#ended.push(view(span));
    else if (this.#max === 0) this.#addUp(span);
    else {
      // VW16: the oldest makes room, and is added to what its node came to.
      this.#addUp(this.#ended[this.#next] as Span); // the ring is full
      this.#ended[this.#next] = view(span);
      this.#next = (this.#next + 1) % this.#max;
    }
  }

  /** Those that have ended, in that order, then those that live, in the order of their creation. */
  *list(): Generator<Span> {
    const ended = this.#ended.length;
    for (let place = 0; place < ended; place++) yield this.#ended[(this.#next + place) % ended] as Span; // within the ring
    for (const span of this.#live.values()) yield view(span);
  }

  totals(): readonly SpanTotals[] {
    return [...this.#totals.values()];
  }

  copy(): Spans {
    const copy = new Spans(this.#max);
    for (const [token, span] of this.#live) copy.#live.set(token, { ...span });
    copy.#ended = [...this.#ended];
    copy.#next = this.#next;
    for (const [node, totals] of this.#totals) copy.#totals.set(node, totals);
    return copy;
  }

  #addUp({ node, readyAt, startedAt, endedAt, status }: Omit<Span, 'attempts'>): void {
    const end = endedAt ?? readyAt;
    const begun = startedAt ?? end;
    const before = this.#totals.get(node);
    this.#totals.set(node, {
      node,
      spans: (before?.spans ?? 0) + 1,
      failed: (before?.failed ?? 0) + Number(status === 'failed' || status === 'timed_out'),
      queuedMs: (before?.queuedMs ?? 0) + begun - readyAt,
      workedMs: (before?.workedMs ?? 0) + end - begun,
      longestMs: Math.max(before?.longestMs ?? 0, end - begun),
      firstReadyAt: Math.min(before?.firstReadyAt ?? readyAt, readyAt),
      lastEndedAt: Math.max(before?.lastEndedAt ?? end, end),
    });
  }
}

type Followers = { readonly [T in EventType]?: (span: LiveSpan, event: EventOf<T>, at: number) => void };

const followers: Followers = {
  'task.dispatched': (span, { attempt, input }, at) => {
    span.hasInput ||= input !== undefined;
    beginAttempt(span, 'task', attempt, at);
  },
  'subworkflow.dispatched': (span, { attempt, childRunId }, at) => {
    span.hasInput = true;
    span.childRunId = childRunId;
    beginAttempt(span, 'subworkflow', attempt, at);
  },
  'task.completed': (span, _, at) => endAttempt(span, 'completed', at),
  'subworkflow.completed': (span, { status }, at) =>
    endAttempt(span, status === 'completed' ? 'completed' : 'failed', at),
  'task.attempt_failed': failAttempt,
  'task.failed': failAttempt,
  'tasks.lost': (span, _, at) => endAttempt(span, 'lost', at),
  'tokens.cancelled': (span, _, at) => endAttempt(span, 'cancelled', at),
  'subworkflow.timed_out': (span, _, at) => endAttempt(span, 'timed_out', at),
  'tokens.timed_out': (span, _, at) => endAttempt(span, 'timed_out', at),
  'input.requested': (span, _, at) => begin(span, 'input', at),
  'event.awaited': (span, _, at) => begin(span, 'event', at),
  'token.waiting': (span, event, at) => {
    if (event.for === 'action') endAttempt(span, 'unavailable', at);
    if (event.for === 'timer' || event.for === 'batch') begin(span, event.for, at);
  },
};

/** What an event about a living span adds to it. Its status and end follow from the state. */
export function followSpan(span: LiveSpan, event: Event, at: number): void {
  const follow = followers[event.type] as ((span: LiveSpan, event: Event, at: number) => void) | undefined; // that of its type
  follow?.(span, event, at);
}

function failAttempt(span: LiveSpan, { error }: EventOf<'task.attempt_failed' | 'task.failed'>, at: number): void {
  span.error = shortened(error);
  endAttempt(span, 'failed', at);
}

/** It is handed out, or waits for something. */
function begin(span: LiveSpan, kind: SpanKind, at: number): void {
  span.kind ??= kind;
  span.startedAt ??= at;
}

function beginAttempt(span: LiveSpan, kind: 'task' | 'subworkflow', attempt: number, at: number): void {
  begin(span, kind, at);
  span.attempt = attempt;
  const begun: SpanAttempt = { attempt, startedAt: at, endedAt: null, outcome: 'running' };
  span.attempts = [...span.attempts.slice(1 - attemptsMax), begun];
}

function endAttempt(span: LiveSpan, outcome: SpanAttempt['outcome'], at: number): void {
  const last = span.attempts.at(-1);
  if (last?.outcome !== 'running') return;
  span.attempts = [...span.attempts.slice(0, -1), { ...last, outcome, endedAt: at }];
}

function view({ hasInput: _, ...span }: LiveSpan): Span {
  return span;
}
