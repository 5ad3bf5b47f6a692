// Bundle: the published JavaScript. One file a door, and chunks for what doors share, with the small libraries that the
// engine is built of inside: loading took 117 ms against 231 ms for more than 400 files, best of three on a busy machine
// (ADR 11).
// Always true: what a bundle contains of others is named, with its licence, in THIRD-PARTY.txt beside it.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** Those that share chunks, by what they become: the command line is bundled with the doors that it imports. */
const sharing = {
  ...doors('index', 'portable', 'sqlite', 'testing', 'http', 'client', 'server'),
  'cli/main': 'packages/cli/src/main.ts',
};

/**
 * Small and pure, each whole in its own file: as sharers they would cut what `index` loads into seven more files, which
 * takes 10 ms to load.
 */
const alone = doors('dialects', 'operations', 'telemetry');

function doors(...names) {
  return Object.fromEntries(names.map((name) => [name, `packages/heddle/src/${name}.ts`]));
}

/** What stays outside: native code, and what only the command line needs. */
const external = ['node:*', '@photostructure/sqlite', 'commander'];

export async function bundle({ root, outdir }) {
  const options = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    external,
    sourcemap: true,
    // Names stay, for stack traces. 1.7 MB in place of 2.3: loading the engine takes 83 ms in place of 87 (medians of 16).
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const { metafile } = await build({
    ...options,
    entryPoints: sharing,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
  await build({ ...options, entryPoints: alone });
  writeFileSync(path.join(outdir, 'THIRD-PARTY.txt'), licencesOf(root, Object.keys(metafile.inputs)));
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
