// First signal: aborted with the first of several signals, or when a time is over. The platform's own way (`AbortSignal.any` of
// `AbortSignal.timeout`) forgets to: on Node a timeout whose signal was collected as garbage never comes, so that a worker that
// asked to wait for three seconds waited for sixty.
//
// Always true: until it is ended it hears of every source, whatever else knows of them; then it leaves nothing behind.

export interface FirstSignal {
  readonly signal: AbortSignal;
  /** Nobody waits any more. */
  readonly end: () => void;
}

interface Timers {
  setTimeout(callback: () => void, ms: number): { unref?: () => void };
  clearTimeout(timer: unknown): void;
}

const timers = globalThis as unknown as Timers; // every runtime has these; none of their types is in all of our compilations

/** `withinMs`: real time, whatever clock an engine has. It keeps no process alive. */
export function firstSignal(sources: readonly (AbortSignal | undefined)[], withinMs?: number): FirstSignal {
  const controller = new AbortController();
  const hear = (source: AbortSignal) => (): void => controller.abort(source.reason);
  const heard = sources.flatMap((source) => (source ? [{ source, listener: hear(source) }] : []));
  for (const { source, listener } of heard) {
    if (source.aborted) listener();
    else source.addEventListener('abort', listener, { once: true });
  }
  const timer = withinMs === undefined ? undefined : timers.setTimeout(() => controller.abort(timeIsOver()), withinMs);
  timer?.unref?.();
  const end = (): void => {
    for (const { source, listener } of heard) source.removeEventListener('abort', listener);
    timers.clearTimeout(timer);
  };
  return { signal: controller.signal, end };
}

const timeIsOver = (): DOMException => new DOMException('The time is over', 'TimeoutError');

/** While something is done that waits. */
export async function untilFirst<T>(
  sources: readonly (AbortSignal | undefined)[],
  work: (signal: AbortSignal) => Promise<T>,
  withinMs?: number,
): Promise<T> {
  const { signal, end } = firstSignal(sources, withinMs);
  try {
    return await work(signal);
  } finally {
    end();
  }
}
