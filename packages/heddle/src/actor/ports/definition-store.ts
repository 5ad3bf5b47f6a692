// Definition store: the registered versions of workflows.
//
// A host's author must know: a version that was stored never changes; versions are checked before they are saved.

import type { Awaitable } from './awaitable.ts';
import type { Stamp } from './fence.ts';

export interface DefinitionStore {
  /** Refuses nothing. Durable when it returns. */
  saveDefinition(row: DefinitionRow, stamp?: Stamp): Awaitable<void>;
  /** The given version, or the latest. */
  findDefinition(id: string, version: number | null): Awaitable<DefinitionRow | null>;
  findDefinitionByHash(id: string, hash: string): Awaitable<DefinitionRow | null>;
  /** Ascending by id and version; without a query all of them. */
  listDefinitions(query?: DefinitionQuery): Awaitable<readonly DefinitionRow[]>;
}

export interface DefinitionRow {
  readonly id: string;
  readonly version: number;
  readonly hash: string;
  /** JSON text of the normalised definition. */
  readonly body: string;
  readonly createdAt: number;
}

export interface DefinitionQuery {
  readonly id?: string;
  /** The last of the page before. */
  readonly after?: { readonly id: string; readonly version: number };
  readonly limit: number;
}
