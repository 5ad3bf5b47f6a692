// Engine object: a Durable Object for the acceptance tests. It holds the engine of one store, on its own storage, serves its HTTP
// API, and is asked over the same way. An engine ends with its object, which is aborted: nothing of it has a chance to end well.

import { openObjectStore } from '../../packages/heddle/src/hosts/durable-object/open.ts';
import { createApp } from '../../packages/heddle/src/http.ts';
import { createTestEngine, VirtualClock } from '../../packages/heddle/src/testing.ts';
import { serveEngines } from './engine-operations.mjs';

export class EngineObject {
  constructor(ctx) {
    this.ctx = ctx;
    /** What was not told yet: every answer takes it along. */
    this.told = [];
    this.served = serveEngines({
      engine: { createApp, createTestEngine, VirtualClock },
      openStore: (_, clock) => openObjectStore(ctx.storage, { now: () => clock.now() }).store,
      endEngine: () => undefined,
      forgetStore: () => ctx.storage.deleteAll(),
      tell: (event) => this.told.push(event),
    });
  }

  fetch(request) {
    const operation = request.headers.get('x-operation');
    return operation === null ? this.ask(request) : this.perform(operation, request);
  }

  /** The answer says whether there is something to listen to. */
  async ask(request) {
    const response = await this.served.app.fetch(request);
    if (this.told.length === 0) return response;
    const marked = new Response(response.body, response);
    marked.headers.set('x-told', 'yes');
    return marked;
  }

  async perform(operation, request) {
    const argument = await request.json();
    if (operation === 'abort') this.ctx.abort();
    const performed = operation === 'listen' ? {} : await this.served.perform(operation, argument);
    return Response.json({ ...performed, told: this.told.splice(0) });
  }

  /** Engines are on virtual time, which no alarm of the platform tells. */
  alarm() {}
}
