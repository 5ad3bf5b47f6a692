// BundleWhole: a program that is killed, bundled once more with the packages that it uses inside: whoever lives for a
// tenth of a second should not spend another on finding them (165 ms to start and open, against 230).

import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The program lies beside the one that asks; answers with where the bundle is. */
export async function bundleWhole(beside: string, name: string): Promise<string> {
  const { build } = await import('esbuild');
  const program = fileURLToPath(new URL(`${name}.mjs`, beside));
  const outfile = program.replace('.mjs', '-whole.mjs');
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    external: ['@photostructure/sqlite', 'pg'],
    logLevel: 'warning',
  });
  copyFileSync('packages/heddle/dist/sqlite-writer.js', path.join(path.dirname(outfile), 'sqlite-writer.js')); // for its thread
  return outfile;
}
