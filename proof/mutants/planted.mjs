// Planted: a planted bug in what esbuild bundles: of a proof, or of the programs that tests give to another runtime.

/** Where tests that are tried with a bug find which it is. */
const variable = 'HEDDLE_PLANTED_BUG';

/** The plugin that gives a bundle one file with a bug in it. */
export function plant({ file, text }) {
  const filter = new RegExp(`${file.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  return {
    name: 'plant',
    setup: (planned) => planned.onLoad({ filter }, () => ({ contents: text, loader: 'ts' })),
  };
}

/** For the tests of this process and those that it starts. */
export function tellBug(bug) {
  process.env[variable] = JSON.stringify(bug);
}

/**
 * The plugins of a bundle that a test makes: none, unless it is tried with a bug.
 * @returns {import('esbuild').Plugin[]}
 */
export function plantedBug() {
  const told = process.env[variable];
  return told === undefined ? [] : [plant(JSON.parse(told))];
}
