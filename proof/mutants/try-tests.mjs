// Try tests: one file of tests with a planted bug in what it tests, for what no proof looks at closely enough. Its last
// line is that of a proof: each test that fails is a violation.
//
//   node proof/mutants/try-tests.mjs <id of a mutant> <how the path of a file of tests ends>
//
// Always true: the bug is in what vitest loads, and in what tests bundle, alone: the sources are never touched.

import { startVitest } from 'vitest/node';
import { mutants } from './list.mjs';
import { plantBug, root } from './plant-bug.mjs';
import { tellBug } from './planted.mjs';
import { findTests, readSources } from './sources.mjs';

/** A bug may make a test wait for ever. What starts another runtime takes longer, and says so. */
const testTimeoutDefault = 5_000;

const [id, ending] = process.argv.slice(2);
const mutant = mutants.find((each) => each.id === id);
const { file, text } = plantBug(mutant, readSources(root));
const { only: testNamePattern, testTimeout = testTimeoutDefault } = mutant.hint;
tellBug({ file, text });
const found = findTests(root, ending);
if (found.length !== 1)
  throw new Error(`Expected one file of tests that ends with ${ending}, but found ${found.length}`);
const plant = {
  name: 'plant',
  enforce: 'pre',
  load: (asked) => (asked === file ? text : null),
};
const vitest = await startVitest(
  'test',
  found,
  { watch: false, bail: 1, testTimeout, testNamePattern, reporters: ['dot'] },
  { plugins: [plant] },
);
const violations = vitest.state.getCountOfFailedTests();
await vitest.close();
process.stdout.write(`${JSON.stringify({ proof: 'tests', counts: {}, violations })}\n`);
process.exit(violations > 0 ? 1 : 0);
