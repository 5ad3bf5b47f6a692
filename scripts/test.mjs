// Test: the one command that decides whether the repository is sound. Set-up, then the checks, then every test, then the
// share of the proofs that fits in here. Arguments go to vitest (`npm test -- packages/heddle/src/core`) and leave the
// proofs out. The last line is always `N passed, N failed`.

import { check } from './check.mjs';
import { prove } from './prove.mjs';
import { setup } from './setup.mjs';

await setup();
const failedChecks = await check();

const { parseCLI, startVitest } = await import('vitest/node'); // Not there before the set-up.
const args = process.argv.slice(2);
const { filter, options } = parseCLI(['vitest', 'run', ...args]);
const vitest = await startVitest('test', filter, { ...options, watch: false });
await vitest.close();
const proofs = args.length === 0 ? await prove() : { passed: [], failed: [] };

if (failedChecks.length > 0) {
  console.log(`The checks failed, see above: ${failedChecks.join(', ')}`);
  process.exitCode = 1;
}
if (proofs.failed.length > 0) {
  console.log(`The proofs failed, see above: ${proofs.failed.join(', ')}`);
  process.exitCode = 1;
}
console.log(tally(vitest.state));

/**
 * A proof counts as one test. A file that did not even load has no tests to count; it counts as one failure, and so does
 * an error that no test waited for.
 */
function tally(state) {
  const modules = state.getTestModules();
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const unloaded = modules.filter((module) => module.errors().length > 0);
  const count = (outcome) => tests.filter((test) => test.result().state === outcome).length;
  const passed = count('passed') + proofs.passed.length;
  const unhandled = state.getUnhandledErrors().length;
  const failed = count('failed') + unloaded.length + unhandled + proofs.failed.length;
  return `${passed} passed, ${failed} failed`;
}
