// Package docs: what a user of the package reads lies in the package: its README leads to the guides, the examples, the
// rules and the changelog beside it. Run by npm before (`prepack`) and after (`postpack`) it packs.
// Always true: a relative link in the package leads to something in the package; what is not there is not linked. The
// checkout is afterwards what it was.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const shipped = ['docs/guide', 'docs/RELIABILITY.md', 'examples', 'SPEC.md', 'CHANGELOG.md'];
const readme = 'packages/heddle/README.md';
const kept = '.README.md';

/** Puts the pages into a folder that is to be packed. */
export function addDocs(folder) {
  mustBePackage(folder);
  for (const place of shipped.flatMap(filesIn)) write(path.join(folder, place), pageFor(place, place));
  // One that was kept is of a pack that was broken off.
  const own = path.join(folder, 'README.md');
  if (!existsSync(path.join(folder, kept))) renameSync(own, path.join(folder, kept));
  writeFileSync(own, pageFor(readme, 'README.md', path.join(folder, kept)));
}

export function removeDocs(folder) {
  mustBePackage(folder);
  for (const place of new Set(shipped.map((one) => one.split('/')[0])))
    rmSync(path.join(folder, place), { recursive: true, force: true });
  if (existsSync(path.join(folder, kept))) renameSync(path.join(folder, kept), path.join(folder, 'README.md'));
}

/** What is removed again would be the originals elsewhere. */
function mustBePackage(folder) {
  const { name } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (name !== 'heddle') throw new Error(`Expected the folder of the package heddle, but ${folder} is that of ${name}`);
}

/** Its files, without the tests. */
function filesIn(place) {
  if (!existsSync(path.join(root, place))) throw new Error(`Expected ${place} in the repository, but it is not there`);
  if (/\.\w+$/.test(place)) return [place];
  return readdirSync(path.join(root, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
}

function write(file, content) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** A file of the repository as it stands at a place in the package: links lead to their targets from there. */
function pageFor(source, place, file = path.join(root, source)) {
  const content = readFileSync(file, 'utf8');
  // Examples name the schema for editors, which lies elsewhere in the package.
  if (!source.endsWith('.md')) return content.replaceAll('../../packages/heddle/schema/', '../../schema/');
  const fences = /(^```.*?^```$)/gms;
  const parts = content.split(fences);
  return parts.map((part, index) => (index % 2 === 1 ? part : relink(part, source, place))).join('');
}

function relink(text, source, place) {
  return text.replaceAll(/\[([^\][]*)\]\(([^)\s]+)\)/g, (link, words, target) => {
    if (/^([a-z]+:|#)/.test(target)) return link;
    const [file, ...anchor] = target.split('#');
    const found = path.posix.join(path.posix.dirname(source), file).replace(/\/$/, '');
    if (!shipped.some((one) => found === one || found.startsWith(`${one}/`))) return words;
    return `[${words}](${[path.posix.relative(path.posix.dirname(place), found), ...anchor].join('#')})`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const steps = { add: addDocs, remove: removeDocs };
  steps[process.argv[2]](process.cwd());
}
