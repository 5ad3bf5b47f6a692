// Declarations: the published types. The compiler writes one file for each source; shipped are those that the doors reach,
// and no others: 200 of 550 (ADR 11).
// Always true: what is shipped imports nothing that is not shipped or a dependency of the package.

import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Where users' programs look for types: what `exports` of the package names. */
function doorsOf(manifest) {
  return Object.values(manifest.exports).flatMap(({ types }) => (types ? [path.basename(types)] : []));
}

export function pruneDeclarations({ engine, outdir }) {
  const manifest = JSON.parse(readFileSync(path.join(engine, 'package.json'), 'utf8'));
  const reached = reach(outdir, doorsOf(manifest), Object.keys(manifest.dependencies));
  for (const file of readdirSync(outdir, { recursive: true })) {
    const name = file.replaceAll(path.sep, '/');
    if (name.endsWith('.d.ts') && !reached.has(name)) rmSync(path.join(outdir, file));
  }
  removeEmptyFolders(outdir);
}

/** The files that are imported from these, with them. */
function reach(outdir, doors, dependencies) {
  const reached = new Set();
  const waiting = [...doors];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(path.join(outdir, file), 'utf8');
    for (const [, , name] of text.matchAll(/(?:^(?:import|export) [^;]*? from |\bimport\()(['"])([^'"\n]+)\1/gm)) {
      if (name.startsWith('.')) waiting.push(declarationOf(file, name));
      else if (!dependencies.includes(name) && !name.startsWith('node:'))
        throw new Error(`Expected ${file} to import what is shipped, but it imports ${name}, which users do not have`);
    }
  }
  return reached;
}

const declarationOf = (file, name) =>
  path.posix.join(path.posix.dirname(file), name).replace(/(\.d)?\.(ts|js)$/, '.d.ts');

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmptyFolders(path.join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
