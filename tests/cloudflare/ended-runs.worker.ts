// The program of the tests with an object for every run and a projection: its time can pass at once, for objects and alarms alike; and
// its objects tell what they hold.
//
// Always true: only what the platform gives (its clock, `ctx.storage`) is changed; the engine is as it is delivered.

import { type Database, heddle, type ObjectStorage } from '../../packages/heddle/src/cloudflare.ts';

interface Env {
  readonly HEDDLE: { idFromName(name: string): object; get(id: object): object };
  readonly HEDDLE_KEY: string;
  readonly DB: Database;
}

interface Context {
  readonly id: { toString(): string };
  readonly storage: ObjectStorage;
  abort(reason: string): void;
}

const now = Date.now.bind(Date);
let passedMs = 0;
Date.now = () => now() + passedMs;

/** When an object dies: before all that it stores is deleted, after that, or after so many commits. */
export type Death = 'before' | 'after' | number;
/** By the object's id. */
const deaths = new Map<string, Death>();

function dies(id: string, moment: 'before' | 'after' | 'commit'): boolean {
  const death = deaths.get(id);
  if (typeof death === 'number' && moment === 'commit') deaths.set(id, death - 1);
  const isNow = death === moment || (death === 1 && moment === 'commit');
  if (isNow) deaths.delete(id);
  return isNow;
}

const one = (id: string, node: object): object => ({
  id,
  initialNode: 'a',
  nodes: [{ id: 'a', ...node }],
  transitions: [],
});

const { HeddleObject: Base, worker } = heddle<Env>({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: 'run',
  projection: (env) => env.DB,
  definitions: [
    one('order', { action: 'echo', outputMapping: { 'output.value': 'result.value' } }),
    one('fail', { action: 'fail' }),
    one('ask', { input: {} }),
    one('await', { wait: { event: 'call', correlation: 'input.id' } }),
    one('tree', { workflow: 'order' }),
  ],
  engine: () => ({
    actions: {
      echo: () => ({ value: 1 }),
      fail() {
        throw Object.assign(new Error('refused'), { code: 'order.refused', retryable: false });
      },
    },
  }),
});

function movable(context: Context): Context {
  const { storage } = context;
  const id = context.id.toString();
  const dieAt = (moment: Parameters<typeof dies>[1]): void => {
    if (dies(id, moment)) context.abort('killed by a test');
  };
  const value: ObjectStorage = {
    sql: storage.sql,
    kv: storage.kv,
    transactionSync: (body) => {
      const answer = storage.transactionSync(body);
      dieAt('commit');
      return answer;
    },
    setAlarm: (at) => storage.setAlarm(at - passedMs),
    getAlarm: async () => {
      const at = await storage.getAlarm();
      return at === null ? null : at + passedMs;
    },
    deleteAlarm: () => storage.deleteAlarm(),
    async deleteAll() {
      dieAt('before');
      await storage.deleteAll();
      dieAt('after');
    },
  };
  Object.defineProperty(context, 'storage', { value });
  return context;
}

export class HeddleObject extends Base {
  constructor(context: Context, env: Env) {
    super(movable(context) as never, env);
  }

  get #context(): Context {
    return (this as unknown as { readonly ctx: Context }).ctx; // every object has it
  }

  pass(ms: number): void {
    passedMs += ms;
  }

  dieAt(death: Death): void {
    deaths.set(this.#context.id.toString(), death);
  }

  /** Whether it has died since it was told to. */
  hasDied(): boolean {
    return !deaths.has(this.#context.id.toString());
  }

  /** An alarm that was set before time passed comes so much sooner. */
  async feel(ms: number): Promise<void> {
    const at = await this.#context.storage.getAlarm();
    if (at !== null) await this.#context.storage.setAlarm(at - ms);
  }

  /** In how many milliseconds. */
  async alarmIn(): Promise<number | null> {
    const at = await this.#context.storage.getAlarm();
    return at === null ? null : at - Date.now();
  }

  /** How many tables it has. */
  tables(): number {
    return this.#context.storage.sql
      .exec("SELECT name FROM sqlite_schema WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'")
      .toArray().length;
  }

  /** Of letters that others have sent. */
  marks(): number {
    return this.#context.storage.sql.exec("SELECT key FROM records WHERE kind = 'mail-mark'").toArray().length;
  }

  die(): void {
    this.#context.abort('killed by a test');
  }
}

export { worker as default };
