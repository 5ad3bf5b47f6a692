// Platform: the little of Cloudflare's runtime that the host needs, as the platform has it. Whoever has the platform's own types
// can hand theirs in.

import type { ObjectStorage } from '../hosts/durable-object/storage.ts';

/** `ctx` of a Durable Object. */
export interface ObjectContext {
  readonly storage: ObjectStorage;
  /** The name is known of one that was asked by it. */
  readonly id: { readonly name?: string };
  abort(reason?: string): void;
}

/** A binding of a class of Durable Objects. */
export interface ObjectNamespace {
  idFromName(name: string): object;
  get(id: object): object;
}

/** Static files that were deployed with the Worker. */
export interface AssetsBinding {
  fetch(request: Request): Promise<Response>;
}

/** Of a Worker: what goes on after its answer. */
export interface WorkerContext {
  waitUntil(promise: Promise<unknown>): void;
}
