// WALKS: how many files and functions of ours a request passes on its way, by function coverage: what somebody reads who
// follows it. `node bench/walks.mjs [--list NAME]` prints them, or the functions of one.

import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { connect } from '../packages/heddle/dist/client.js';
import { createEngine } from '../packages/heddle/dist/index.js';
import { serve } from '../packages/heddle/dist/server.js';
import { line, noop, withFile } from './scenario.mjs';

const session = new Session();
session.connect();
const post = (method, params) =>
  new Promise((resolve, reject) =>
    session.post(method, params, (error, result) => (error ? reject(error) : resolve(result))),
  );
await post('Profiler.enable');

const maps = new Map();
/** Which source and line a place of a bundled file came from. */
function sourceOf(url, offset) {
  if (!maps.has(url)) {
    const file = fileURLToPath(url);
    const text = readFileSync(file, 'utf8');
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    maps.set(url, { starts, map: new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))) });
  }
  const { starts, map } = maps.get(url);
  let row = starts.findLastIndex((start) => start <= offset);
  const { originalSource = '', originalLine } = map.findEntry(row, offset - starts[row]);
  row = originalLine;
  const at = originalSource.indexOf('/src/');
  return originalSource.includes('node_modules') || at === -1 ? null : { file: originalSource.slice(at + 5), row };
}

/** Files and functions of ours that were called while the work was done. */
async function walk(work) {
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await work();
  const { result } = await post('Profiler.takePreciseCoverage');
  await post('Profiler.stopPreciseCoverage');
  const functions = new Set();
  for (const { url, functions: all } of result) {
    if (!url.includes('/packages/heddle/dist/')) continue;
    for (const { functionName, ranges } of all) {
      if (ranges[0].count === 0 || functionName === '') continue;
      const source = sourceOf(url, ranges[0].startOffset);
      if (source !== null) functions.add(`${source.file}:${source.row + 1} ${functionName}`);
    }
  }
  return [...functions].toSorted((a, b) => a.localeCompare(b));
}

const walks = {
  async 'start over HTTP'(store) {
    const server = await serve({ store, port: 0 });
    const client = connect({ url: server.url });
    await client.register(line('line', 1));
    await client.start('line');
    const body = JSON.stringify({ workflow: 'line', input: {} });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    const found = await walk(async () => (await fetch(`${server.url}/v1/runs`, init)).json());
    await server.close();
    return found;
  },
  async 'finish and next lease'(store) {
    const server = await serve({ store, port: 0 });
    const client = connect({ url: server.url });
    await client.register(line('line', 2));
    await client.start('line');
    const ask = async (path, asked) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(asked) };
      return (await fetch(`${server.url}/v1/tasks/${path}`, init)).json();
    };
    const lease = { actions: ['noop'], waitMs: 1_000 };
    const [task] = (await ask('lease', lease)).tasks;
    const found = await walk(async () => {
      await ask('finish', { tasks: [{ lease: task.lease, output: {} }] });
      await ask('lease', lease);
    });
    await server.close();
    return found;
  },
  async 'embedded start to result'(store) {
    const engine = await createEngine({ store, actions: noop });
    await engine.register(line('line', 1));
    await (await engine.start('line')).result();
    const found = await walk(async () => (await engine.start('line')).result());
    await engine.close();
    return found;
  },
  async 'registering a dataflow'(store) {
    const engine = await createEngine({ store, actions: noop });
    const graph = (id) => ({
      dialect: 'dataflow',
      id,
      nodes: [
        { id: 'a', type: 'noop' },
        { id: 'b', type: 'noop' },
      ],
      edges: [{ source: 'a', sourceOutput: 'out', target: 'b', targetInput: 'in' }],
    });
    await engine.register(graph('first'));
    const found = await walk(async () => {
      const { version, problems } = await engine.register(graph('second'));
      if (version === null) throw new Error(`Expected a graph without errors, but it has ${JSON.stringify(problems)}`);
    });
    await engine.close();
    return found;
  },
  async 'an alarm'(store) {
    const engine = await createEngine({ store, actions: noop });
    await engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', wait: { seconds: 1 } }] });
    const run = await engine.start('w');
    await engine.whenIdle();
    const found = await walk(() => run.result());
    await engine.close();
    return found;
  },
};

const listed = process.argv[2] === '--list' ? process.argv[3] : null;
for (const [name, measure] of Object.entries(walks)) {
  if (listed !== null && name !== listed) continue;
  const functions = await withFile(measure);
  const files = new Set(functions.map((one) => one.slice(0, one.indexOf(':'))));
  console.log(`${name}: ${files.size} files, ${functions.length} functions`);
  if (listed !== null) console.log(functions.join('\n'));
}
