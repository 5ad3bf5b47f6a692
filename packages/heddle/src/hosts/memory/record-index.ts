// RecordIndex: the records of each kind, in the order of their keys and in that of their due times.
//
// Always true: a record stands in the order of its kind's keys, and in that of due times exactly if it has one. Keys are
// in the order of JavaScript's `<`, which the SQLite store keeps too: see `ordered-text.ts` there.

import type { RecordQuery, RecordRow, RecordWrite } from '../../actor/ports.ts';
import { type Entry, OrderedIndex } from './ordered-index.ts';

export class RecordIndex {
  readonly #kinds = new Map<string, Kind>();

  get(kind: string, key: string): RecordRow | null {
    return this.#kinds.get(kind)?.rows.get(key) ?? null;
  }

  write({ kind, key, value, dueAt }: RecordWrite): void {
    const records = this.#kinds.get(kind) ?? new Kind();
    this.#kinds.set(kind, records);
    if (value === null) records.remove(key);
    else records.set({ kind, key, value, dueAt });
  }

  list(kind: string, query: RecordQuery): readonly RecordRow[] {
    return this.#kinds.get(kind)?.list(query) ?? [];
  }

  due(kind: string, at: number, limit: number): readonly RecordRow[] {
    return this.#kinds.get(kind)?.due(at, limit) ?? [];
  }

  nextDueAt(kind: string): number | null {
    return this.#kinds.get(kind)?.byDue.first()?.rank ?? null;
  }
}

class Kind {
  readonly rows = new Map<string, RecordRow>();
  readonly byDue = new OrderedIndex();
  readonly #byKey = new OrderedIndex();

  set(row: RecordRow): void {
    this.#forgetDue(row.key);
    this.rows.set(row.key, row);
    this.#byKey.add(placeOf(row.key));
    if (row.dueAt !== null) this.byDue.add({ rank: row.dueAt, id: row.key });
  }

  remove(key: string): void {
    this.#forgetDue(key);
    if (this.rows.delete(key)) this.#byKey.remove(placeOf(key));
  }

  list({ prefix = '', after, limit }: RecordQuery): readonly RecordRow[] {
    const isAfterPrefix = after !== undefined && after >= prefix;
    const first = isAfterPrefix ? undefined : this.rows.get(prefix); // The walk below starts behind its place.
    const found = first === undefined ? [] : [first];
    for (const { id } of this.#byKey.ascending(placeOf(isAfterPrefix ? after : prefix))) {
      const row = this.rows.get(id);
      if (row === undefined || !id.startsWith(prefix) || found.length >= limit) break;
      found.push(row);
    }
    return found.slice(0, limit);
  }

  due(at: number, limit: number): readonly RecordRow[] {
    const found: RecordRow[] = [];
    for (const { rank, id } of this.byDue.ascending(null)) {
      const row = this.rows.get(id);
      if (row === undefined || rank > at || found.length >= limit) break;
      found.push(row);
    }
    return found;
  }

  #forgetDue(key: string): void {
    const dueAt = this.rows.get(key)?.dueAt ?? null;
    if (dueAt !== null) this.byDue.remove({ rank: dueAt, id: key });
  }
}

function placeOf(key: string): Entry {
  return { rank: 0, id: key };
}
