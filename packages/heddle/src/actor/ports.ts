// Ports: the seam between the engine and the world. A host supplies a store, a clock and an executor; none of them holds
// a rule of behaviour. `ports/store.ts` is where a host's author begins to read.

export type * from './ports/awaitable.ts';
export * from './ports/calls.ts';
export type * from './ports/clock.ts';
export type * from './ports/definition-store.ts';
export type * from './ports/executor.ts';
export type * from './ports/fence.ts';
export type * from './ports/leases.ts';
export type * from './ports/record-store.ts';
export * from './ports/run-lists.ts';
export type * from './ports/run-store.ts';
export type * from './ports/store.ts';
