// Far peer: what a shard does for others, asked of another thread or process.

import type { ShardPeer } from '../engine/peers.ts';
import { askPeer, peerLike } from './peer-like.ts';

export type AskedOfPeer = readonly [name: keyof ShardPeer, args: readonly unknown[]];

/** A signal goes beside what it belongs to: it is no data. */
export function farPeer(ask: (asked: AskedOfPeer, signal?: AbortSignal) => Promise<unknown>): ShardPeer {
  const peer = peerLike(
    (name) =>
      (...args) =>
        ask([name, args]),
  );
  const waitForRun: ShardPeer['waitForRun'] = (runId, waitMs, { signal, ...call }) =>
    ask(['waitForRun', [runId, waitMs, call]], signal) as ReturnType<ShardPeer['waitForRun']>; // as above
  return { ...peer, waitForRun };
}

/** Published twice an event without an id is two; so is a call of a webhook, whose id, if it has one, only home can read. */
export function isNewEach([name, [publication]]: AskedOfPeer): boolean {
  if (name === 'receiveWebhook') return true;
  return name === 'publish' && (publication as Parameters<ShardPeer['publish']>[0]).id === undefined; // by its name
}

export function answerPeer(peer: ShardPeer, [name, args]: AskedOfPeer, signal: AbortSignal): Promise<unknown> {
  if (name !== 'waitForRun') return askPeer(peer, name, args);
  const [runId, waitMs, call] = args as unknown as Parameters<ShardPeer['waitForRun']>; // as `farPeer` sends it
  return peer.waitForRun(runId, waitMs, { ...call, signal });
}
