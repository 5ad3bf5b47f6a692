// LedgerRecords: the records that one turn of the ledger works on. Each is read once; changes are committed together.
//
// Always true: nothing is stored before `writes` is committed; a turn that is abandoned has changed nothing.

import type { RecordWrite, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';

/** What the ledger keeps, by kind. */
interface Entries {
  /** By organization. */
  readonly account: { readonly balance: number };
  /** By organization and run. */
  readonly reservation: Reservation;
  /** An answer that was given, by organization, run and token. */
  readonly grant: { readonly granted: boolean; readonly amount: number };
  /** One that had a key, by organization and that. */
  readonly deposit: { readonly amount: number };
}

type Kind = keyof Entries;

/** What a run has reserved in all and, once it has ended, spent. */
export interface Reservation {
  readonly runId: string;
  readonly reserved: number;
  /** Null until the run has ended. */
  readonly spent: number | null;
}

export class LedgerRecords {
  readonly #store: Store;
  /** By kind and key; null: there is none. */
  readonly #values = new Map<string, unknown>();
  readonly #changed = new Map<string, RecordWrite>();

  constructor(store: Store) {
    this.#store = store;
  }

  async read<K extends Kind>(kind: K, key: string): Promise<Entries[K] | null> {
    const place = placeOf(kind, key);
    if (!this.#values.has(place)) this.#values.set(place, await readValue(this.#store, kind, key));
    return this.#values.get(place) as Entries[K] | null; // `write` wrote it
  }

  write<K extends Kind>(kind: K, key: string, value: Entries[K]): void {
    const place = placeOf(kind, key);
    this.#values.set(place, value);
    this.#changed.set(place, { kind, key, value: JSON.stringify(value), dueAt: null });
  }

  get writes(): readonly RecordWrite[] {
    return [...this.#changed.values()];
  }
}

const placeOf = (kind: Kind, key: string): string => `${kind}:${key}`;

async function readValue(store: Store, kind: Kind, key: string): Promise<unknown> {
  const row = await store.readRecord(kind, key);
  if (row === null) return null;
  try {
    return JSON.parse(row.value);
  } catch (cause) {
    throw new HeddleError('RECORD_DAMAGED', `Expected the ${kind} ${key} to be JSON, but it is damaged`, { cause });
  }
}
