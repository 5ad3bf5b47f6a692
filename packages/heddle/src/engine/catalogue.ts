// Catalogue: the node types that drawn graphs can have, for editors.

import { coreTypes, describeCore, describeType } from '../dialects/catalogue/describe.ts';
import { askedPage } from '../operations/pages.ts';
import type { Performers } from './performer.ts';
import { namesIn } from './tasks.ts';

export const cataloguePerformers: Performers<'listNodeTypes'> = {
  // CT1: the engine's own, those of the program and of workers, and all other actions, by their names.
  async listNodeTypes({ tasks, nodeTypes, schemas }, paging) {
    const local = tasks.localActions();
    const announced = new Set(tasks.office?.announcements.names());
    const names = new Set([...coreTypes, ...Object.keys(nodeTypes), ...local.keys(), ...announced]);
    return askedPage(
      paging,
      async (page) =>
        namesIn(names, page).map((type) => {
          const entry = Object.hasOwn(nodeTypes, type) ? nodeTypes[type] : undefined;
          const source = announced.has(type) && !local.has(type) ? 'workers' : 'program';
          return describeCore(type) ?? describeType(type, { entry, schemas: schemas(type), source });
        }),
      ({ type }) => type,
    );
  },
};
