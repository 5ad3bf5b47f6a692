// Record store: what stands beside the runs: prompts, events, triggers, accounts. Known by kind and key.
//
// A host's author must know: records are written by commits and deletions, over what is there and in their order; keys
// are compared and ordered as texts; what is due is found by an index, as the kinds may hold very many.

import type { Awaitable } from './awaitable.ts';

export interface RecordStore {
  readRecord(kind: string, key: string): Awaitable<RecordRow | null>;
  /** Ascending by key, of those that begin with `prefix` and come after `after`; damaged ones among them. */
  listRecords(kind: string, query: RecordQuery): Awaitable<readonly RecordRow[]>;
  /** Records of a kind whose `dueAt` is not after `at`, earliest first; damaged ones are not among them. */
  dueRecords(kind: string, at: number, limit: number): Awaitable<readonly RecordRow[]>;
  /** The earliest `dueAt` of a kind. */
  nextDueAt(kind: string): Awaitable<number | null>;
}

export interface RecordRow {
  readonly kind: string;
  readonly key: string;
  /** JSON text; empty, which is none, if the record was damaged. */
  readonly value: string;
  readonly dueAt: number | null;
}

/** A null value removes it. */
export interface RecordWrite {
  readonly kind: string;
  readonly key: string;
  readonly value: string | null;
  readonly dueAt: number | null;
}

export interface RecordQuery {
  readonly prefix?: string;
  readonly after?: string;
  readonly limit: number;
}
