import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages/heddle,scripts,examples,tests,simulator,proof}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Processes, because tests load a native module and send signals. Shared between files, because our modules keep no
    // state of their own: 40 small files take 3.6 s so, and 12.5 s with a fresh process for each.
    pool: 'forks',
    isolate: false,
    // Both cores of a small machine: many tests wait for a disk or for another process. 370 s with one, by default.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
