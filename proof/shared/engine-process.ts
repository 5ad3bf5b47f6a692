// EngineProcess: the program that is killed: the real engine, as one of several that share a database. It opens when it is told
// to, does what the supervisor asks line by line, and answers when the engine has answered.
//
// Always true: it holds nothing that a restart would need.

import { given } from '../../packages/heddle/src/base/given.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { createEngine, type Engine } from '../../packages/heddle/src/index.ts';
import { postgres } from '../../packages/heddle/src/postgres.ts';
import { actionsOf } from '../kill/actions.ts';
import { say } from '../kill/death.ts';
import { effectLog } from '../kill/effects.ts';
import { answerTo, obeyLines, tellEnds } from '../kill/obey.ts';
import type { MakeBackup } from '../kill/perform.ts';
import type { Order as OrderOf } from '../kill/protocol.ts';
import { definitions, triggers } from '../kill/workflows.ts';
import { isAway } from './is-away.ts';
import { type Opening, secretKey } from './protocol.ts';

type Order = OrderOf<Opening>;

const noBackup: MakeBackup = () => Promise.reject(new Error('Expected no backup of a shared fleet'));

class Life {
  #engine: Engine | null = null;

  async obey(order: Order): Promise<void> {
    if (order.type === 'open') return this.#open(order);
    const engine = this.#engine;
    if (engine === null) throw new Error('Expected an open engine, but there is none');
    if (order.type === 'ask')
      return say({ type: 'answer', id: order.id, answer: await answerTo(engine, order.ask, noBackup) });
    await engine.close({ graceMs: order.graceMs });
    say({ type: 'closed' });
    process.exit();
  }

  async #open(opening: Opening): Promise<void> {
    say({ type: 'opening' });
    try {
      this.#engine = await openEngine(opening);
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      say({ type: 'not-opened', at: Date.now(), code: error.code, message: error.message });
      return;
    }
    say({ type: 'opened' });
  }
}

/** ML6: a letter whose forerunner was lost on its way comes again, with it. */
const isOvertaken = (error: object): boolean => 'code' in error && error.code === 'LETTER_OUT_OF_ORDER';

async function openEngine({ url, directUrl, schema, shards, effects, isFirst }: Opening): Promise<Engine> {
  const engine = await createEngine({
    store: postgres({ url, schema, shards, secretKey, ...given({ directUrl: directUrl ?? undefined }) }),
    actions: actionsOf(effectLog(effects)),
    // Nothing is given up however often it is lost; and few at a time, so that there is always something under way.
    limits: { dispatchesMax: 1_000_000, concurrencyPerProcess: 8 },
    onEvent: tellEnds,
    onError: (error) => {
      if (!isAway(error) && !isOvertaken(error)) say({ type: 'broken', message: error.stack ?? error.message });
    },
  });
  if (!isFirst) return engine;
  for (const definition of definitions) await engine.register(definition);
  for (const trigger of triggers) await engine.triggers.create(trigger);
  return engine;
}

const life = new Life();
obeyLines((order) => life.obey(order as Order));
