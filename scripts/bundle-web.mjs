// Bundle web: the web app as static files, each beside its compressed form, and the published form of `heddle-react`.
// Always true: what is served is made from the sources of this checkout, by the same dependencies that the lock file names.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { build as buildPages } from 'vite';

/** The files of the web app go to `outdir`. */
export async function bundleWeb({ root, outdir }) {
  await buildPages({
    configFile: path.join(root, 'apps/web/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: outdir, emptyOutDir: true },
  });
  await bundleCapsule({ root, outdir });
  for (const file of filesBelow(outdir).filter((name) => /\.(js|css|html|svg)$/.test(name)))
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
  // Where these files are deployed as static assets, the platform compresses them itself.
  writeFileSync(path.join(outdir, '.assetsignore'), '*.gz\n.stamp\n.vite\n');
}

/** What a capsule holds to show its run: one script and one file of styles, to be written into a page. */
async function bundleCapsule({ root, outdir }) {
  const folder = path.join(root, 'packages/heddle-react');
  await build({
    entryPoints: [
      { in: path.join(folder, 'src/capsule/main.tsx'), out: 'capsule' },
      { in: path.join(folder, 'src/capsule/capsule.css'), out: 'capsule' },
    ],
    outdir,
    tsconfig: path.join(folder, 'tsconfig.json'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2023',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    legalComments: 'none',
    // Nothing in it ends the script that it becomes.
    supported: { 'inline-script': true },
    logLevel: 'warning',
  });
}

/** Components as others install them: a module and its types for each source, and one file of styles. */
export async function bundleReact({ root }) {
  const folder = path.join(root, 'packages/heddle-react');
  const outdir = path.join(folder, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  const compiler = [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', path.join(folder, 'tsconfig.build.json')];
  const { status } = spawnSync(process.execPath, compiler, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('Expected heddle-react to compile, but it does not; see above');
  for (const file of filesBelow(outdir).filter((name) => name.endsWith('.js'))) nameBuiltWorkers(file);
  await build({
    entryPoints: [path.join(folder, 'src/styles.css')],
    outfile: path.join(outdir, 'styles.css'),
    bundle: true,
    minify: true,
    logLevel: 'warning',
  });
}

/** The compiler renames what is imported, and not what a worker is started from. */
function nameBuiltWorkers(file) {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replaceAll(/(new URL\(['"]\.[^'"]*\.worker)\.tsx?(['"])/g, '$1.js$2');
  if (renamed !== text) writeFileSync(file, renamed);
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
