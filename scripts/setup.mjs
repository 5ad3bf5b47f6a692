// Setup: brings a checkout to the point where it can run, and does nothing where nothing is to be done.
// Owns two questions: is what is installed what the lock file says, and is what is built what the sources say?
// Always true: it needs Node and npm only, so it runs before anything is installed; a failed build leaves the last good one in place.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const nodeOldest = [20, 19];
const engine = path.join(root, 'packages/heddle');
const dist = path.join(engine, 'dist');
const stamp = path.join(dist, '.stamp');
const web = path.join(dist, 'web');
const webStamp = path.join(web, '.stamp');

/** Installs and builds what is missing or out of date. Ends the process with a sentence if that cannot be done. */
export async function setup({ rebuild = false } = {}) {
  requireNode();
  if (!isInstalled()) install();
  mkdirSync(path.join(root, '.heddle'), { recursive: true }); // for the store of `npm start`, and other versions of Node
  const sources = hashSources(engineSources, engineSettings);
  if (rebuild || !isBuilt(stamp, sources)) await build(sources);
  const webHash = hashSources([...engineSources, ...webSources], [...engineSettings, ...webSettings]);
  if (rebuild || !isBuilt(webStamp, webHash)) await buildWeb(webHash);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isNewEnough = major > nodeOldest[0] || (major === nodeOldest[0] && minor >= nodeOldest[1]);
  if (!isNewEnough)
    fail(`Expected Node ${nodeOldest.join('.')} or newer, but this is ${process.version}; install a newer one.`);
}

/** npm keeps a record of what it put into node_modules, written last. It must agree with the lock file on every package. */
function isInstalled() {
  const record = path.join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return false;
  const wanted = readJson(path.join(root, 'package-lock.json')).packages;
  const present = readJson(record).packages;
  return Object.entries(wanted).every(([place, { version, optional, link }]) => {
    if (!place.includes('node_modules/') || link) return true;
    return present[place] ? present[place].version === version : optional === true;
  });
}

function install() {
  say('installing the dependencies');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!runNpm(['ci', ...options]))
    fail('The dependencies could not be installed; read the message above and try again.');
}

const engineSources = ['packages/heddle/src', 'packages/cli/src'];
const engineSettings = [
  'package-lock.json',
  'tsconfig.base.json',
  'packages/heddle/tsconfig.build.json',
  'packages/heddle/package.json',
  'packages/cli/tsconfig.json',
  'scripts/bundle.mjs',
  'scripts/declarations.mjs',
];
const webSources = ['packages/heddle-react/src', 'apps/web/src', 'apps/web/public'];
const webSettings = [
  'packages/heddle-react/package.json',
  'packages/heddle-react/tsconfig.json',
  'packages/heddle-react/tsconfig.build.json',
  'apps/web/package.json',
  'apps/web/index.html',
  'apps/web/vite.config.ts',
  'scripts/bundle-web.mjs',
];

/** One hash over everything a build depends on: sources, compiler settings, versions. */
function hashSources(folders, settings) {
  const hash = createHash('sha256');
  const sources = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .filter((name) => /\.(tsx?|css|svg)$/.test(name) && !/\.test(suite)?\.tsx?$/.test(name))
      .map((name) => path.join(folder, name)),
  );
  for (const file of [...settings, ...sources.toSorted()])
    hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

function isBuilt(file, sources) {
  return existsSync(file) && readFileSync(file, 'utf8') === sources;
}

/** Builds beside the old output and then swaps, so that nobody ever runs half a build. */
async function build(sources) {
  say('building');
  const next = `${dist}.${process.pid}`;
  const compiler = ['node_modules/typescript/bin/tsc', '-p', 'packages/heddle/tsconfig.build.json', '--outDir', next];
  const { status } = spawnSync(process.execPath, compiler, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    rmSync(next, { recursive: true, force: true });
    fail('The build failed; mend the errors above and try again.');
  }
  // Only now: the bundler is there once the dependencies are installed.
  const { bundle } = await import('./bundle.mjs');
  await bundle({ root, outdir: next });
  const { pruneDeclarations } = await import('./declarations.mjs');
  pruneDeclarations({ engine, outdir: next });
  writeFileSync(path.join(next, '.stamp'), sources);
  const command = path.join(next, 'cli/main.js');
  if (existsSync(command)) chmodSync(command, 0o755);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
  linkCommand();
}

/** The web app, beside the engine that serves it, and the components that others install. */
async function buildWeb(sources) {
  say('building the web app');
  const { bundleReact, bundleWeb } = await import('./bundle-web.mjs');
  const next = path.join(dist, `web.${process.pid}`);
  await bundleReact({ root });
  await bundleWeb({ root, outdir: next });
  writeFileSync(path.join(next, '.stamp'), sources);
  rmSync(web, { recursive: true, force: true });
  renameSync(next, web);
}

/** npm links a package's command only if the file is there at install time, and here it is built later. */
function linkCommand() {
  const isLinked = existsSync(path.join(root, 'node_modules/.bin/heddle'));
  if (isLinked || !existsSync(path.join(dist, 'cli/main.js'))) return;
  const done = runNpm(['rebuild', 'heddle', '--ignore-scripts', '--silent']);
  if (!done) fail('The command `heddle` could not be linked; run `npm rebuild heddle`.');
}

function runNpm(args) {
  // On Windows npm is a .cmd file, which only a shell can start; the arguments are all our own words.
  const quiet = ['ignore', 'ignore', 'inherit'];
  return spawnSync('npm', args, { cwd: root, stdio: quiet, shell: process.platform === 'win32' }).status === 0;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function say(text) {
  console.log(`setup: ${text}`);
}

function fail(sentence) {
  console.error(`setup: ${sentence}`);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await setup({ rebuild: process.argv.includes('--rebuild') });
