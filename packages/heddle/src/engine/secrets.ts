// Secrets: what whoever runs the engine does with secrets: set, list, remove. Nobody reads a value here.

import { slicedPage } from '../operations/pages.ts';
import type { Performers } from './performer.ts';

export const secretPerformers: Performers<'setSecret' | 'listSecrets' | 'removeSecret'> = {
  async setSecret({ reach }, { name, value, ...options }) {
    return reach.vault.set(name, value, options);
  },

  async listSecrets({ reach }, paging) {
    return slicedPage(await reach.vault.list(), paging, ({ name }) => name);
  },

  async removeSecret({ reach }, { name }) {
    return { removed: await reach.vault.remove(name) };
  },
};
