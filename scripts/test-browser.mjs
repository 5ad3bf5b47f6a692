// Test browser: all tests in a real browser. `npm test` has a share of them, another with every commit.

import { setup } from './setup.mjs';

await setup();
process.env.HEDDLE_BROWSER_TESTS = 'all';
const { parseCLI, startVitest } = await import('vitest/node'); // Not there before the set-up.
const { filter, options } = parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
const vitest = await startVitest('test', filter.length > 0 ? filter : ['tests/browser'], { ...options, watch: false });
await vitest.close();
