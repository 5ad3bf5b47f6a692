// Carrier: what brings an operation to the engine that does it: the engine of this process, or a server over HTTP. Whoever
// uses an engine stands on a carrier and does not know where it leads.

import type { AnswerOf, OperationName, RequestOf } from './operations.ts';
import type { Page } from './parts.ts';
import type { AwaitedRun } from './run-results.ts';

/** What goes with a request. */
export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** Of operations that take bytes, with their type. */
  readonly bytes?: Uint8Array | undefined;
  readonly mimeType?: string | undefined;
}

export interface ReadOptions {
  /** Only what comes after this event, by its id. */
  readonly after?: string;
  /** Whether to wait for what comes. */
  readonly follow?: boolean;
  /** Ends the reading, also while it waits. */
  readonly signal?: AbortSignal;
}

/** Operations that answer with a stream. */
export type StreamName = 'streamRunEvents' | 'streamRunTrace' | 'streamEvents';
export type ItemOf<Name extends StreamName> = AnswerOf<Name> extends AsyncIterable<infer Item> ? Item : never;

/** Operations that answer with a page of a list. */
export type ListName = {
  [Name in OperationName]: AnswerOf<Name> extends Page<unknown> ? Name : never;
}[OperationName];
export type ListedOf<Name extends ListName> = AnswerOf<Name> extends Page<infer Item> ? Item : never;

/** Of a list. */
export interface Wanted {
  /** Only those behind this one. */
  readonly after?: string;
  /** All of them, if absent. */
  readonly limit?: number;
}

export interface Carrier {
  /** Asks, and answers with what the operation promises. */
  call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<AnswerOf<Name>>;
  /** A list as one, in whatever pages it comes. */
  list<Name extends ListName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after' | 'limit'>,
    wanted?: Wanted,
  ): Promise<readonly ListedOf<Name>[]>;
  /** What there is, and then what comes, unless `follow` is false. */
  read<Name extends StreamName>(
    name: Name,
    request: Omit<RequestOf<Name>, 'after'>,
    options: ReadOptions,
  ): AsyncIterableIterator<ItemOf<Name>>;
  /** The run when it has ended or was set aside. */
  waitForEnd(runId: string, signal?: AbortSignal): Promise<AwaitedRun>;
}
