// The Worker of OBJECTS: an engine in an object of a class of its own, whose storage counts.

import { DurableObject } from 'cloudflare:workers';
import { openObjectStore } from '../packages/heddle/dist/cloudflare.js';
import { createEngine } from '../packages/heddle/dist/portable.js';

const counts = { rowsWritten: 0, rowsRead: 0, alarms: 0 };

/** As `ctx.storage`; an alarm is a written row. */
function counted(storage) {
  const exec = (sql, ...values) => {
    const cursor = storage.sql.exec(sql, ...values);
    const rows = cursor.toArray();
    counts.rowsWritten += cursor.rowsWritten;
    counts.rowsRead += cursor.rowsRead;
    return { toArray: () => rows, rowsWritten: cursor.rowsWritten };
  };
  return {
    kv: storage.kv,
    sql: { exec },
    transactionSync: (body) => storage.transactionSync(body),
    setAlarm(at) {
      counts.alarms += 1;
      counts.rowsWritten += 1;
      return storage.setAlarm(at);
    },
  };
}

export class MeasuredObject extends DurableObject {
  #engine = null;

  async #open() {
    const { store } = openObjectStore(counted(this.ctx.storage));
    return createEngine({ store, actions: { noop: async () => ({}) } });
  }

  async #counting(work) {
    this.#engine ??= await this.#open();
    Object.assign(counts, { rowsWritten: 0, rowsRead: 0, alarms: 0 });
    const from = Date.now();
    await work(this.#engine);
    return { ...counts, ms: Date.now() - from };
  }

  async register(definition) {
    this.#engine ??= await this.#open();
    await this.#engine.register(definition);
  }

  /** The clock of an object moves with what comes in alone. */
  async bootMs() {
    const times = [];
    for (let round = 0; round < 20; round++) {
      const from = Date.now();
      const engine = await this.#open();
      await engine.runs({ limit: 1 });
      times.push(Date.now() - from);
      engine.close({ graceMs: 0 });
    }
    return times.reduce((sum, ms) => sum + ms) / times.length;
  }

  run(workflow, runs, atATime) {
    return this.#counting(async (engine) => {
      let started = 0;
      const client = async () => {
        while (started < runs) {
          started += 1;
          const { status } = await (await engine.start(workflow)).result();
          if (status !== 'completed') throw new Error(`Expected a completed run, but it is ${status}`);
        }
      };
      await Promise.all(Array.from({ length: atATime }, client));
    });
  }

  park(workflow, runs) {
    return this.#counting(async (engine) => {
      for (let started = 0; started < runs; started++) await engine.start(workflow);
      await engine.whenIdle();
    });
  }

  async fetch(request) {
    const { method, args } = await request.json();
    try {
      return Response.json({ value: (await this[method](...args)) ?? null });
    } catch (error) {
      return Response.json({ error: String(error?.stack ?? error) });
    }
  }

  alarm() {}
}

export default {
  fetch: (request, { OBJECT }) => OBJECT.get(OBJECT.idFromName('one')).fetch(request),
};
