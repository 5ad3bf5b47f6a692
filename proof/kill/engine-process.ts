// EngineProcess: the program that is killed: the real engine on a real file with the system's clock. It opens when it is
// told to, does what the supervisor asks line by line, and answers when the engine has answered.
//
// Always true: it holds nothing that a restart would need; without an order to die it is the store that users have.

import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import { openSqliteStore, openStoreWith } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { createEngine, type Engine } from '../../packages/heddle/src/index.ts';
import { answerLater } from '../answer-later.ts';
import { actionsOf } from './actions.ts';
import { Death, say } from './death.ts';
import { type Effect, effectLog } from './effects.ts';
import { endToldBy } from './ends.ts';
import { makeFilesMortal } from './mortal-files.ts';
import { mortalSqlite } from './mortal-sqlite.ts';
import { backupFolder, type MakeBackup, perform } from './perform.ts';
import type { Answer, Order } from './protocol.ts';
import { definitions, triggers } from './workflows.ts';

type Opening = Extract<Order, { type: 'open' }>;
type Asking = Extract<Order, { type: 'ask' }>;

/** Ends with the supervisor, if nothing else ends it. */
async function main(): Promise<void> {
  await loadSqlite(); // Beforehand, so that opening takes no longer than it must.
  const life = new Life();
  const lines = createInterface({ input: process.stdin });
  lines.on('line', (line) => {
    life.obey(JSON.parse(line) as Order).catch((error: unknown) => {
      // The supervisor wrote it.
      throw error;
    });
  });
  lines.on('close', () => process.exit());
}

class Life {
  #file = '';
  #death = new Death(null);
  #engine: Engine | null = null;

  async obey(order: Order): Promise<void> {
    if (order.type === 'open') await this.#open(order);
    else if (order.type === 'ask') await this.#answer(order);
    else await this.#close(order.graceMs);
  }

  async #open(order: Opening): Promise<void> {
    const death = new Death(order.dying);
    this.#file = order.file;
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
      const name = `copy-${number}.db`;
      await engine.backup(path.join(backupFolder(this.#file), name));
      return name;
    };
    const answer: Answer = await perform(engine, ask, makeBackup).then(
      (value) => ({ value }),
      (error: unknown) => refusalOf(error),
    );
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

function refusalOf(error: unknown): Answer {
  if (!(error instanceof HeddleError)) throw error;
  return { refusal: { code: error.code, message: error.message } };
}

async function openEngine({ file, effects, dying }: Opening, death: Death): Promise<Engine> {
  const note = effectLog(effects);
  const noteMortally = (phase: Effect['phase'], context: ActionContext, receipt: string): void => {
    note(phase, context, receipt);
    death.reach(phase === 'before' ? 'before-effect' : 'after-effect');
  };
  const engine = await createEngine({
    store: dying === null ? await openSqliteStore(file, { writerThread: 'always' }) : await openMortal(file, death),
    actions: actionsOf(noteMortally),
    // Nothing is given up however often it is lost; and few at a time, so that there is always something under way.
    limits: { dispatchesMax: 1_000_000, concurrencyPerProcess: 8 },
    onEvent: tellEnds,
    onError: (error) => say({ type: 'broken', message: error.stack ?? error.message }),
  });
  for (const definition of definitions) await engine.register(definition);
  for (const trigger of triggers) await engine.triggers.create(trigger);
  return engine;
}

async function openMortal(file: string, death: Death): Promise<Store> {
  makeFilesMortal(death);
  const store = await openStoreWith(mortalSqlite(await loadSqlite(), death), file);
  death.phase = 'recovering';
  return process.pid % 2 === 0 ? answerLater(store) : store; // both orders of planning and writing die
}

function tellEnds(event: RunEvent): void {
  const status = endToldBy(event);
  if (status !== null) say({ type: 'ended', runId: event.runId, status });
}

await main();
