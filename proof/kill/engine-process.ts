// EngineProcess: the program that is killed: the real engine on a real file, or a fleet of them, with the system's clock. It opens when it is
// told to, does what the supervisor asks line by line, and answers when the engine has answered.
//
// Always true: it holds nothing that a restart would need; without an order to die it is the store that users have.

import path from 'node:path';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { given } from '../../packages/heddle/src/base/given.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { openFleet } from '../../packages/heddle/src/fleet/open-fleet.ts';
import { openThreads } from '../../packages/heddle/src/fleet/threads/open-threads.ts';
import { type FleetFolder, openFleetFolder } from '../../packages/heddle/src/hosts/sqlite/fleet-folder.ts';
import { openSqliteStore, openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { createEngine, type Engine, type EngineOptions } from '../../packages/heddle/src/index.ts';
import { answerLater } from '../answer-later.ts';
import { actionsOf } from './actions.ts';
import { Death, say } from './death.ts';
import { type Effect, effectLog } from './effects.ts';
import { makeFilesMortal } from './mortal-files.ts';
import { mortalSqlite } from './mortal-sqlite.ts';
import { answerTo, obeyLines, tellEnds } from './obey.ts';
import { backupFolder, type MakeBackup } from './perform.ts';
import type { Place } from './place.ts';
import type { Opening, Order } from './protocol.ts';
import { definitions, triggers } from './workflows.ts';

type Asking = Extract<Order, { type: 'ask' }>;

class Life {
  #path = '';
  #death = new Death(null);
  #engine: Engine | null = null;

  async obey(order: Order): Promise<void> {
    if (order.type === 'open') await this.#open(order);
    else if (order.type === 'ask') await this.#answer(order);
    else await this.#close(order.graceMs);
  }

  async #open(order: Opening): Promise<void> {
    const death = new Death(order.dying);
    this.#path = order.place.path;
    this.#death = death;
    say({ type: 'opening' });
    try {
      this.#engine = await openEngine(order, death);
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      say({ type: 'not-opened', at: Date.now(), code: error.code, message: error.message });
      return;
    }
    death.phase = 'working';
    say({ type: 'opened' });
  }

  async #answer({ id, ask }: Asking): Promise<void> {
    const engine = this.#engine;
    if (engine === null) throw new Error('Expected an open engine, but there is none');
    const makeBackup: MakeBackup = async ({ number }) => {
      const name = `copy-${number}.db`; // of a fleet a folder
      await engine.backup(path.join(backupFolder(this.#path), name));
      return name;
    };
    const answer = await answerTo(engine, ask, makeBackup);
    this.#death.reach('before-reply');
    say({ type: 'answer', id, answer });
  }

  async #close(graceMs: number): Promise<void> {
    this.#death.phase = 'closing';
    const closing = this.#engine?.close({ graceMs });
    this.#death.step();
    await closing;
    this.#death.step();
    say({ type: 'closed' });
    process.exit();
  }
}

async function openEngine({ place, effects, dying, hasThreads }: Opening, death: Death): Promise<Engine> {
  const note = effectLog(effects);
  const noteMortally = (phase: Effect['phase'], context: ActionContext, receipt: string): void => {
    note(phase, context, receipt);
    death.reach(phase === 'before' ? 'before-effect' : 'after-effect');
  };
  const options: EngineOptions = {
    actions: actionsOf(noteMortally),
    // Nothing is given up however often it is lost; and few at a time, so that there is always something under way.
    limits: { dispatchesMax: 1_000_000, concurrencyPerProcess: 8 },
    onEvent: tellEnds,
    onError: (error) => say({ type: 'broken', message: error.stack ?? error.message }),
  };
  const engine = await (hasThreads
    ? openThreads(folderOf(place), options, { program: shardProgram })
    : openAt(place, dying === null ? null : death, options));
  for (const definition of definitions) await engine.register(definition);
  for (const trigger of triggers) await engine.triggers.create(trigger);
  return engine;
}

/** Half of those that die at no named point open as users do, the others with all commits in their writer threads. */
async function openAt(place: Place, death: Death | null, options: EngineOptions): Promise<Engine> {
  const { path: where, shards } = place;
  const isAsUsersDo = death === null && process.pid % 2 === 0;
  if (isAsUsersDo) return createEngine({ ...options, store: shards === null ? where : folderOf(place) });
  const openFile = death === null ? openWithThread : await openerOfMortals(death);
  if (shards === null) return createEngine({ ...options, store: begun(await openFile(where), death) });
  const stores = await openFleetFolder(folderOf(place), {}, openFile);
  return openFleet(
    stores.map((store) => (store instanceof Error ? store : begun(store, death))),
    options,
  );
}

const folderOf = ({ path: folder, shards }: Place): FleetFolder => ({
  folder,
  ...given({ shards: shards ?? undefined }),
});

/** It is built beside this one. */
const shardProgram = new URL('./shard-program.mjs', import.meta.url);

const openWithThread = (file: string): Promise<Store> => openSqliteStore(file, { writerThread: 'always' });

async function openerOfMortals(death: Death): Promise<(file: string) => Promise<Store>> {
  makeFilesMortal(death);
  const Sqlite = mortalSqlite(await loadSqlite(), death);
  return (file) => openStoreWith(Sqlite, file);
}

/** All are open; both orders of planning and writing die. */
function begun(store: Store, death: Death | null): Store {
  if (death === null) return store;
  death.phase = 'recovering';
  return process.pid % 2 === 0 ? answerLater(store) : store;
}

await loadSqlite(); // Beforehand, so that opening takes no longer than it must.
const life = new Life();
obeyLines((order) => life.obey(order as Order));
