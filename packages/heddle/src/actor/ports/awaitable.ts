// Awaitable: what a port answers with.

/** Synchronous hosts answer at once; others with a promise. */
export type Awaitable<T> = T | Promise<T>;
