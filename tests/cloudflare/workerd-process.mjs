// Workerd process: a process of its own that holds Cloudflare's runtime with one program, so that a test can kill both. It is given
// the options of the runtime, tells where that listens, and ends with its parent.

import { kCurrentWorker, Miniflare } from 'miniflare';

process.once('message', (options) => void serve(options));
process.once('disconnect', () => process.exit());

async function serve({ outside, ...options }) {
  const runtime = new Miniflare({
    ...options,
    serviceBindings: {
      OUTSIDE: { external: { address: outside, http: {} } },
      WORK: { name: kCurrentWorker, entrypoint: 'Work' },
    },
  });
  process.send({ url: String(await runtime.ready) });
}
