// A program as a runtime gets it that has nothing of Node's.

import { type BuildResult, build } from 'esbuild';

/** As a bundler for such a runtime does it: no platform, no `node` condition, nothing left outside. */
export function bundle(
  contents: string,
  resolveDir: string,
  { minify = false } = {},
): Promise<BuildResult<{ write: false; metafile: true }>> {
  return build({
    stdin: { contents, resolveDir, loader: 'ts' },
    // A user's program has not our settings, by which `heddle` is the sources.
    tsconfigRaw: {},
    bundle: true,
    minify,
    platform: 'neutral',
    conditions: ['worker'],
    mainFields: ['module', 'main'],
    format: 'iife',
    globalName: 'heddle',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
}
