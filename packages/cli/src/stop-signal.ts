// Stop signal: Ctrl-C and SIGTERM as an AbortSignal, for commands that read until they are told to stop.

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
