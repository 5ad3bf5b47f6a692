// Asked shard: a shard whose engine is elsewhere, as the fleet sees it: all that it is asked are questions with a name, arguments
// that are data, and one answer; and what whoever has its engine does with them.

import { HeddleError } from '../base/heddle-error.ts';
import type { Engine } from '../engine/engine.ts';
import type { Call } from '../engine/performer.ts';
import type { OperationName, RequestOf } from '../operations/operations.ts';
import { type AskedOfPeer, answerPeer, farPeer } from './far-peer.ts';
import type { Shard } from './shards.ts';

export type AskShard = <Answer>(
  name: ShardQuestion,
  args?: readonly unknown[],
  signal?: AbortSignal,
) => Promise<Answer>;

export type ShardQuestion = keyof typeof answers;

export const asked = (ask: AskShard): Asked => ({
  perform: (name, request, { signal, ...call } = {}) => ask('perform', [name, request, call], signal),
  peer: farPeer((duty, signal) => ask('peer', [duty], signal)),
  waitForEnd: (runId, signal) => ask('waitForEnd', [runId], signal),
  receiveWebhook: (id, call) => ask('receiveWebhook', [id, call]),
  newestEvent: () => ask('newestEvent'),
  pendingDeliveries: () => ask('pendingDeliveries'),
});

/** One whose life is no matter of this process. */
export const askedShard = (ask: AskShard, read: Shard['read']): Shard => ({
  ...asked(ask),
  read,
  absence: null,
  // How far its tasks are it tells those who ask it.
  watchProgress: () => () => undefined,
  backup: () => Promise.reject(new HeddleError('NOT_AVAILABLE', 'Expected a store on a disk, but this one has none')),
  spanCounts: null,
  isIdle: true,
  whenIdle: () => Promise.resolve(),
  close: () => Promise.resolve(),
});

/** Which webhooks there are the shard knows: a call that could not be taken is refused when it is received. */
export const webhooksAt = (home: Pick<Shard, 'receiveWebhook'>): Engine['webhooks'] => ({
  check: () => undefined,
  receive: (id, call) => home.receiveWebhook(id, call),
});

/** All that it is asked; how it is read depends on the way there. */
export type Asked = Pick<
  Shard,
  'perform' | 'peer' | 'waitForEnd' | 'receiveWebhook' | 'newestEvent' | 'pendingDeliveries'
>;
type Answering = (shard: Asked, args: never, signal: AbortSignal) => Promise<unknown>;

const answers = {
  perform: (shard, [name, request, call]: readonly [OperationName, RequestOf<OperationName>, Call], signal) =>
    shard.perform(name, request, { ...call, signal }),
  peer: ({ peer }, [duty]: readonly [AskedOfPeer], signal) => answerPeer(peer, duty, signal),
  waitForEnd: (shard, [runId]: readonly [string], signal) => shard.waitForEnd(runId, signal),
  receiveWebhook: (shard, [id, call]: Parameters<Shard['receiveWebhook']>) => shard.receiveWebhook(id, call),
  newestEvent: (shard) => shard.newestEvent(),
  pendingDeliveries: (shard) => shard.pendingDeliveries(),
} as const satisfies Readonly<Record<string, Answering>>;

/** What was asked by `asked`. */
export const answerShard = (
  shard: Asked,
  name: ShardQuestion,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> => answers[name](shard, args as never, signal); // as `asked` sends them

export const shardQuestions = Object.keys(answers) as readonly ShardQuestion[]; // no others
