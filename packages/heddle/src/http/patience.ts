// Patience: how long whoever asked wants to wait. It is real time, whatever clock the engine goes by.

/** Aborted when the time is up, or whoever asked has gone. */
export function patienceOf(waitMs: number, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
}
