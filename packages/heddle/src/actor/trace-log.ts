// Trace log: the trace events of one run that was started with `trace: true`, kept as records beside its journal and
// written in the same commit. Rules TC….
//
// A record `<run>/<row>` holds the trace events of one journal row; `<run>/~`, which sorts last, says how many were
// dropped. Always true: every journal row has its record until `traceBytesMax` is reached, and none has one after that.

import type { Json } from '../base/json.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Limits } from '../definition/limits.ts';
import type { JournalRow, RecordRow, RecordWrite, Store } from './ports.ts';
import { valueOf } from './record-value.ts';
import type { Staged } from './run-actor.ts';
import { sideCommit } from './side-writer.ts';

export const traceKind = 'trace';

/** A trace event as it is read. */
export interface RunTraceEvent {
  /** `trace.dropped` is the last event of a trace that reached its limit. */
  readonly type: TraceEvent['type'] | 'trace.dropped';
  readonly data: TraceEvent['data'];
  /** Members of `data` that were too large: each is the beginning of its JSON text, which had so many characters. */
  readonly cut?: Readonly<Record<string, number>>;
  readonly runId: string;
  /** The row of the journal that it explains, and its place among the trace events of that row, as `row.index`. */
  readonly id: string;
  readonly seq: number;
  readonly at: number;
}

interface TraceRow {
  readonly at: number;
  /** JSON text of this row's events and of all before them. */
  readonly bytes: number;
  readonly events: readonly Pick<RunTraceEvent, 'type' | 'data' | 'cut'>[];
}

/** How many events were dropped, and the place and the time of the newest. */
interface DroppedRow {
  readonly dropped: number;
  readonly seq: number;
  readonly index: number;
  readonly at: number;
}

type TraceLimits = Pick<Limits, 'traceBytesMax' | 'traceValueBytesMax'>;
type Place = Pick<JournalRow, 'seq' | 'at'>;

export class TraceLog {
  readonly #runId: string;
  readonly #limits: TraceLimits;
  /** JSON text that is kept. */
  #bytes: number;
  #dropped: number;

  constructor(runId: string, limits: TraceLimits, { bytes = 0, dropped = 0 } = {}) {
    this.#runId = runId;
    this.#limits = limits;
    this.#bytes = bytes;
    this.#dropped = dropped;
  }

  /** What is written beside a journal row. */
  write({ seq, at }: Place, events: readonly TraceEvent[]): RecordWrite[] {
    const kept = this.#keep(events);
    const rows: RecordWrite[] = [];
    if (kept.length > 0) {
      const value = `{"at":${at},"bytes":${this.#bytes},"events":[${kept.join(',')}]}`;
      rows.push({ kind: traceKind, key: rowKey(this.#runId, seq), value, dueAt: null });
    }
    this.#dropped += events.length - kept.length;
    if (this.#dropped === 0) return rows;
    const mark: DroppedRow = { dropped: this.#dropped, seq, index: events.length - 1, at };
    rows.push({ kind: traceKind, key: droppedKey(this.#runId), value: JSON.stringify(mark), dueAt: null });
    return rows;
  }

  /** TC3: the oldest events are kept, up to `traceBytesMax`; once one was dropped, so are all that follow. */
  #keep(events: readonly TraceEvent[]): string[] {
    const kept: string[] = [];
    for (const event of this.#dropped > 0 ? [] : events) {
      const text = writeEvent(event, this.#limits.traceValueBytesMax);
      if (this.#bytes + text.length > this.#limits.traceBytesMax) break;
      this.#bytes += text.length;
      kept.push(text);
    }
    return kept;
  }
}

/** TC4: of a value whose JSON text exceeds `traceValueBytesMax` the beginning of that text is kept, and its length. */
function writeEvent(event: TraceEvent, valueBytesMax: number): string {
  const text = JSON.stringify(event);
  if (text.length <= valueBytesMax) return text;
  const data: Record<string, Json> = {};
  const cut: Record<string, number> = {};
  for (const [name, value] of Object.entries(event.data)) {
    const whole = JSON.stringify(value);
    const isCut = whole.length > valueBytesMax;
    data[name] = isCut ? whole.slice(0, valueBytesMax) : value;
    if (isCut) cut[name] = whole.length;
  }
  return Object.keys(cut).length === 0 ? text : JSON.stringify({ type: event.type, data, cut });
}

/** TC1: a journal row of a traced run is explained by how planning decided it, and by what its commit wrote and asked for. */
export function makeTrace({ actor, journal, trace, events, effects }: Staged, rows: number): readonly TraceEvent[] {
  if (journal === null || actor.traceLog === null) return trace;
  return [
    ...trace,
    { type: 'sql.query', data: { operation: 'commit', rows } },
    { type: 'dispatch.batch.complete', data: { events: events.length, effects: effects.length } },
  ];
}

/** TC5: a run that is loaded again continues its trace where it stopped, within the same limit. */
export async function loadTraceLog(
  store: Store,
  { runId, seq }: { readonly runId: string; readonly seq: number },
  limits: TraceLimits,
): Promise<TraceLog> {
  const newest = await store.listRecords(traceKind, { ...rowsFrom(runId, seq), limit: 2 });
  let [bytes, dropped] = [0, 0];
  for (const row of newest.map(countsIn)) {
    bytes = row.bytes ?? bytes;
    dropped = row.dropped ?? dropped;
  }
  return new TraceLog(runId, limits, { bytes, dropped });
}

/** A damaged record costs the count, never the run. */
function countsIn(record: RecordRow): Partial<TraceRow & DroppedRow> {
  try {
    return valueOf(record) as TraceRow | DroppedRow; // `TraceLog` wrote it
  } catch {
    return {};
  }
}

/** TC8: a trace goes with its run. Removes at most `limit` rows of one whose run is gone; whether nothing is left. */
export async function removeTrace(store: Store, runId: string, limit: number): Promise<boolean> {
  const rows = await store.listRecords(traceKind, { prefix: tracePrefix(runId), limit });
  const records = rows.map(({ kind, key }) => ({ kind, key, value: null, dueAt: null }));
  if (records.length > 0) await store.commit(sideCommit({ records }));
  return rows.length < limit;
}

/** Where the records of a run are, from a row of its journal on. */
export function rowsFrom(runId: string, seq: number): { readonly prefix: string; readonly after: string } {
  return { prefix: tracePrefix(runId), after: rowKey(runId, seq - 1) };
}

export const tracePrefix = (runId: string): string => `${runId}/`;
const rowKey = (runId: string, seq: number): string => `${tracePrefix(runId)}${String(seq).padStart(15, '0')}`;
export const droppedKey = (runId: string): string => `${tracePrefix(runId)}~`;

/** The run whose record it is. */
export const runIdIn = ({ key }: RecordRow): string => key.slice(0, key.indexOf('/'));

/** The events of a record, from a place on. */
export function* traceEventsIn(record: RecordRow, fromIndex: number): Iterable<RunTraceEvent> {
  const runId = runIdIn(record);
  if (record.key === droppedKey(runId)) {
    const { dropped, seq, index, at } = valueOf(record) as DroppedRow; // `TraceLog` wrote it
    const data = { events: dropped, limit: 'traceBytesMax' };
    yield { type: 'trace.dropped', data, runId, id: `${seq}.${index}`, seq, at };
    return;
  }
  const seq = seqIn(record);
  const { at, events } = valueOf(record) as TraceRow; // so is this
  for (const [index, event] of events.entries())
    if (index >= fromIndex) yield { ...event, runId, id: `${seq}.${index}`, seq, at };
}

/** NaN for the record that says how many were dropped. */
export const seqIn = ({ key }: RecordRow): number => Number(key.slice(key.indexOf('/') + 1));
