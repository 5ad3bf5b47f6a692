// Residents: the runs that are in memory. They come when something is asked of them and leave when they have nothing
// to do, so that a hundred thousand waiting runs cost rows, not memory. Rules RS….

import { HeddleError } from '../base/heddle-error.ts';
import { emptyState } from '../core/apply/apply.ts';
import type { RunStart } from '../core/events.ts';
import { hasWork } from '../core/run-class.ts';
import type { Graph } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import type { Definitions } from './definitions.ts';
import { notRegistered } from './definitions.ts';
import { loading } from './journal.ts';
import type { Clock, RunRow, Store, StoredRun } from './ports.ts';
import { quarantinedError } from './refusals.ts';
import { newRow, RunActor } from './run-actor.ts';
import { inSlices } from './slices.ts';
import { makeSnapshot } from './stored-snapshot.ts';
import { loadTraceLog, TraceLog } from './trace-log.ts';

export class Residents {
  readonly #store: Store;
  readonly #definitions: Definitions;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #actors = new Map<string, RunActor>();
  /** Those with nothing to do, longest idle first. */
  readonly #idle = new Map<string, RunActor>();

  constructor(store: Store, definitions: Definitions, limits: Limits, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#definitions = definitions;
    this.#limits = limits;
  }

  get size(): number {
    return this.#actors.size;
  }

  /** Whether the run is in memory and has not ended. */
  isUnderWay(runId: string): boolean {
    return this.#actors.get(runId)?.state.outcome === null;
  }

  has(runId: string): boolean {
    return this.#actors.has(runId);
  }

  get(runId: string): RunActor | undefined {
    if (this.#idle.size > 0) this.#idle.delete(runId);
    return this.#actors.get(runId);
  }

  /** A run that is about to start. */
  create(graph: Graph, start: RunStart, at: number): RunActor {
    const actor = new RunActor(graph, emptyState(), newRow(start, at), true);
    // TC10: the trace begins with the run, also with one that is restored from a snapshot.
    if (start.trace) actor.traceLog = new TraceLog(start.runId, graph.limits);
    this.#actors.set(start.runId, actor);
    return actor;
  }

  /** From the store, or what was read of it; null if there is no such run, the bare row if it never started (a tombstone). */
  async load(runId: string, read?: StoredRun | null): Promise<RunActor | RunRow | null> {
    const stored = read === undefined ? await this.#store.loadRun(runId) : read;
    if (!stored || stored.row.seq === 0) return stored?.row ?? null;
    const { row } = stored;
    // RS1: a run in quarantine is not touched until it is released.
    if (row.quarantine !== null) throw quarantinedError(runId, row.quarantine);
    const graph = await this.#definitions.find(row.workflow, row.version);
    if (!graph) throw new HeddleError('WORKFLOW_NOT_FOUND', notRegistered(row.workflow, row.version));
    const actor = new RunActor(graph, await inSlices(loading(this.#store, stored), this.#clock), row, false);
    const journalBytes = stored.journal.reduce((sum, { events }) => sum + events.length, 0);
    actor.snapshotBytes = stored.snapshot ? lengthOf(stored.snapshot) : (stored.journal[0]?.events.length ?? 0);
    actor.bytesSinceSnapshot = stored.snapshot ? journalBytes : journalBytes - actor.snapshotBytes;
    if (actor.state.run?.trace) actor.traceLog = await loadTraceLog(this.#store, row, graph.limits);
    this.#actors.set(runId, actor);
    return actor;
  }

  forget(runId: string): void {
    this.#actors.delete(runId);
    this.#idle.delete(runId);
  }

  /** What was planned on it will not be stored, or was planned by half. */
  drop(actor: RunActor): void {
    actor.isDropped = true;
    this.forget(actor.row.runId);
  }

  /** RS2: a run leaves memory when it has ended, or has no task and others were busy more recently. */
  release(actor: RunActor): void {
    const { runId } = actor.row;
    // RN28: what was planned on it is not durable yet.
    if (actor.batches > 0 || this.#actors.get(runId) !== actor) return;
    if (actor.state.outcome !== null) return this.forget(runId);
    if (hasWork(actor.state)) return;
    this.#idle.set(runId, actor);
    const [oldest] = this.#idle.keys();
    if (oldest !== undefined && this.#idle.size > this.#limits.idleRunsMax) this.forget(oldest);
  }

  /**
   * RS3: a snapshot is written once the events since the last one outweigh it. The first row is as good as one: it holds
   * the run's input, which every snapshot would hold again.
   */
  isSnapshotDue({ bytesSinceSnapshot, snapshotBytes, state, isDropped }: RunActor): boolean {
    const { snapshotEveryBytes } = this.#limits;
    const bytes = Math.max(snapshotBytes, state.tokens.size * bytesOfToken);
    const isLong = bytesSinceSnapshot >= Math.max(snapshotEveryBytes, 2 * bytes);
    return isLong && state.outcome === null && !isDropped;
  }

  async writeSnapshot(actor: RunActor): Promise<void> {
    const snapshot = await inSlices(makeSnapshot(this.#store, actor.row.runId, actor, actor.state), this.#clock);
    await this.#store.saveSnapshot(snapshot);
    actor.snapshotBytes = lengthOf(snapshot);
    actor.bytesSinceSnapshot = 0;
  }
}

/** What a live token adds to a snapshot, about: 333 in a fan-out of 10,000. */
const bytesOfToken = 300;

const lengthOf = ({ chunks }: { readonly chunks: readonly string[] }): number =>
  chunks.reduce((sum, chunk) => sum + chunk.length, 0);
