// Lease text: what a worker shows to answer for a task. It names the run, the token and the hand-out, and is sealed with
// the store's key. Rule WK9.
//
// Always true: nothing of it is stored; it is made again whenever it is needed.

import { hmacSha256 } from '../base/hash.ts';

/** The hand-out that a lease is for. */
export interface LeaseName {
  readonly runId: string;
  readonly tokenId: number;
  readonly dispatch: number;
}

// WK9: a lease is sealed for one hand-out of one task, so that it opens nothing else and is worthless after it.
export function leaseText(key: Uint8Array, { runId, tokenId, dispatch }: LeaseName): string {
  const seal = hmacSha256(key, JSON.stringify(['lease', runId, tokenId, dispatch]));
  return `${runId}.${tokenId}.${dispatch}.${seal}`;
}

const shape = /^(?<runId>.{1,1000})\.(?<tokenId>\d{1,15})\.(?<dispatch>\d{1,15})\.[\w-]{43}$/su;

/** What it says to be for; null if it is none. Whether that is true, only the seal tells. */
export function readLeaseText(text: unknown): LeaseName | null {
  const { runId, tokenId, dispatch } = (typeof text === 'string' && shape.exec(text)?.groups) || {};
  if (runId === undefined) return null;
  return { runId, tokenId: Number(tokenId), dispatch: Number(dispatch) };
}
