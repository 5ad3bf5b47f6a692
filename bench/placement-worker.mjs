// The Worker of PLACEMENTS: an engine as users deploy it, in the placement that its environment names, whose objects count.

import { heddle } from '../packages/heddle/dist/cloudflare.js';

const counts = { asked: 0, streamed: 0, rows: 0, alarms: 0, rings: 0 };
const { PLACEMENT, PROJECTED } = globalThis.process.env;

const {
  HeddleObject: Base,
  worker,
  engineOf,
} = heddle({
  objects: (env) => env.HEDDLE,
  key: () => 'key',
  placement: PLACEMENT === 'tenant' || PLACEMENT === 'run' ? PLACEMENT : { shards: Number(PLACEMENT) },
  ...(PROJECTED ? { projection: (env) => env.DB } : {}),
  engine: () => ({ actions: { noop: async () => ({}) } }),
});

/** As `ctx.storage`; an alarm is a written row. */
function counted(storage) {
  return {
    kv: storage.kv,
    sql: {
      exec(sql, ...values) {
        const cursor = storage.sql.exec(sql, ...values);
        const rows = cursor.toArray();
        counts.rows += cursor.rowsWritten;
        return { toArray: () => rows, rowsWritten: cursor.rowsWritten };
      },
    },
    transactionSync: (body) => storage.transactionSync(body),
    setAlarm(at) {
      counts.alarms += 1;
      counts.rows += 1;
      return storage.setAlarm(at);
    },
    getAlarm: () => storage.getAlarm(),
    deleteAlarm: () => storage.deleteAlarm(),
    deleteAll: () => storage.deleteAll(),
  };
}

export class HeddleObject extends Base {
  constructor(context, env) {
    Object.defineProperty(context, 'storage', { value: counted(context.storage) });
    super(context, env);
  }

  fetch(request) {
    counts.asked += 1;
    return super.fetch(request);
  }

  ask(place, question) {
    counts.asked += 1;
    return super.ask(place, question);
  }

  async alarm() {
    counts.rings += 1;
    return super.alarm();
  }
}

const scenarios = {
  /** A run of some steps to its end. */
  async line(engine) {
    await engine.start('line');
  },
  async person(engine) {
    await engine.start('person');
  },
  /** A run that waits for an event, which comes. */
  async event(engine, n) {
    await engine.start('event', { id: `${n}` });
    await engine.publish('call', {}, { correlation: `${n}` });
  },
};

export default {
  scheduled: worker.scheduled,
  async fetch(request, env) {
    const { scenario, runs, definitions } = await request.json();
    const engine = engineOf(env);
    for (const definition of definitions ?? []) await engine.register(definition);
    for (let n = 0; n < (runs ?? 0); n++) await scenarios[scenario](engine, `${scenario}-${n}-${crypto.randomUUID()}`);
    return Response.json(counts);
  },
};
