// Follow: what grows in a place, as it comes: told by its engine where it is live, found by looking again in a file that
// another process writes to.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Place } from './place.ts';

/** Between two looks at a file. */
export const lookMs = 150;

export interface Growing<Item> {
  /** What is there after this item; with `follow` also what comes. */
  read(options: {
    readonly follow: boolean;
    readonly signal: AbortSignal;
    readonly after?: string;
  }): AsyncIterable<Item>;
  idOf(item: Item): string;
  /** Whether nothing comes any more. Asked before each look: what comes in between is read by that look. */
  isComplete(): Promise<boolean>;
}

export interface From {
  readonly after: string | undefined;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

export async function* follow<Item>(
  { isLive }: Pick<Place, 'isLive'>,
  growing: Growing<Item>,
  { after, signal }: From,
): AsyncIterable<Item> {
  for (let last = after; !signal.aborted; ) {
    const isLastLook = isLive || (await growing.isComplete());
    try {
      const options = { follow: isLive, signal, ...(last === undefined ? {} : { after: last }) };
      for await (const item of growing.read(options)) {
        last = growing.idOf(item);
        yield item;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (isLastLook) return;
    await sleep(lookMs, null, { signal }).catch(() => undefined); // told to end
  }
}

/** Ctrl-C and SIGTERM as a signal, for commands that read until they are told to stop. */
export async function withStopSignal<T>(use: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await use(stopping.signal);
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  }
}
