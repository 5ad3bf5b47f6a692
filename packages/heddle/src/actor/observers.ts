// Observers: listeners to what has been committed. They are notified after the commit and can change nothing; one
// that throws hurts nobody.

import type { Json } from '../base/json.ts';
import type { Event, TokenId } from '../core/events.ts';
import { type RunEvent, runEvent } from '../core/run-event.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { RunRow } from './ports.ts';
import type { Staged } from './run-actor.ts';
import { makeTrace } from './trace-log.ts';

export interface Sinks {
  /** Every event of every run, after its commit. */
  readonly onEvent?: (event: RunEvent) => void;
  /** What every command came to, after its commit: the same events, with the run that they are of. */
  readonly onCommit?: (committed: Committed) => void;
  /** How decisions came about, for runs that were started with `trace: true`; whole, also where less is kept. */
  readonly onTrace?: (event: TraceEvent & { readonly runId: string }) => void;
  /** How far a task says that it is. Not journaled: a listener that is not there misses it. */
  readonly onProgress?: (progress: TaskProgress) => void;
  /** What went wrong outside of any run's own doing: a run that could not be loaded, a trigger that could not fire. */
  readonly onError?: (error: Error, context: ErrorContext) => void;
}

/** What one command came to. */
export interface Committed {
  readonly row: RunRow;
  readonly at: number;
  readonly events: readonly Event[];
  /** What a token that is running does; null if it does nothing, or has gone. */
  readonly actionOf: (token: TokenId) => string | null;
}

/** How far a task is, in its own words. */
export interface Progress {
  /** When it said so. */
  readonly at: number;
  /** From 0 to 1. */
  readonly fraction: number | null;
  readonly message: string | null;
  readonly details: Json | null;
}

export interface TaskProgress extends Progress {
  readonly runId: string;
  readonly tokenId: number;
  readonly nodeId: string;
}

/** What an error is about, where it is about a run or a trigger. */
export interface ErrorContext {
  readonly runId?: string;
  readonly triggerId?: string;
}

type Watcher = (row: RunRow | null) => void;
/** False when the engine closes. */
type CommitWatcher = (isOpen: boolean) => void;

export class Observers {
  readonly #sinks: Sinks;
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #commitWatchers = new Set<CommitWatcher>();
  readonly #progressWatchers = new Set<(progress: TaskProgress) => void>();
  #isTellingCommit = false;

  constructor(sinks: Sinks) {
    this.#sinks = sinks;
  }

  /** Calls back after every commit of the run, and with null when the engine closes; the answer ends it. */
  watch(runId: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(watcher));
    return () => {
      // Whoever ends it twice takes nothing from those that have come since.
      if (watchers.delete(watcher) && watchers.size === 0) this.#watchers.delete(runId);
    };
  }

  /** Calls back after every commit of any run, and when the engine closes; the answer ends it. */
  watchCommits(watcher: CommitWatcher): () => void {
    this.#commitWatchers.add(watcher);
    return () => void this.#commitWatchers.delete(watcher);
  }

  /** Calls back when a task tells how far it is; the answer ends it. */
  watchProgress(watcher: (progress: TaskProgress) => void): () => void {
    this.#progressWatchers.add(watcher);
    return () => void this.#progressWatchers.delete(watcher);
  }

  /** `rows` is how much the transaction wrote that it was part of. */
  tell(staged: Staged, rows: number): void {
    const { actor, row, events, journal } = staged;
    if (journal && this.#sinks.onEvent) {
      for (const [index, event] of events.entries())
        this.call(row.runId, () => this.#sinks.onEvent?.(runEvent(row.runId, journal, index, event)));
    }
    if (journal && this.#sinks.onCommit) {
      const actionOf = (token: TokenId): string | null => {
        const work = actor.graph.nodes.get(actor.state.tokens.get(token)?.node ?? '')?.work;
        return work?.type === 'action' ? work.name : null;
      };
      this.call(row.runId, () => this.#sinks.onCommit?.({ row, at: journal.at, events, actionOf }));
    }
    if (this.#sinks.onTrace) for (const event of makeTrace(staged, rows)) this.#trace(row.runId, event);
    if (journal) this.tellRow(row);
  }

  /** Those who wait for the run are notified of its status. */
  tellRow(row: RunRow): void {
    for (const watcher of this.#watchers.get(row.runId) ?? []) watcher(row);
    if (this.#commitWatchers.size > 0) this.#tellCommit();
  }

  /** Once for all that was committed together. */
  #tellCommit(): void {
    if (this.#isTellingCommit) return;
    this.#isTellingCommit = true;
    queueMicrotask(() => {
      this.#isTellingCommit = false;
      for (const watcher of this.#commitWatchers) watcher(true);
    });
  }

  /** A task tells how far it is. */
  progress(progress: TaskProgress): void {
    if (this.#sinks.onProgress) this.call(progress.runId, () => this.#sinks.onProgress?.(progress));
    for (const watcher of this.#progressWatchers) watcher(progress);
  }

  /** RN13: those who wait for a run are notified when the engine closes. */
  close(): void {
    for (const watchers of this.#watchers.values()) for (const watcher of watchers) watcher(null);
    for (const watcher of this.#commitWatchers) watcher(false);
  }

  #trace(runId: string, event: TraceEvent): void {
    this.call(runId, () => this.#sinks.onTrace?.({ ...event, runId }));
  }

  broken(error: unknown, context: ErrorContext = {}): void {
    try {
      this.#sinks.onError?.(error instanceof Error ? error : new Error(String(error)), context);
    } catch {
      // The one place where an error is dropped: it is the error of whoever asked to be told of errors.
    }
  }

  /** RN11: an observer that fails is reported to `onError`; there is nobody left to tell if that one fails. */
  call(runId: string, observe: () => void): void {
    try {
      observe();
    } catch (error) {
      this.broken(error, { runId });
    }
  }
}
