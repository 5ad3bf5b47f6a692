// How the web app is built: static files that `heddle serve` serves. `outDir` is given by scripts/bundle-web.mjs.

import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = path.dirname(fileURLToPath(import.meta.url));

export default defineConfig({
  root: here,
  resolve: {
    // The engine without Node; the other doors are found as tsconfig.base.json says.
    alias: [{ find: /^heddle$/, replacement: path.resolve(here, '../../packages/heddle/src/portable.ts') }],
    tsconfigPaths: true,
  },
  worker: { format: 'es' },
  build: {
    target: 'es2023',
    // The policy of the server allows no data: scripts or styles; pictures this small are written out.
    assetsInlineLimit: 0,
    manifest: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    sourcemap: false,
    rolldownOptions: {
      // Libraries mark their modules for servers that render React; there is none here.
      onLog: (level, log, tell) => (log.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : tell(level, log)),
    },
  },
  // `npm run dev --workspace heddle-web`: pages from here, the API from a server that runs beside it.
  server: { proxy: { '/v1': 'http://127.0.0.1:4100', '/openapi.json': 'http://127.0.0.1:4100' } },
});
