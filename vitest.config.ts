import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // `heddle` is the sources, as tsconfig.base.json says, not what was built last.
  resolve: { tsconfigPaths: true },
  test: {
    include: ['{packages/*,apps/*,scripts,examples,tests,simulator,proof}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Processes, because tests load a native module and send signals. Shared between files, because our modules keep no
    // state of their own: 40 small files take 3.6 s so, and 12.5 s with a fresh process for each.
    pool: 'forks',
    isolate: false,
    // Both cores of a small machine: many tests wait for a disk or for another process. 370 s with one, by default.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A net for what hangs, not a budget: a test that starts processes may take minutes on a machine that is busy with
    // other things (example 15: 6 s alone, more than 60 s under load). Tests wait for conditions, never for time.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 600_000 } },
  },
});
