// Build mutant: the bundle of a proof, with one planted bug or none. The bug is in the bundle alone: the sources are
// never touched, and nothing of this is in what is published.
//
// Always true: a mutant whose text is not in its file exactly once is an error, so that a list that the sources have
// left behind is noticed.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const sources = path.join(root, 'packages/heddle/src');

/**
 * `entry` is a path from the root of the repository; `mutant` one of `list.mjs`, or null. Answers with whether the bug is in
 * it: a program may have parts without it.
 */
export async function buildMutant({ entry, outfile, mutant }) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'silent',
    metafile: true,
    plugins: mutant === null ? [] : [plant(mutant)],
  });
  return mutant !== null && Object.keys(metafile.inputs).some((file) => file.endsWith(`src/${mutant.file}`));
}

/** Where the mutant's file is. */
export const sourceOf = ({ file }) => path.join(sources, file);

/** The text of the mutant's file with the bug in it. */
export async function readMutated(mutant) {
  const { id, file, find, replace } = mutant;
  const text = await readFile(sourceOf(mutant), 'utf8');
  const found = text.split(find).length - 1;
  if (found !== 1) throw new Error(`Expected the text of mutant ${id} once in ${file}, but found it ${found} times`);
  return text.replace(find, () => replace);
}

function plant(mutant) {
  const place = sourceOf(mutant);
  const filter = new RegExp(`${place.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  return {
    name: 'plant',
    setup: (planned) => planned.onLoad({ filter }, async () => ({ contents: await readMutated(mutant), loader: 'ts' })),
  };
}
