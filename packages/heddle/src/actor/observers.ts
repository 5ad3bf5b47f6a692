// Observers: whoever wants to know what has been committed. They are told after the commit and can change nothing; one
// that throws hurts nobody.

import type { Event } from '../core/events.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { RunRow } from './ports.ts';
import type { Staged } from './run-actor.ts';

export interface Sinks {
  /** Every event of every run, after its commit. */
  readonly onEvent?: (event: RunEvent) => void;
  /** How decisions came about, for runs that were started with `trace: true`. */
  readonly onTrace?: (event: TraceEvent & { readonly runId: string }) => void;
  /** What went wrong outside of any run's own doing: a run that could not be loaded, a trigger that could not fire. */
  readonly onError?: (error: Error, context: ErrorContext) => void;
}

/** What an error is about, where it is about a run or a trigger. */
export interface ErrorContext {
  readonly runId?: string;
  readonly triggerId?: string;
}

/** An event as users see it. */
export type RunEvent = Event & {
  readonly runId: string;
  /** Row and place in the journal, as `row.index`. */
  readonly id: string;
  readonly seq: number;
  readonly at: number;
};

type Watcher = (row: RunRow | null) => void;

export class Observers {
  private readonly sinks: Sinks;
  private readonly watchers = new Map<string, Set<Watcher>>();

  constructor(sinks: Sinks) {
    this.sinks = sinks;
  }

  /** Calls back after every commit of the run, and with null when the engine closes; the answer ends it. */
  watch(runId: string, watcher: Watcher): () => void {
    const watchers = this.watchers.get(runId) ?? new Set();
    this.watchers.set(runId, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.watchers.delete(runId);
    };
  }

  /** `rows` is how much the transaction wrote that it was part of. */
  tell({ actor, events, effects, journal, trace }: Staged, rows: number): void {
    const { row } = actor;
    if (journal && this.sinks.onEvent) {
      for (const [index, event] of events.entries())
        this.call(row.runId, () => this.sinks.onEvent?.(runEvent(row.runId, journal, index, event)));
    }
    for (const event of trace) this.trace(row.runId, event);
    if (journal && actor.state.run?.trace) {
      this.trace(row.runId, { type: 'sql.query', data: { operation: 'commit', rows } });
      this.trace(row.runId, {
        type: 'dispatch.batch.complete',
        data: { events: events.length, effects: effects.length },
      });
    }
    if (journal) this.tellRow(row);
  }

  /** Whoever waits for the run is told how it stands now. */
  tellRow(row: RunRow): void {
    for (const watcher of this.watchers.get(row.runId) ?? []) watcher(row);
  }

  /** RN13: whoever waits for a run hears when the engine closes. */
  close(): void {
    for (const watchers of this.watchers.values()) for (const watcher of watchers) watcher(null);
  }

  private trace(runId: string, event: TraceEvent): void {
    this.call(runId, () => this.sinks.onTrace?.({ ...event, runId }));
  }

  broken(error: unknown, context: ErrorContext = {}): void {
    try {
      this.sinks.onError?.(error instanceof Error ? error : new Error(String(error)), context);
    } catch {
      // The one place where an error is dropped: it is the error of whoever asked to be told of errors.
    }
  }

  /** RN11: an observer that fails is told to `onError`; there is nobody left to tell if that one fails. */
  private call(runId: string, observe: () => void): void {
    try {
      observe();
    } catch (error) {
      this.broken(error, { runId });
    }
  }
}

export function runEvent(
  runId: string,
  row: { readonly seq: number; readonly at: number },
  index: number,
  event: Event,
): RunEvent {
  return { ...event, runId, id: `${row.seq}.${index}`, seq: row.seq, at: row.at };
}
