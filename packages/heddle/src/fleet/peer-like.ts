// Peer-like: what stands for the peer of a shard, each of its methods in a way of its own: later, elsewhere, or not at all.

import type { ShardPeer } from '../engine/peers.ts';

/** All that a peer does: a proxy would also be taken for a promise, and could not be taken apart. */
const peerNames = {
  receive: true,
  command: true,
  guardEventId: true,
  publish: true,
  fire: true,
  artifact: true,
  hasKey: true,
  start: true,
  waitForRun: true,
  adoptDefinition: true,
  noteRefusedDefinition: true,
  adoptRecord: true,
  switchOffCallback: true,
  reserveRetryKey: true,
  describeRuns: true,
  knownWork: true,
  writeRecords: true,
  keepLetters: true,
  forgetLetters: true,
  forgetSender: true,
} as const satisfies Readonly<Record<keyof ShardPeer, true>>;

const names = Object.keys(peerNames) as readonly (keyof ShardPeer)[]; // no others

export type PeerMethod = (...args: readonly unknown[]) => Promise<unknown>;

export function peerLike(methodOf: (name: keyof ShardPeer) => PeerMethod): ShardPeer {
  const methods = names.map((name) => [name, methodOf(name)] as const);
  return Object.fromEntries(methods) as unknown as ShardPeer; // each answers what it is asked for
}

/** As a peer does it itself. */
export const askPeer = (peer: ShardPeer, name: keyof ShardPeer, args: readonly unknown[]): Promise<unknown> =>
  (peer[name] as PeerMethod)(...args); // all answer so
