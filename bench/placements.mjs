// PLACEMENTS: what a run costs by where it is (docs/guide/cloudflare.md): requests to objects, rows written and alarms, counted in
// workerd until all objects are at rest.
//
//   node bench/placements.mjs

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { Miniflare } from 'miniflare';
import { line } from './scenario.mjs';

const runs = 40;
/** An object looks after its work fifteen seconds after it was left. */
const restMs = 33_000;
const person = { id: 'person', initialNode: 'ask', nodes: [{ id: 'ask', input: {} }], transitions: [] };
const event = {
  id: 'event',
  initialNode: 'call',
  nodes: [{ id: 'call', wait: { event: 'call', correlation: 'input.id' } }],
  transitions: [],
};
const definitions = [line('line', 10), person, event];
const scenarios = ['line', 'person', 'event'];
const placements = [
  { placement: 'tenant' },
  { placement: '4' },
  { placement: 'run' },
  { placement: 'run', projected: 'yes' },
];

const here = path.dirname(fileURLToPath(import.meta.url));
const outfile = path.join(here, '../node_modules/.cache/heddle-bench/placement.js');
mkdirSync(path.dirname(outfile), { recursive: true });
buildSync({
  entryPoints: [path.join(here, 'placement-worker.mjs')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  external: ['cloudflare:*', 'node:*'],
  target: 'es2023',
});

async function measure({ placement, projected }) {
  const miniflare = new Miniflare({
    modules: true,
    scriptPath: outfile,
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    durableObjects: { HEDDLE: { className: 'HeddleObject', useSQLite: true } },
    d1Databases: ['DB'],
    bindings: { PLACEMENT: placement, ...(projected ? { PROJECTED: projected } : {}) },
    cf: false,
  });
  const ask = async (body) => {
    const answer = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body: JSON.stringify(body) });
    return answer.json();
  };
  try {
    await ask({ definitions });
    for (const scenario of scenarios) {
      await ask({ scenario, runs: 4 }); // whatever is made once
      await sleep(restMs);
      const before = await ask({});
      await ask({ scenario, runs });
      await sleep(restMs);
      const after = await ask({});
      const per = (name) => ((after[name] - before[name]) / runs).toFixed(1);
      const where = `${placement}${projected ? ', with a projection' : ''}`;
      console.log(
        `${where}: ${scenario}: ${per('asked')} requests, ${per('rows')} rows, ${per('alarms')} alarms set, ${per('rings')} rung`,
      );
    }
  } finally {
    await miniflare.dispose();
  }
}

await Promise.all(placements.map(measure));
