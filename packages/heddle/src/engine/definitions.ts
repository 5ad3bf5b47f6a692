// Definitions: what is registered, as it was stored, one or page by page.

import { notRegistered, type Registered } from '../actor/definitions.ts';
import type { DefinitionQuery, DefinitionRow } from '../actor/ports.ts';
import { inSlices, type Sliced } from '../actor/slices.ts';
import { stepsToLoad } from '../actor/turn-budget.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { NormalDefinition } from '../dialects/dialect.ts';
import type { ListedDefinition } from '../operations/definitions.ts';
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
        return inSlices(list(rows), host.clock);
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

/** DV11: a list says of each version what its author does, in short. */
function* list(rows: readonly DefinitionRow[]): Sliced<readonly ListedDefinition[]> {
  const listed: ListedDefinition[] = [];
  for (const { id, version, hash, createdAt, body } of rows) {
    // Most bodies are not read: what is not in the text is not in the definition.
    const isDescribed = body.includes('"description"');
    const { description } = isDescribed ? (JSON.parse(body) as NormalDefinition) : {}; // registered after it was parsed
    listed.push({ id, version, hash, createdAt, ...given({ description: description && shortened(description) }) });
    yield isDescribed ? stepsToLoad(body.length) : 1;
  }
  return listed;
}

const descriptionMax = 200;

/** Between two characters, not inside one that takes two places. */
function shortened(text: string): string {
  if (text.length <= descriptionMax) return text;
  return `${text.slice(0, descriptionMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

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
