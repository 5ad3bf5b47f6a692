// The same routes on a runtime that has nothing of Node's: bundled as such a runtime would get them, with the web's own
// Request and Response.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { expect, test } from 'vitest';
import { bundle } from '../portable.testsuite.ts';

const sources = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../packages/heddle/src');

const program = `
  import { createApp } from './http.ts';
  import { createEngine } from './portable.ts';
  export async function main() {
    const engine = await createEngine();
    const app = createApp({ engineOf: () => engine });
    const ask = async (path, body, headers = {}) => {
      const init = body === undefined ? { headers } : {
        method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
      };
      return app.fetch(new Request('https://heddle.example' + path, init));
    };
    const definition = {
      id: 'hello', initialNode: 'greet',
      nodes: [{ id: 'greet', action: 'core.echo', inputMapping: { text: '"Hello, " + input.name' },
        outputMapping: { 'output.text': 'result.text' } }],
    };
    await ask('/v1/definitions', definition);
    const started = await (await ask('/v1/runs', { workflow: 'hello', input: { name: 'Ada' }, waitMs: 60_000 })).json();
    const stream = await (await ask('/v1/runs/' + started.runId + '/events/stream')).text();
    const refused = await ask('/v1/runs', { workflow: 7 });
    const { code, pointer } = await refused.json();
    await engine.close();
    return JSON.stringify({ output: started.result.output, last: stream.trim().split('\\n').slice(-2), code, pointer });
  }
`;

test('a run is started, streamed and refused on a runtime without Node', async () => {
  const { outputFiles, metafile } = await bundle(program, sources);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]); // Nothing is left outside.
  const web = { Request, Response, Headers, URL, URLSearchParams, ReadableStream, TextEncoder, TextDecoder, crypto };
  const globals = { ...web, setTimeout, clearTimeout, queueMicrotask, AbortController, AbortSignal, performance };
  const context = vm.createContext(globals, { codeGeneration: { strings: false, wasm: false } });
  vm.runInContext(outputFiles[0]?.text ?? '', context);
  const told = (await vm.runInContext('heddle.main()', context)) as string;
  expect(JSON.parse(told)).toEqual({
    output: { text: 'Hello, Ada' },
    last: ['event: end', 'data: {}'],
    code: 'REQUEST_INVALID',
    pointer: '/workflow',
  });
});
