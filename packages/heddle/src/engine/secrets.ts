// Secrets: what whoever runs the engine does with secrets: set, list, remove. Nobody reads a value here.

import { slicedPage } from '../operations/pages.ts';
import type { Performers } from './performer.ts';

export const secretPerformers: Performers<'setSecret' | 'listSecrets' | 'removeSecret'> = {
  async setSecret({ outgoing }, { name, value, ...options }) {
    return outgoing.vault.set(name, value, options);
  },

  async listSecrets({ outgoing }, paging) {
    return slicedPage(await outgoing.vault.list(), paging, ({ name }) => name);
  },

  async removeSecret({ outgoing }, { name }) {
    return { removed: await outgoing.vault.remove(name) };
  },
};
