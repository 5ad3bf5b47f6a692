// Bundle: the published JavaScript. One file a door, and chunks for what doors share, with the small libraries that the
// engine is built of inside: loading took 117 ms against 231 ms for more than 400 files, best of three on a busy machine
// (ADR 11).
// Always true: what a bundle contains of others is named, with its licence, in THIRD-PARTY.txt beside it.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';

/** Those that share chunks, by what they become: the command line is bundled with the doors that it imports. */
const sharing = {
  ...doors('index', 'portable', 'sqlite', 'postgres', 'testing', 'http', 'client', 'server', 'cloudflare'),
  'cli/main': 'packages/cli/src/main.ts',
  // The program of a thread, which finds it by this name.
  'fleet-shard': 'packages/heddle/src/fleet/threads/shard-program.ts',
};

/** Small and pure, each whole in its own file. */
const alone = {
  ...doors('capsule', 'check', 'dialects', 'expressions', 'journal', 'operations', 'telemetry', 'wire'),
  // The program of a thread, which finds it by this name.
  'sqlite-writer': 'packages/heddle/src/hosts/sqlite/writer-program.ts',
};

function doors(...names) {
  return Object.fromEntries(names.map((name) => [name, `packages/heddle/src/${name}.ts`]));
}

/** What stays outside: what the runtimes have, native code, and what only the command line needs. */
const external = [/^node:/, /^cloudflare:/, '@photostructure/sqlite', 'pg', 'commander'];

const format = {
  format: 'esm',
  sourcemap: true,
  // Names of functions, classes and public methods stay, for stack traces; the source map has the others. Keeping all takes
  // 216 kB and 10 ms of a start.
  minify: { compress: { target: 'es2023' }, mangle: { keepNames: true }, codegen: true },
  comments: false,
};

export async function bundle({ root, outdir }) {
  // The engine in four chunks: what the client needs too, the rest of it, its store, and what it needs of Node. Left to itself, a
  // bundler makes a chunk for every set of doors that share something: the engine came in fourteen files and took 79 ms to
  // load, in three 73 (medians of 20).
  const [client, portable, cloudflare, index] = await Promise.all(
    ['client', 'portable', 'cloudflare', 'index'].map((door) => listModules(root, sharing[door])),
  );
  const groups = [
    { name: 'shared', priority: 4, test: (id) => index.has(id) && client.has(id) },
    { name: 'engine', priority: 3, test: (id) => index.has(id) && portable.has(id) },
    // The store that files and objects have: where objects are there is nothing of Node.
    { name: 'store', priority: 2, test: (id) => index.has(id) && cloudflare.has(id) },
    { name: 'node', priority: 1, test: (id) => index.has(id) },
  ];
  const written = await write(root, sharing, {
    ...format,
    dir: outdir,
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: { groups, includeDependenciesRecursively: false },
  });
  for (const [name, source] of Object.entries(alone))
    written.push(...(await write(root, { [name]: source }, { ...format, dir: outdir, codeSplitting: false })));
  const inputs = new Set(written.flatMap(({ moduleIds }) => moduleIds ?? []).map((id) => path.relative(root, id)));
  writeFileSync(path.join(outdir, 'THIRD-PARTY.txt'), licencesOf(root, [...inputs]));
}

/** What an entry imports, directly or not; what is loaded when it is needed stays in files of its own. */
async function listModules(root, entry) {
  const build = await rolldown({ ...input(root, { entry }), treeshake: false });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return new Set(output.find(({ isEntry }) => isEntry).moduleIds);
}

async function write(root, entries, output) {
  const build = await rolldown(input(root, entries));
  const written = await build.write(output);
  await build.close();
  return written.output;
}

/** Of libraries alone, whose names tell nobody anything: 85 kB less, which takes 2 ms to load. */
const shortenNames = {
  name: 'shorten-names',
  transform: {
    filter: { id: /node_modules/ },
    handler: async (code, id) => {
      const shortened = await minify(id, code, { module: true, sourcemap: true });
      return { code: shortened.code, map: shortened.map };
    },
  },
};

/**
 * Only the parser of cel-js is used (`expression/parse-source.ts`). What its evaluator registers when it is loaded takes 5 ms
 * of a start, and 25 kB.
 */
const parserAlone = {
  name: 'parser-alone',
  transform: {
    filter: { id: /cel-js\/lib\/evaluator\.js$/ },
    handler: (code) => {
      const registering = 'registerFunctions(globalRegistry)\nregisterOverloads(globalRegistry)\n';
      if (!code.includes(registering)) throw new Error(`Expected cel-js to have ${registering}, but it has changed`);
      const imported = "import { register as registerOptional } from './optional.js';";
      // Every line stays where it is.
      return { code: imported + code.replace(registering, 'registerOptional(globalRegistry)\n\n'), map: null };
    },
  },
};

function input(root, entries) {
  return {
    cwd: root,
    input: entries,
    external,
    platform: 'neutral',
    resolve: { mainFields: ['module', 'main'] },
    preserveEntrySignatures: 'allow-extension',
    plugins: [parserAlone, shortenNames],
  };
}

function licencesOf(root, inputs) {
  const packages = new Set(inputs.flatMap((file) => /^(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []));
  const texts = [...packages]
    .toSorted((a, b) => a.localeCompare(b))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
      return `${name} ${version} (${license})\n\n${licenceIn(path.join(root, folder)).trim()}\n`;
    });
  return `This package contains code of:\n\n${texts.join('\n----\n\n')}`;
}

function licenceIn(folder) {
  for (const name of ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']) {
    try {
      return readFileSync(path.join(folder, name), 'utf8');
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  throw new Error(`Expected a licence in ${folder}, but there is none; find out what it is before bundling it`);
}
