// The Worker of OBJECTS: one as users write it, whose objects count what the platform would bill; and an engine in an object of a
// class of its own, for its speed.
//
// Always true: all objects of a Worker are in one process here, so that the Worker knows their counters without asking any.

import { DurableObject } from 'cloudflare:workers';
import { heddle, openObjectStore } from '../packages/heddle/dist/cloudflare.js';
import { createEngine } from '../packages/heddle/dist/portable.js';

const actions = { noop: async () => ({}) };
const zero = {
  /** Requests to the Worker. */
  calls: 0,
  /** What the platform bills as requests to objects: HTTP, questions of objects to each other, alarms that ring. */
  fetches: 0,
  asks: 0,
  rings: 0,
  /** Of these, those to the object that has what is no run's. */
  home: 0,
  rowsWritten: 0,
  rowsRead: 0,
  /** Each is a written row, too. */
  alarmsSet: 0,
  objectsMade: 0,
  objectsWoken: 0,
  awakeMs: 0,
  /** Of the projection. */
  batches: 0,
  projectedWritten: 0,
  projectedRead: 0,
};
const counts = { ...zero };
/** What is stored, by object. */
const bytes = new Map();
/** When alarms will ring, by object. */
const alarms = new Map();
let active = 0;

/** As `ctx.storage`. */
function counted(storage, id) {
  const measure = () => bytes.set(id, storage.sql.databaseSize);
  const exec = (sql, ...values) => {
    const cursor = storage.sql.exec(sql, ...values);
    const rows = cursor.toArray();
    counts.rowsWritten += cursor.rowsWritten;
    counts.rowsRead += cursor.rowsRead;
    return { toArray: () => rows, rowsWritten: cursor.rowsWritten };
  };
  return {
    sql: { exec },
    kv: {
      get(key) {
        counts.rowsRead += 1;
        return storage.kv.get(key);
      },
      put(key, value) {
        if (key === 'heddle-place') counts.objectsMade += 1;
        counts.rowsWritten += 1;
        storage.kv.put(key, value);
      },
    },
    transactionSync(body) {
      const answer = storage.transactionSync(body);
      measure();
      return answer;
    },
    getAlarm: () => storage.getAlarm(),
    setAlarm(at) {
      counts.alarmsSet += 1;
      counts.rowsWritten += 1;
      alarms.set(id, at);
      return storage.setAlarm(at);
    },
    deleteAlarm() {
      alarms.delete(id);
      return storage.deleteAlarm();
    },
  };
}

/** As a D1 database. */
const countedDatabase = (database) => ({
  prepare: (sql) => database.prepare(sql),
  async batch(statements) {
    const answers = await database.batch(statements);
    counts.batches += 1;
    for (const { meta } of answers) {
      counts.projectedWritten += meta.rows_written;
      counts.projectedRead += meta.rows_read;
    }
    return answers;
  },
});

const { PLACEMENT, PROJECTION } = process.env;
const { HeddleObject: Base, worker } = heddle({
  objects: (env) => env.HEDDLE,
  key: (env) => env.HEDDLE_KEY,
  placement: JSON.parse(PLACEMENT),
  ...(PROJECTION ? { projection: (env) => countedDatabase(env.DB) } : {}),
  engine: () => ({ actions }),
});

export class HeddleObject extends Base {
  #active = 0;
  #from = 0;

  constructor(context, env) {
    Object.defineProperty(context, 'storage', { value: counted(context.storage, String(context.id)) });
    super(context, env);
    counts.objectsWoken += 1;
  }

  async #counting(kind, work) {
    counts[kind] += 1;
    if (this.ctx.id.equals(this.env.HEDDLE.idFromName('default'))) counts.home += 1;
    active += 1;
    this.#active += 1;
    if (this.#active === 1) this.#from = Date.now();
    try {
      return await work();
    } finally {
      active -= 1;
      this.#active -= 1;
      if (this.#active === 0) counts.awakeMs += Date.now() - this.#from;
    }
  }

  fetch(request) {
    return this.#counting('fetches', () => super.fetch(request));
  }

  ask(...args) {
    return this.#counting('asks', () => super.ask(...args));
  }

  stop(...args) {
    return this.#counting('asks', () => super.stop(...args));
  }

  stream(...args) {
    return this.#counting('asks', () => super.stream(...args));
  }

  alarm() {
    alarms.delete(String(this.ctx.id));
    return this.#counting('rings', () => super.alarm());
  }

  die() {
    this.ctx.abort('killed by the benchmark');
  }
}

/** An engine in an object, without HTTP: what an object can do. */
export class SpeedObject extends DurableObject {
  #engine = null;

  async speed(definition, { runs, atATime }) {
    if (this.#engine === null) {
      this.#engine = await createEngine({ store: openObjectStore(this.ctx.storage).store, actions });
      await this.#engine.register(definition);
    }
    let started = 0;
    const client = async () => {
      while (started < runs) {
        started += 1;
        const { status } = await (await this.#engine.start(definition.id)).result();
        if (status !== 'completed') throw new Error(`Expected a completed run, but it is ${status}`);
      }
    };
    await Promise.all(Array.from({ length: atATime }, client));
  }

  alarm() {}
}

function readCounters() {
  const soon = Date.now() + 3_600_000;
  const storedBytes = [...bytes.values()].reduce((sum, size) => sum + size, 0);
  return { ...counts, storedBytes, isQuiet: active === 0 && [...alarms.values()].every((at) => at > soon) };
}

/** What the benchmark asks of its Worker; nothing of it is counted. */
const asked = {
  '/counters': () => readCounters(),
  '/reset': () => void Object.assign(counts, zero),
  async '/speed'(env, { definition, ...work }) {
    await env.SPEED.get(env.SPEED.idFromName('one')).speed(definition, work);
  },
  async '/kill'(env) {
    await env.HEDDLE.get(env.HEDDLE.idFromName('default'))
      .die()
      .catch(() => undefined);
  },
};

export default {
  async fetch(request, env) {
    const answer = asked[new URL(request.url).pathname];
    if (answer) return Response.json((await answer(env, request.body && (await request.json()))) ?? null);
    counts.calls += 1;
    return worker.fetch(request, env);
  },
};
