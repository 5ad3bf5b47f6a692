// Workerd: a process of its own that holds Cloudflare's runtime, without a network, for the tests of one process. It is given
// one program, tells where that listens, and ends with its parent.

import { createInterface } from 'node:readline';
import { Miniflare } from 'miniflare';

/** Tests abort objects all the time, some of them while their alarm rings, and leave sockets. */
const meant = /Application called abort\(\)|disconnected|^stack: /;

process.once('message', (program) => void serve(program));

async function serve({ script, className }) {
  const runtime = new Miniflare({
    script,
    modules: true,
    compatibilityDate: '2026-04-01',
    compatibilityFlags: ['nodejs_compat'],
    // An object stays until a test aborts it.
    durableObjects: { OBJECTS: { className, useSQLite: true, unsafePreventEviction: true } },
    r2Buckets: ['BUCKET'],
    cf: false,
    // Nothing of Miniflare's between a test and its object: that takes 0.5 ms of a request's 1.2, and breaks connections on
    // which a program has left something unread.
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    handleRuntimeStdio(out, err) {
      out.pipe(process.stdout);
      createInterface(err).on('line', (line) => meant.test(line) || process.stderr.write(`${line}\n`));
    },
  });
  // With the process go the runtime and its files.
  process.once('disconnect', () => process.exit());
  await runtime.ready;
  process.send({ url: String(await runtime.unsafeGetDirectURL()) });
}
