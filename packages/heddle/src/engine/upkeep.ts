// Upkeep: what whoever operates an engine asks of its store: how large it is, a copy, space back. Rules BU….

import { gateOf } from '../actor/artifact-gate.ts';
import type { StoreUpkeep } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { checkText } from '../operations/check-request.ts';
import { auditStore } from './audit.ts';
import type { Host } from './host.ts';
import type { Performers } from './performer.ts';
import { countRuns } from './run-lists.ts';

export const upkeepPerformers: Performers<'audit' | 'getStats' | 'vacuum'> = {
  audit({ host }) {
    return auditStore(host.store);
  },

  async getStats({ host: { store } }) {
    const [runs, journalRows] = [await countRuns(store, { subRuns: true }), await store.feedEnd()];
    return { runs, journalRows, store: (await store.upkeep?.sizes()) ?? null };
  },

  async vacuum({ host: { store } }) {
    await mustHave(store.upkeep).vacuum();
    return undefined;
  },
};

export async function backUp(host: Host, path: string): Promise<void> {
  checkText('the path of a backup', path);
  const { store } = host;
  const upkeep = mustHave(store.upkeep);
  // One at a time: two of one name would take each other's drafts away. What the copy names is not removed before it is
  // copied.
  await host.turns.take('backup', () => gateOf(store.artifacts).whilePutting(() => upkeep.backup(path)));
}

/** BU2: what a store in memory cannot do is refused. */
function mustHave(upkeep: StoreUpkeep | undefined): StoreUpkeep {
  if (upkeep) return upkeep;
  throw new HeddleError('NOT_AVAILABLE', 'Expected a store in a file, but this one is in none');
}
