// StoredDefinitions: the registered definitions as they were stored, one or page by page.

import { notRegistered, readDefinition } from '../actor/definitions.ts';
import type { DefinitionQuery, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { JsonObject } from '../base/json.ts';
import type { DefinitionListQuery, DefinitionSummary, StoredDefinition } from '../operations/definitions.ts';
import { checkOptions, refuseTexts } from './check-options.ts';

/** DV9: what was registered, to be registered elsewhere; without a version the latest. */
export async function findStored(store: Store, id: string, version: number | undefined): Promise<StoredDefinition> {
  refuseTexts([['the workflow', id]]);
  checkOptions('definition', { version }, { version: 'whole' });
  const row = await store.findDefinition(id, version ?? null);
  if (!row) throw new HeddleError('WORKFLOW_NOT_FOUND', notRegistered(id, version ?? null));
  const { hash, createdAt } = row;
  return { id, version: row.version, hash, createdAt, definition: readDefinition(row) as unknown as JsonObject };
}

export async function listStored(store: Store, query: DefinitionListQuery): Promise<readonly DefinitionSummary[]> {
  checkOptions('definitions', query, { id: 'text', after: 'text', limit: 'whole' });
  const rows = await store.listDefinitions(queryOf(query));
  return rows.map(({ id, version, hash, createdAt }) => ({ id, version, hash, createdAt }));
}

function queryOf({ id, after, limit = Number.MAX_SAFE_INTEGER }: DefinitionListQuery): DefinitionQuery {
  const place = after === undefined ? {} : { after: placeOf(after) };
  return { limit, ...(id === undefined ? {} : { id }), ...place };
}

function placeOf(after: string): { id: string; version: number } {
  const [, id, version] = /^(.+)@(\d{1,15})$/s.exec(after) ?? [];
  if (id !== undefined && version !== undefined) return { id, version: Number(version) };
  const message = `Expected the definition to go on after as id@version, but found ${after.slice(0, 40)}`;
  throw new HeddleError('CURSOR_INVALID', message);
}
