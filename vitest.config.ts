import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{packages/heddle,scripts,examples,tests,simulator,proof}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Processes, because tests load a native module and send signals. Shared between files, because our modules keep no
    // state of their own: 40 small files take 3.6 s so, and 12.5 s with a fresh process for each.
    pool: 'forks',
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
