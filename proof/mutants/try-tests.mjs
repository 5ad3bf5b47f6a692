// Try tests: one file of tests with a planted bug in what it tests, for what no proof looks at closely enough. Its last
// line is that of a proof: each test that fails is a violation.
//
//   node proof/mutants/try-tests.mjs <id of a mutant> <file of tests>
//
// Always true: the bug is in what vitest loads alone: the sources are never touched.

import { startVitest } from 'vitest/node';
import { readMutated, sourceOf } from './build-mutant.mjs';
import { mutants } from './list.mjs';

/** A bug may make a test wait for ever. */
const testTimeout = 5_000;

const [id, file] = process.argv.slice(2);
const mutant = mutants.find((each) => each.id === id);
const place = sourceOf(mutant);
const plant = {
  name: 'plant',
  enforce: 'pre',
  load: (asked) => (asked === place ? readMutated(mutant) : null),
};
const vitest = await startVitest(
  'test',
  [file],
  { watch: false, bail: 1, testTimeout, reporters: ['dot'] },
  { plugins: [plant] },
);
const violations = vitest.state.getCountOfFailedTests();
await vitest.close();
process.stdout.write(`${JSON.stringify({ proof: 'tests', counts: {}, violations })}\n`);
process.exit(violations > 0 ? 1 : 0);
