// Nodes view: what became of each node of a drawing, in any dialect, counted visit by visit as the journal is read.
//
// Always true: `active + waiting` visits live; all others have ended as completed, failed or cancelled.

import type { Failure } from '../../base/failure.ts';
import { given } from '../../base/given.ts';
import type { Json } from '../../base/json.ts';
import type { TokenId } from '../events.ts';
import { type ClassicTokenStatus, classicTokenStatus } from './projections.ts';
import type { TokenView, TokenViewStatus } from './tokens.ts';

export type NodeStatus = 'idle' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';

export interface NodeView {
  readonly nodeId: string;
  readonly status: NodeStatus;
  /** How often it was entered. */
  readonly visits: number;
  /** The tries of all its visits. */
  readonly attempts: number;
  /** When it was first entered, in milliseconds since 1970. */
  readonly startedAt: number | null;
  /** When it was last left; null while something is in it. */
  readonly endedAt: number | null;
  /** The action that nobody has and a visit waits for, and since when. */
  readonly waitsFor?: NonNullable<TokenView['waitsFor']>;
  /** What the newest visit gave. */
  readonly output?: Json;
  /** Why the newest visit failed, or must be tried again. */
  readonly error?: Failure;
  /** What the author of its workflow has to say of the newest visit. The server says it: a fold evaluates nothing. */
  readonly summary?: string;
}

/** How many visits of a node stand how. */
export interface NodeCounts {
  /** Handed out, or ready to be. */
  readonly active: number;
  readonly waiting: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** How often it was decided that it will not run: a join over edges to which nothing came. */
  readonly skipped: number;
  /** Tokens that wait in it for others, at a join. They are no visits. */
  readonly arrivals: number;
}

/** A node with its counts, without its output: a drawing of many nodes has room for the one, not for the other. */
export interface NodeFigures extends Omit<NodeView, 'output'>, NodeCounts {}

type Count = keyof Omit<NodeCounts, 'skipped' | 'arrivals'>;

/** What of a run bears on all its nodes. */
export interface Bearing {
  /** Why the run failed, if it did. */
  readonly failure: Failure | null;
  /** Tasks are handed out one at a time: those that are next wait for their turn, maybe for long. */
  readonly oneAtATime: boolean;
}

export class NodeTally {
  readonly nodeId: string;
  /** How many visits have each status. */
  readonly #statuses = new Map<TokenViewStatus, number>();
  #visits = 0;
  #attempts = 0;
  #skipped = 0;
  #arrivals = 0;
  #startedAt: number | null = null;
  #lastEndedAt = 0;
  /** The newest visit, and what is known of it. */
  #newest: TokenId | null = null;
  #status: TokenViewStatus = 'ready';
  #output: Json | undefined;
  #error: Failure | undefined;
  /** Visits that wait for an action that nobody has. */
  #waitsFor: Map<TokenId, NonNullable<NodeView['waitsFor']>> | null = null;

  constructor(nodeId: string) {
    this.nodeId = nodeId;
  }

  enter(token: TokenId, at: number, { status, attempt }: { status: TokenViewStatus; attempt: number }): void {
    this.#visits++;
    this.#attempts += attempt;
    this.#startedAt ??= at;
    this.#count(status, 1);
    this.#newest = token;
    this.#status = status;
    this.#output = undefined;
    this.#error = undefined;
  }

  /** A visit stands otherwise than before. */
  move(token: TokenId, from: TokenViewStatus, to: TokenViewStatus): void {
    this.#count(from, -1);
    this.#count(to, 1);
    if (token === this.#newest) this.#status = to;
    if (from === 'waiting_for_action') this.#waitsFor?.delete(token);
  }

  leave(at: number): void {
    this.#lastEndedAt = Math.max(this.#lastEndedAt, at);
  }

  addAttempts(attempts: number): void {
    this.#attempts += attempts;
  }

  addArrivals(change: 1 | -1): void {
    this.#arrivals += change;
  }

  skip(): void {
    this.#skipped++;
  }

  setOutput(token: TokenId, output: Json): void {
    if (token === this.#newest) this.#output = output;
  }

  setError(token: TokenId, error: Failure): void {
    if (token === this.#newest) this.#error = error;
  }

  setAwaitedAction(token: TokenId, waitsFor: NonNullable<NodeView['waitsFor']>): void {
    this.#waitsFor ??= new Map();
    this.#waitsFor.set(token, waitsFor);
  }

  copy(): NodeTally {
    const copy = new NodeTally(this.nodeId);
    for (const [status, visits] of this.#statuses) copy.#statuses.set(status, visits);
    copy.#visits = this.#visits;
    copy.#attempts = this.#attempts;
    copy.#skipped = this.#skipped;
    copy.#arrivals = this.#arrivals;
    copy.#startedAt = this.#startedAt;
    copy.#lastEndedAt = this.#lastEndedAt;
    copy.#newest = this.#newest;
    copy.#status = this.#status;
    copy.#output = this.#output;
    copy.#error = this.#error;
    copy.#waitsFor = this.#waitsFor && new Map(this.#waitsFor);
    return copy;
  }

  view(bearing: Bearing): NodeView {
    const counts = this.counts(bearing);
    const isOver = counts.active + counts.waiting === 0;
    const view: NodeView = {
      nodeId: this.nodeId,
      status: this.#statusOf(counts),
      visits: this.#visits,
      attempts: this.#attempts,
      startedAt: this.#startedAt,
      endedAt: isOver && this.#visits > 0 ? this.#lastEndedAt : null,
      ...given({
        waitsFor: this.#firstAwaitedAction(),
        output: this.#output,
        error: tellsError.has(this.#status) ? this.#error : undefined,
      }),
    };
    return blame(view, bearing.failure);
  }

  figures(bearing: Bearing): NodeFigures {
    const { output: _, ...view } = this.view(bearing);
    return { ...view, ...this.counts(bearing) };
  }

  counts({ oneAtATime }: Bearing): NodeCounts {
    const counts = { active: 0, waiting: 0, completed: 0, failed: 0, cancelled: 0 };
    for (const [status, visits] of this.#statuses)
      counts[oneAtATime && status === 'ready' ? 'waiting' : countedAs[classicTokenStatus(status)]] += visits;
    return { ...counts, skipped: this.#skipped, arrivals: this.#arrivals };
  }

  // VW9: something running in a node counts before what waits in it, and that before the fate of the newest visit.
  #statusOf({ active, waiting }: NodeCounts): NodeStatus {
    if (active > 0) return 'running';
    if (waiting > 0) return 'waiting';
    return this.#visits === 0 ? 'idle' : words[countedAs[classicTokenStatus(this.#status)]];
  }

  #count(status: TokenViewStatus, change: 1 | -1): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + change);
  }

  #firstAwaitedAction(): NodeView['waitsFor'] {
    if (!this.#waitsFor || this.#waitsFor.size === 0) return undefined;
    const first = [...this.#waitsFor.keys()].reduce((least, token) => Math.min(least, token));
    return this.#waitsFor.get(first);
  }
}

/** Afterwards the error of a try that was followed by another says nothing. */
const tellsError: ReadonlySet<TokenViewStatus> = new Set(['failed', 'timed_out', 'retrying']);

const countedAs: Readonly<Record<ClassicTokenStatus, Count>> = {
  active: 'active',
  waiting_at_fan_in: 'waiting',
  waiting: 'waiting',
  completed: 'completed',
  cancelled: 'cancelled',
  failed: 'failed',
};

const words: Readonly<Record<Count, NodeStatus>> = {
  active: 'running',
  waiting: 'waiting',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** A node may fail its run without a visit that failed: nothing came in time, or nothing could follow. */
function blame(view: NodeView, failure: Failure | null): NodeView {
  if (view.status === 'failed' || failure?.nodeId !== view.nodeId) return view;
  return { ...view, status: 'failed', error: failure };
}
