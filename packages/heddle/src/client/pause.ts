// Pause: until the time is up, or nobody wants the answer any more: whoever comes next finds that.

import { systemClock } from '../actor/system-clock.ts';

export function pause(ms: number, signal: AbortSignal | undefined, clock = systemClock()): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.schedule(clock.now() + ms, wake);
    signal?.addEventListener('abort', wake);
    if (signal?.aborted === true) wake();
  });
}
