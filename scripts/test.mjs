// Test: the one command that decides whether the repository is sound. Set-up, then the checks, then every test.
// Arguments go to vitest (`npm test -- packages/heddle/src/core`). The last line is always `N passed, N failed`.

import { check } from './check.mjs';
import { setup } from './setup.mjs';

await setup();
const failedChecks = await check();

const { parseCLI, startVitest } = await import('vitest/node'); // Not there before the set-up.
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const vitest = await startVitest('test', filter, { ...options, watch: false });
await vitest.close();

if (failedChecks.length > 0) {
  console.log(`The checks failed, see above: ${failedChecks.join(', ')}`);
  process.exitCode = 1;
}
console.log(tally(vitest.state.getTestModules()));

/** A file that did not even load has no tests to count; it counts as one failure. */
function tally(modules) {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const unloaded = modules.filter((module) => module.errors().length > 0);
  const count = (state) => tests.filter((test) => test.result().state === state).length;
  return `${count('passed')} passed, ${count('failed') + unloaded.length} failed`;
}
