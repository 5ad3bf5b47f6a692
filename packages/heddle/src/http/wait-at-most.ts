// Wait at most: until something has come, the time is up, or whoever asked has gone.

/** Whether it came. What fails meanwhile counts as having come: whoever looks sees it. Real time: it is a caller's patience. */
export function waitAtMost(what: Promise<unknown>, waitMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (came: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      resolve(came);
    };
    const leave = (): void => finish(false);
    const timer = setTimeout(leave, waitMs);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    what.then(
      () => finish(true),
      () => finish(true),
    );
  });
}
