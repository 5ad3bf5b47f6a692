// Patience: how long whoever asked wants to wait. It is real time, whatever clock the engine goes by.

import { refuseLost } from './access.ts';
import type { RequestContext } from './handlers/handler.ts';

/** Work that waits: its signal is aborted when the time is up, the caller has gone, or has lost access meanwhile. */
export async function waitFor<T>(
  waitMs: number,
  { signal, access }: Pick<RequestContext, 'signal' | 'access'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController();
  const unwatch = access.grant?.onLoss(() => lost.abort());
  try {
    const answer = await work(AbortSignal.any([signal, lost.signal, AbortSignal.timeout(waitMs)]));
    refuseLost(access);
    return answer;
  } finally {
    unwatch?.();
  }
}
