// Trace office: goes through what was committed, in order, and sends the spans of every run that has ended. Rules OT….
//
// Always true: how far it has come is stored after what lies before was taken, so that a crash sends some spans again,
// under the same ids, and leaves none out; it reads no further while nobody takes them, so that it holds one batch.

import { Background } from '../actor/background.ts';
import type { Definitions } from '../actor/definitions.ts';
import { chainHash, readVerified } from '../actor/journal.ts';
import type { Observers } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { Clock, FeedRow, RecordWrite, Store } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { readEvents } from '../core/read-events.ts';
import { terminalEvents, terminalStatuses } from '../core/views/status.ts';
import type { Graph } from '../definition/graph.ts';
import { Collector } from './collector.ts';
import type { Span } from './span.ts';
import { SpanFold } from './spans-of.ts';
import type { TraceOptions } from './trace-options.ts';

export interface TraceOfficeOptions extends TraceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly observers: Observers;
  readonly definitions: Pick<Definitions, 'find'>;
}

export const tracesAddress = '@traces';
const cursorKind = 'trace-cursor';
const feedRowsPerPage = 500;
const journalRowsPerPage = 200;
const spansPerRequest = 512;
/** So many rows that end nothing are read again after a crash, which saves storing the cursor for each. */
const cursorEvery = 2_000;

/** Saves parsing rows that end nothing. */
const ending = new RegExp(`"type":"workflow\\.(${terminalStatuses.join('|')})"`);

export class TraceOffice implements Office {
  readonly #options: TraceOfficeOptions;
  readonly #background: Background;
  readonly #collector: Collector;
  #position = 0;
  #storedPosition = 0;
  #isWanted = false;
  #isReading = false;
  #isSending = false;
  #reading: Promise<void> = Promise.resolve();
  readonly #idleWaiters: (() => void)[] = [];

  constructor(options: TraceOfficeOptions) {
    this.#options = options;
    const { store, clock, observers } = options;
    this.#background = new Background(store, clock, (error, context) => observers.broken(error, context));
    this.#collector = new Collector({ ...options, report: (error) => this.#background.report(error) });
  }

  get counts(): { readonly exported: number; readonly dropped: number } {
    return this.#collector;
  }

  /** Before any run resumes: the first time, from here on; later, from where the process before it had come to. */
  async load(): Promise<void> {
    const { store } = this.#options;
    const row = await store.readRecord(cursorKind, '');
    if (row !== null)
      this.#position = (valueOf(row) as { position: number }).position; // as `cursorAt` wrote it
    else {
      this.#position = await store.feedEnd();
      await store.commit(sideCommit({ records: [cursorAt(this.#position)] }));
    }
    this.#storedPosition = this.#position;
  }

  /** Goes on with what an earlier process left. */
  recover(): void {
    this.#options.observers.watchCommits((isOpen) => isOpen && this.#wake());
    this.#wake();
  }

  /** Nothing is sent to it. */
  receive(): void {
    this.#background.report(new HeddleError('MESSAGE_UNKNOWN', 'Expected no message for traces, but one came'));
  }

  /** Waiting for a collector is no work of the engine. */
  get isIdle(): boolean {
    return this.#background.isIdle && (!this.#isReading || this.#isSending);
  }

  get isOwing(): boolean {
    return this.#background.isOwing;
  }

  async whenIdle(): Promise<void> {
    await this.#background.whenIdle();
    if (!this.isIdle) await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  async close(): Promise<void> {
    this.#collector.close();
    await this.#background.close();
    await this.#reading.catch(() => undefined); // whoever began it was told
  }

  #wake(): void {
    this.#isWanted = true;
    if (!this.#isReading && !this.#background.isClosed) void this.#background.tryNow(() => this.#readAll());
  }

  #readAll(): Promise<void> {
    if (!this.#isReading) this.#reading = this.#readToEnd();
    return this.#reading;
  }

  async #readToEnd(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isWanted && !this.#background.isClosed) {
        this.#isWanted = false;
        const end = await this.#options.store.feedEnd();
        while (this.#position < end && !this.#background.isClosed) await this.#readPage();
      }
    } catch (error) {
      this.#isWanted = true;
      throw error;
    } finally {
      this.#isReading = false;
      this.#tellIdle();
    }
  }

  async #readPage(): Promise<void> {
    const { rows, position } = await this.#options.store.readFeed({ after: this.#position, limit: feedRowsPerPage });
    const batch: Span[] = [];
    for (const row of rows.filter((one) => this.#isEnd(one))) {
      if (this.#background.isClosed) return;
      batch.push(...(await this.#readSpans(row.runId)));
      if (batch.length >= spansPerRequest && !(await this.#send(batch.splice(0)))) return;
    }
    if (batch.length > 0 && !(await this.#send(batch))) return;
    const isFar = position - this.#storedPosition >= cursorEvery;
    if (isFar || rows.some(({ events }) => ending.test(events))) {
      await this.#background.commit({ records: [cursorAt(position)] });
      this.#storedPosition = position;
    }
    this.#position = Math.max(position, this.#position);
  }

  /** One that was changed tells nothing that can be believed. */
  #isEnd(row: FeedRow): boolean {
    if (!ending.test(row.events)) return false;
    if (chainHash(this.#options.store.hash, row.before, row) !== row.hash) return false;
    return readEvents(row.events).some(({ type }) => terminalEvents.has(type));
  }

  /** None of a run that has been deleted, or whose journal was damaged. */
  async #readSpans(runId: string): Promise<readonly Span[]> {
    const { store, definitions } = this.#options;
    const fold = new SpanFold();
    try {
      for (let fromSeq = 1; ; ) {
        const rows = await readVerified(store, runId, { fromSeq, limit: journalRowsPerPage });
        for (const { at, events } of rows) for (const event of readEvents(events)) fold.add(at, event);
        fromSeq += rows.length;
        if (rows.length < journalRowsPerPage) break;
      }
      const { definition, retryOf } = fold;
      const graph = definition === null ? null : await definitions.find(definition.workflow, definition.version);
      const retried = retryOf === null ? null : await store.readRun(retryOf);
      const retriedRootRunId = retried?.rootRunId ?? null;
      return fold.spans({ actionOf: (node) => actionOf(graph, node), retriedRootRunId });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== 'STORE_DAMAGED') throw error;
      this.#background.report(error, { runId });
      return [];
    }
  }

  async #send(spans: readonly Span[]): Promise<boolean> {
    this.#isSending = true;
    this.#tellIdle();
    try {
      for (let at = 0; at < spans.length; at += spansPerRequest)
        if (!(await this.#collector.send(spans.slice(at, at + spansPerRequest)))) return false;
      return true;
    } finally {
      this.#isSending = false;
    }
  }

  #tellIdle(): void {
    if (this.isIdle) for (const waiter of this.#idleWaiters.splice(0)) waiter();
  }
}

function actionOf(graph: Graph | null, nodeId: string): string | null {
  const work = graph?.nodes.get(nodeId)?.work;
  return work?.type === 'action' ? work.name : null;
}

function cursorAt(position: number): RecordWrite {
  return { kind: cursorKind, key: '', value: JSON.stringify({ position }), dueAt: null };
}
