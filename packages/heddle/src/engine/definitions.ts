// Definitions: what is registered, as it was stored, one or page by page.

import { notRegistered, type Registered } from '../actor/definitions.ts';
import type { DefinitionQuery } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { askedPage } from '../operations/pages.ts';
import type { Paging } from '../operations/parts.ts';
import type { Performers } from './performer.ts';

export const definitionPerformers: Performers<
  'registerDefinition' | 'validateDefinition' | 'listDefinitions' | 'getDefinition'
> = {
  async registerDefinition({ host }, { definition }) {
    return refuseInvalid(await host.definitions.register(definition, host.clock.now()));
  },

  validateDefinition({ host }, { definition }) {
    return { problems: host.definitions.parse(definition).problems };
  },

  listDefinitions({ host }, { id, ...paging }) {
    const where = id === undefined ? {} : { id };
    return askedPage(
      paging,
      async (page) => {
        const rows = await host.store.listDefinitions({ ...where, ...placeIn(page) });
        return rows.map(({ id: name, version, hash, createdAt }) => ({ id: name, version, hash, createdAt }));
      },
      (row) => `${row.id}@${row.version}`,
    );
  },

  /** DV9: what was registered, to be registered elsewhere, in its normal form or as it was drawn; without a version the latest. */
  async getDefinition({ host }, { id, version }) {
    const row = await host.store.findDefinition(id, version ?? null);
    if (!row) throw new HeddleError('WORKFLOW_NOT_FOUND', notRegistered(id, version ?? null));
    const { hash, createdAt } = row;
    return { id, version: row.version, hash, createdAt, definition: await host.definitions.asSaved(row) };
  },
};

/** HT8: a definition with errors is refused with all of them, and nothing is stored. */
export function refuseInvalid(registered: Registered): Registered {
  if (registered.version !== null) return registered;
  const { problems, id } = registered;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const message = `Expected a definition without errors, but it has ${errors}`;
  throw new HeddleError('DEFINITION_INVALID', message, { problems, details: { id } });
}

function placeIn({ after, limit }: Paging & { readonly limit: number }): Pick<DefinitionQuery, 'after' | 'limit'> {
  if (after === undefined) return { limit };
  const [, id, version] = /^(.+)@(\d{1,15})$/s.exec(after) ?? [];
  if (id !== undefined && version !== undefined) return { limit, after: { id, version: Number(version) } };
  const message = `Expected the definition to continue after as id@version, but found ${after.slice(0, 40)}`;
  throw new HeddleError('CURSOR_INVALID', message);
}
