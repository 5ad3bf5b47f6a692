// Upkeep: what whoever operates an engine asks of its store: how large it is, a copy, space back. Rules BU….

import { gateOf } from '../actor/artifact-gate.ts';
import type { StoreUpkeep } from '../actor/ports.ts';
import { readOnlyError } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { EngineStats } from '../operations/server.ts';
import { refuseTexts } from './check-options.ts';
import type { Host } from './host.ts';
import { turnsOf } from './host-turns.ts';
import { countRuns } from './run-lists.ts';

export async function readStats({ store }: Host): Promise<EngineStats> {
  const [runs, journalRows] = [await countRuns(store, { subRuns: true }), await store.feedEnd()];
  return { runs, journalRows, store: (await store.upkeep?.sizes()) ?? null };
}

export async function backUp(host: Host, path: string): Promise<void> {
  refuseTexts([['the path of a backup', path]]);
  const { store } = host;
  const upkeep = mustHave(store.upkeep);
  // One at a time: two of one name would take each other's drafts away. What the copy names is not removed before it is
  // copied.
  await turnsOf(host).take('backup', () => gateOf(store.artifacts).whilePutting(() => upkeep.backup(path)));
}

export async function vacuum({ store, readOnly }: Host): Promise<void> {
  if (readOnly) throw readOnlyError();
  await mustHave(store.upkeep).vacuum();
}

/** BU2: what a store in memory cannot do is refused. */
function mustHave(upkeep: StoreUpkeep | undefined): StoreUpkeep {
  if (upkeep) return upkeep;
  throw new HeddleError('NOT_AVAILABLE', 'Expected a store in a file, but this one is in memory');
}
