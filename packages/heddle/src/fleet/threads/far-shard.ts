// Far shard: a shard whose engine is in a thread of its own, as the fleet sees it.

import type { TaskProgress } from '../../actor/observers.ts';
import { closedError } from '../../actor/refusals.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ShardPeer } from '../../engine/peers.ts';
import type { KnownWork } from '../../engine/shard-duties.ts';
import type { Carrier } from '../../operations/carrier.ts';
import { type Asked, asked, webhooksAt } from '../asked-shard.ts';
import { sharing } from '../at-home.ts';
import type { Shard } from '../shards.ts';
import type { SharedChanges } from '../shared.ts';
import type { Line } from './line.ts';
import type { ShardTasks } from './shard-tasks.ts';
import type { ShardThread } from './shard-thread.ts';
import { readFar } from './stream.ts';

export class FarShard implements Shard {
  perform: Engine['perform'];
  peer: ShardPeer;
  readonly waitForEnd: Asked['waitForEnd'];
  readonly receiveWebhook: Asked['receiveWebhook'];
  readonly newestEvent: Asked['newestEvent'];
  readonly pendingDeliveries: Asked['pendingDeliveries'];
  readonly #thread: ShardThread;
  readonly #line: Line;
  readonly #tasks: ShardTasks;
  readonly #watchers = new Set<(progress: TaskProgress) => void>();
  #absence: Error | null = null;
  #closing: Promise<void> | null = null;

  constructor(thread: ShardThread, tasks: ShardTasks) {
    this.#thread = thread;
    this.#line = thread.line;
    this.#tasks = tasks;
    const { perform, peer, ...others } = asked((name, args, signal) => this.#line.ask(name, args, signal));
    this.perform = perform;
    this.waitForEnd = others.waitForEnd;
    this.receiveWebhook = others.receiveWebhook;
    this.newestEvent = others.newestEvent;
    this.pendingDeliveries = others.pendingDeliveries;
    // What is missing is known here.
    const knownWork = async (): Promise<KnownWork> => ({
      ...(await peer.knownWork()),
      missingActions: [...tasks.router.missingActions],
    });
    this.peer = { ...peer, knownWork };
    this.#line.serve({
      watched: ([progress]: readonly [TaskProgress]) => {
        for (const watcher of this.#watchers) watcher(progress);
      },
    });
  }

  get absence(): Error | null {
    return this.#absence;
  }

  /** Its thread has died. */
  lose(error: Error): void {
    this.#absence = error;
    this.#tasks.abortAll();
  }

  /** As home: it has somebody to share its changes with. */
  share(shared: SharedChanges, learnAnnounced: () => Promise<void>): void {
    const { perform, peer } = sharing(this, shared);
    this.perform = async (name, request, call) => {
      const answer = await perform(name, request, call);
      if (name === 'announceActions' || name === 'withdrawActions') await learnAnnounced();
      return answer;
    };
    this.peer = peer;
  }

  readonly read: Carrier['read'] = (name, request, { signal, ...options }) =>
    readFar(this.#line, [name, request, options], signal);

  readonly webhooks = webhooksAt(this);

  get isClosed(): boolean {
    return this.#closing !== null;
  }

  watchProgress(listener: (progress: TaskProgress) => void): () => void {
    this.#watchers.add(listener);
    this.#line.tell('watchProgress');
    return () => void this.#watchers.delete(listener);
  }

  backup(path: string): Promise<void> {
    return this.#line.ask('backup', [path]);
  }

  get spanCounts(): Engine['spanCounts'] {
    return this.#thread.spanCounts;
  }

  get isIdle(): boolean {
    return this.#thread.isIdle;
  }

  whenIdle(): Promise<void> {
    return this.#line.ask('whenIdle');
  }

  close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    if (this.#absence) return;
    this.#absence = closedError();
    try {
      await this.#line.ask('close', [graceMs]);
    } finally {
      await this.#thread.end(this.#absence);
    }
  }
}
