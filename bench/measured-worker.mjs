// Measured Worker: the Worker of OBJECTS in workerd, with one placement; what a piece of work cost in it, when all of it is done.

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Miniflare } from 'miniflare';
import { connect } from '../packages/heddle/dist/client.js';

const here = path.dirname(fileURLToPath(import.meta.url));
const key = 'key-of-the-operator';

function bundle() {
  const outfile = path.join(here, '../node_modules/.cache/heddle-bench/object.js');
  mkdirSync(path.dirname(outfile), { recursive: true });
  buildSync({
    entryPoints: [path.join(here, 'object-worker.mjs')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    target: 'es2023',
  });
  return outfile;
}

export function openWorker(placement, { projection = false } = {}) {
  const miniflare = new Miniflare({
    modules: true,
    scriptPath: bundle(),
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    bindings: { HEDDLE_KEY: key, PLACEMENT: JSON.stringify(placement), ...(projection ? { PROJECTION: 'yes' } : {}) },
    d1Databases: ['DB'],
    durableObjects: {
      HEDDLE: { className: 'HeddleObject', useSQLite: true },
      SPEED: { className: 'SpeedObject', useSQLite: true },
    },
    cf: false,
  });
  const ask = async (name, body) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await miniflare.dispatchFetch(`http://heddle.test/${name}`, init);
    if (!response.ok) throw new Error(`Expected the Worker to answer ${name}, but: ${await response.text()}`);
    return response.json();
  };
  /** When nobody is asked anything, and no alarm will ring within the hour. */
  const quiet = async () => {
    for (;;) {
      const counters = await ask('counters');
      if (counters.isQuiet) return counters;
      await wait(200);
    }
  };
  return {
    heddle: connect({
      url: 'http://heddle.test',
      key,
      fetch: (...request) => miniflare.dispatchFetch(...request),
      retries: 0,
    }),
    ask,
    quiet,
    /** What `work` costs until everything that follows from it is done. */
    async cost(work) {
      const { storedBytes: before } = await quiet();
      await ask('reset');
      await work();
      const { storedBytes, ...counters } = await quiet();
      return { ...counters, storedBytes: storedBytes - before };
    },
    close: () => miniflare.dispose(),
  };
}
