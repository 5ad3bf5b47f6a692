// HTTP server: a process of its own for the acceptance tests. It serves engines over real sockets, and is asked over the channel
// to its parent.

import { createApp } from '../../packages/heddle/dist/http.js';
import { memoryStore } from '../../packages/heddle/dist/index.js';
import { listen } from '../../packages/heddle/dist/server.js';
import { createTestEngine, VirtualClock } from '../../packages/heddle/dist/testing.js';
import { serveEngines } from './engine-operations.mjs';

const stores = new Map();

const { app, perform } = serveEngines({
  engine: { createApp, createTestEngine, VirtualClock },
  openStore(storeId) {
    const store = stores.get(storeId) ?? memoryStore();
    stores.set(storeId, store);
    return store;
  },
  endEngine: (engine) => engine.close({ graceMs: 0 }),
  forgetStore: (storeId) => void stores.delete(storeId),
  tell: (event) => process.send(event),
});

process.on('message', (message) => void answer(message));

async function answer({ id, operation, argument }) {
  process.send({ type: 'answer', id, ...(await perform(operation, argument)) });
}

process.on('disconnect', () => process.exit());

const { url } = await listen(app, { host: '127.0.0.1', port: 0 });
process.send({ type: 'listening', url });
