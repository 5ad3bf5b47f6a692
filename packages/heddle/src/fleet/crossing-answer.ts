// Crossing answer: what a question came to, as data: for another object or process, where it is an answer again.

import { type CrossingError, packError, unpackError } from './crossing-error.ts';

export type CrossingAnswer =
  | { readonly value: unknown }
  | { readonly error: CrossingError }
  /** The asker's signal was its reason. */
  | { readonly isStopped: true };

export async function packAnswer(answer: () => unknown, signal: AbortSignal): Promise<CrossingAnswer> {
  try {
    return { value: await answer() };
  } catch (error) {
    return signal.aborted && error === signal.reason ? { isStopped: true } : { error: packError(error) };
  }
}

/** Throws if it is none. */
export function unpackAnswer(answer: CrossingAnswer, signal: AbortSignal | undefined): unknown {
  if ('isStopped' in answer) throw signal?.reason;
  if ('error' in answer) throw unpackError(answer.error);
  return answer.value;
}
