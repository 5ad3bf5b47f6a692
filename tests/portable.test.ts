// The engine on a runtime that has nothing of Node's: bundled as such a runtime would get it, and run in a context with
// the language's own globals and a few more that every runtime has.

import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from './portable.testsuite.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const sources = path.join(here, '../packages/heddle/src');

const program = `
  import { createEngine } from './portable.ts';
  export async function main() {
    const engine = await createEngine({
      actions: { square: ({ input }) => ({ value: input.n * input.n }) },
    });
    const { problems } = await engine.register({
      id: 'squares', initialNode: 'start',
      nodes: [
        { id: 'start', outputMapping: { 'state.numbers': 'input.numbers.filter(n, n > 1)' } },
        { id: 'square', action: 'square', inputMapping: { n: 'number' }, outputMapping: { 'state.value': 'result.value' },
          retry: { maxAttempts: 2 } },
        { id: 'done', wait: { seconds: 0.01 } },
      ],
      transitions: [
        { from: 'start', to: 'square', foreach: { collection: 'state.numbers', itemVar: 'number' }, siblingGroup: 'g' },
        { from: 'square', to: 'done', synchronization: { siblingGroup: 'g', strategy: 'all',
          merge: { source: '_branch.output.value', target: 'state.squares', strategy: 'append' } } },
      ],
      outputMapping: { squares: 'state.squares', count: 'size(state.squares)' },
    });
    const run = await engine.start('squares', { numbers: [1, 2, 3, 4] });
    const { status, output } = await run.result();
    const { problems: found } = await engine.audit();
    await engine.close();
    return JSON.stringify({ problems, status, output, found });
  }
`;

/** Of the client, minified and compressed; 25,900 when this was written: it has the schemas of all operations. */
const clientBytesMax = 27_000;

/** Of two functions that read a drawing, from the built package, minified; 17,089 when this was written. */
const editorBytesMax = 25_000;

/** Of the door for viewers, all of it, minified and compressed; 12,905 when this was written. */
const viewerBytesMax = 15_000;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-portable-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('the core, bundled for a runtime without Node, completes a run with a fan-out, a join and an expression', async () => {
  const { outputFiles, metafile } = await bundle(program, sources);
  expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]); // Nothing is left outside.
  const context = vm.createContext(
    { setTimeout, clearTimeout, queueMicrotask, AbortController, TextEncoder, TextDecoder },
    { codeGeneration: { strings: false, wasm: false } },
  );
  expect(vm.runInContext('typeof process + typeof Buffer + typeof setImmediate + typeof require', context)).toBe(
    'undefined'.repeat(4),
  );
  vm.runInContext(outputFiles[0]!.text, context);
  const told = (await vm.runInContext('heddle.main()', context)) as string;
  expect(JSON.parse(told)).toEqual({
    problems: [],
    status: 'completed',
    output: { squares: [4, 9, 16], count: 3 },
    found: [],
  });
});

test('the package leads such a runtime to the door without Node, and Node to its own', async () => {
  const packageDir = path.join(here, '..');
  const entry = "export { createEngine } from 'heddle';";
  const portable = await bundle(entry, packageDir);
  expect(portable.outputFiles[0]!.text).toContain('on this runtime');
  await expect(bundle("export { createEngine } from './index.ts';", sources)).rejects.toThrow(/Could not resolve/);
});

test('the doors for editors and for metrics need nothing of Node, and an editor gets no more than it uses', async () => {
  await bundle("export * from './dialects.ts';\nexport * from './telemetry.ts';", sources);
  const entry = "export { findEntryNode, topologicalSort } from 'heddle/dialects';";
  const { outputFiles } = await bundle(entry, path.join(here, '..'), { minify: true });
  expect(outputFiles[0]!.contents.length).toBeLessThan(editorBytesMax);
});

test('the door for viewers stays small: appliers and views alone', async () => {
  const { outputFiles, metafile } = await bundle("export * from './journal.ts';", sources, { minify: true });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const carried = parts.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  expect(carried.filter((file) => /node_modules|expression\/|core\/planning\/|dialects\/|engine\//.test(file))).toEqual(
    [],
  );
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(viewerBytesMax);
});

test('the HTTP client stays small: it carries neither the expression language nor the engine', async () => {
  const entry = "export { connect } from './client.ts';";
  const { outputFiles, metafile } = await bundle(entry, sources, { minify: true });
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs));
  const carried = parts.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  expect(carried.filter((file) => /cel-js|re2js/.test(file))).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(clientBytesMax);
});

test('a bundle with an import of Node does not come about', async () => {
  writeFileSync(
    path.join(folder, 'uses-node.ts'),
    "import { hash } from 'node:crypto';\nexport const digest = hash;\n",
  );
  await expect(bundle("export { digest } from './uses-node.ts';", folder)).rejects.toThrow(
    /Could not resolve "node:crypto"/,
  );
});
