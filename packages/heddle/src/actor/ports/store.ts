// Store: everything that an engine keeps, by concern. A host's author implements it, and runs the conformance suite
// `hosts/store.testsuite.ts` over it.
//
// A host's author must know: what `commit` was given is durable, whole, when it returns, and a store never shows half of
// it. Everything that a store keeps is text and numbers that the actor made; a store decides nothing. What was changed
// since it was written is refused with a `StoreError` of code STORE_DAMAGED when it is read.

import type { Awaitable } from './awaitable.ts';
import type { DefinitionStore } from './definition-store.ts';
import type { Fence, Stamp } from './fence.ts';
import type { RecordStore } from './record-store.ts';
import type { Feed, RunLists } from './run-lists.ts';
import type { RunDeletion, RunStore, Undone } from './run-store.ts';

export interface Store extends RunStore, Undone, RunLists, Feed, RunDeletion, RecordStore, DefinitionStore {
  readonly artifacts: ArtifactStore;
  /** Which of several stores it is: a part of the ids that are made in it. One that stands alone is 0. */
  readonly shard?: number;
  /** Of a store that several processes can reach. */
  readonly fence?: Fence;
  /** What a store on a disk needs now and then; a store in memory has none. */
  readonly upkeep?: StoreUpkeep;
  /** Looks at all that is stored, without changing it: what was damaged since it was written. */
  findDamage(): Awaitable<readonly Damage[]>;
  /** Joins the journal's hash chain: the hash of a row from the row before it and its own bytes. */
  readonly hash: (text: string) => string;
  /** 32 bytes that stand outside the store's own data: what secrets are made with. The same as long as the store is. */
  secretKey(): Awaitable<Uint8Array>;
  close(): Awaitable<void>;
}

/** Bytes, known by their content: who may read them is not its matter. */
export interface ArtifactStore {
  /** Durable when it returns: the SHA-256 of the content, in hex. The bytes must not change meanwhile. */
  put(bytes: Uint8Array): Promise<string>;
  /** Checked against the id; null if there are none. */
  get(id: string): Promise<Uint8Array | null>;
  has(id: string): Promise<boolean>;
  /** Gone for good when it returns; nothing happens if there is none. Where the store has a fence it is a write like all others. */
  remove(id: string, stamp?: Stamp): Promise<void>;
  /** Ids in their order, after `after`. */
  list(after: string | null, limit: number): Promise<readonly string[]>;
}

/** The care of a file. */
export interface StoreUpkeep {
  sizes(): Promise<StoreSizes>;
  /** Gives free space back to the disk, at most `pages` of it; whether there is more to give back. */
  shrink(pages: number): Awaitable<boolean>;
  /** Writes the whole file anew, as small as it can be. Everything waits meanwhile. */
  vacuum(): Awaitable<void>;
  /** A copy that can be opened as a store, of one moment; everything continues meanwhile. */
  backup(path: string): Promise<void>;
}

export interface StoreSizes {
  readonly fileBytes: number;
  /** The log beside the file. */
  readonly walBytes: number;
  /** Inside the file, and given back by `shrink` or `vacuum`. */
  readonly freeBytes: number;
  readonly artifacts: { readonly count: number; readonly bytes: number; readonly isComplete: boolean };
}

/** Something in a store that is not as it was written. */
export interface Damage {
  /** Null if it is no run's. */
  readonly runId: string | null;
  readonly message: string;
}
