// The program of the projection's tests: runs of every kind, and a database that can be told to refuse, to lose its answers, or to do
// later what it was asked.

import { type Database, heddle } from '../../packages/heddle/src/cloudflare.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly DB: Database;
}

export type Mood = 'well' | 'refusing' | 'forgetful' | 'late';

/** Of this program's one instance: what its objects share. */
const state: { mood: Mood; reported: number; readonly late: (() => Promise<unknown>)[] } = {
  mood: 'well',
  reported: 0,
  late: [],
};

function moody(database: Database): Database {
  const inMood = async <T>(work: () => Promise<T>): Promise<T> => {
    const { mood } = state;
    if (mood === 'refusing') throw new Error('D1_ERROR: refused by a test');
    if (mood === 'late') state.late.push(work);
    if (mood === 'late') throw new Error('D1_ERROR: connection lost by a test');
    const done = await work();
    if (mood === 'forgetful') throw new Error('D1_ERROR: answer lost by a test');
    return done;
  };
  return {
    prepare: (sql) => database.prepare(sql),
    batch: (statements) => inMood(() => database.batch(statements)),
  };
}

const { SHARDS } = (globalThis as { process?: { env: { SHARDS?: string } } }).process?.env ?? {};
const one = (id: string, node: object): object => ({
  id,
  initialNode: 'a',
  nodes: [{ id: 'a', ...node }],
  transitions: [],
});

const { HeddleObject: Base, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: SHARDS === undefined ? 'tenant' : { shards: Number(SHARDS) },
  projection: (env) => moody(env.DB),
  definitions: [
    one('shop-order', {
      action: 'echo',
      inputMapping: { value: 'input.value' },
      outputMapping: { 'output.value': 'result.value' },
    }),
    one('shop-fail', { action: 'fail' }),
    one('ask', { input: {} }),
    one('nap', { wait: { seconds: 86_400 } }),
    one('tree', { workflow: 'shop-order', inputMapping: { value: 'input.value' } }),
    one('grove', { workflow: 'ask' }),
  ],
  engine: () => ({
    actions: {
      echo: ({ input }) => ({ value: input['value'] ?? null }),
      fail() {
        throw Object.assign(new Error('refused'), { code: 'order.refused', retryable: false });
      },
    },
  }),
  onError: () => {
    state.reported += 1;
  },
});

interface Inside {
  readonly ctx: {
    abort(reason: string): void;
    readonly storage: { readonly sql: { exec(sql: string, ...values: string[]): { toArray(): readonly unknown[] } } };
  };
}

export class HeddleObject extends Base {
  get #inside(): Inside {
    return this as unknown as Inside; // every object has it
  }

  die(): void {
    this.#inside.ctx.abort('killed by a test');
  }

  /** Whoever loads the run finds a journal that does not follow from itself. */
  damage(runId: string): void {
    this.#inside.ctx.storage.sql.exec("UPDATE journal SET hash = 'x' WHERE run_id = ?", runId);
  }

  /** How many marks there are of what D1 has not been told. */
  marks(): number {
    return this.#inside.ctx.storage.sql.exec("SELECT 1 FROM records WHERE kind = 'unprojected'").toArray().length;
  }

  mend(mood: Mood): number {
    state.mood = mood;
    return state.reported;
  }

  /** What was sent while it was late arrives. */
  async arrive(): Promise<void> {
    for (const work of state.late.splice(0)) await work();
  }

  held(): number {
    return state.late.length;
  }
}

export { worker as default };
