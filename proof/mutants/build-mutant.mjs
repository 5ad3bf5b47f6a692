// Build mutant: the bundle of a proof, with one planted bug or none. The bug is in the bundle alone: the sources are
// never touched, and nothing of this is in what is published.

import path from 'node:path';
import { build } from 'esbuild';
import { root } from './plant-bug.mjs';
import { plant } from './planted.mjs';

/**
 * `entry` is a path from the root of the repository; `bug` is an answer of `plantBug`, or null. Answers with whether the
 * bug is in it: a program may have parts without it.
 */
export async function buildMutant({ entry, outfile, bug }) {
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
    plugins: bug === null ? [] : [plant(bug)],
  });
  return bug !== null && Object.keys(metafile.inputs).some((file) => path.join(root, file) === bug.file);
}
