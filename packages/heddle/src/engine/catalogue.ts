// Catalogue: the node types that drawn graphs can have, for editors.

import { coreTypes, describeCore, describeType, type NodeTypeInfo } from '../dialects/catalogue/describe.ts';
import { askedPage } from '../operations/pages.ts';
import type { Performers } from './performer.ts';
import { namesIn } from './tasks.ts';

/** Actions that every engine has. */
const builtIns: Readonly<Record<string, Partial<NodeTypeInfo>>> = {
  'http.request': {
    title: 'HTTP request',
    description: 'Asks a server.',
    category: 'Web',
    icon: 'globe',
    source: 'core',
  },
  'core.echo': {
    title: 'Echo',
    description: 'Gives back its settings.',
    category: 'Trying out',
    source: 'core',
    sideEffects: false,
  },
  'core.fail': { title: 'Fail', description: 'Fails.', category: 'Trying out', source: 'core', sideEffects: false },
  'core.flaky': {
    title: 'Flaky',
    description: 'Fails a few times first.',
    category: 'Trying out',
    source: 'core',
    sideEffects: false,
  },
  'core.sleep': {
    title: 'Sleep',
    description: 'Takes its time.',
    category: 'Trying out',
    source: 'core',
    sideEffects: false,
  },
};

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
          const own = { entry, schemas: schemas(type), source } as const;
          return describeCore(type) ?? { ...describeType(type, own), ...builtIns[type] };
        }),
      ({ type }) => type,
    );
  },
};
