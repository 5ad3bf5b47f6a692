// Local shard: a shard whose engine is in this thread.

import { closedError } from '../actor/refusals.ts';
import type { Engine } from '../engine/engine.ts';
import type { LocalEngine } from '../engine/local-engine.ts';
import { peerOf, type ShardPeer } from '../engine/peers.ts';
import type { Carrier } from '../operations/carrier.ts';
import { sharing } from './at-home.ts';
import type { Shard } from './shards.ts';
import type { SharedChanges } from './shared.ts';

export class LocalShard implements Shard {
  readonly engine: LocalEngine;
  readonly peer: ShardPeer;
  readonly perform: Engine['perform'];
  readonly read: Carrier['read'];
  readonly waitForEnd: Carrier['waitForEnd'];
  readonly receiveWebhook: Shard['receiveWebhook'];

  /** Home has somebody to share its changes with. */
  constructor(engine: LocalEngine, shared: SharedChanges | null = null) {
    const { carrier, parts } = engine;
    const done = { perform: engine.perform, peer: peerOf(parts) };
    const { perform, peer } = shared ? sharing(done, shared) : done;
    this.engine = engine;
    this.perform = perform;
    this.peer = peer;
    this.read = (name, request, options) => carrier.read(name, request, options);
    this.receiveWebhook = (id, call) => engine.webhooks.receive(id, call);
    this.waitForEnd = (runId, signal) => carrier.waitForEnd(runId, signal);
  }

  get absence(): Error | null {
    return this.engine.parts.host.inbox.isClosed ? closedError() : null;
  }

  newestEvent(): Promise<string> {
    return this.engine.newestEvent();
  }

  watchProgress: Engine['watchProgress'] = (listener) => this.engine.watchProgress(listener);

  backup(path: string): Promise<void> {
    return this.engine.backup(path);
  }

  pendingDeliveries(): Promise<number> {
    return this.engine.pendingDeliveries();
  }

  get spanCounts(): Engine['spanCounts'] {
    return this.engine.spanCounts;
  }

  get isIdle(): boolean {
    return this.engine.isIdle;
  }

  whenIdle(): Promise<void> {
    return this.engine.whenIdle();
  }

  close(options?: { readonly graceMs?: number }): Promise<void> {
    return this.engine.close(options);
  }
}
