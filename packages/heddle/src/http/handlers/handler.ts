// Handler: what does the work of one route. It is given what the contract allows, and answers with what it promises.

import type { Awaitable } from '../../actor/ports.ts';
import type { Engine } from '../../sdk/engine.ts';
import type { Access } from '../access.ts';
import type { Contract, OperationName } from '../contract/contract.ts';
import type { AnswerOf, RequestOf } from '../contract/route.ts';
import type { EventStreams } from '../event-stream.ts';
import type { KeyBook } from '../key-book.ts';

/** What surrounds a request. */
export interface Surroundings {
  /** The engine of the tenant whose key it is. */
  readonly engine: Engine;
  readonly access: Access;
  /** Aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
  readonly header: (name: string) => string | undefined;
  /** All of them, names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Makes a backup where the server keeps them; null where it keeps none. */
  readonly backup: ((tenant: string) => Promise<{ readonly file: string }>) | null;
  readonly streams: EventStreams;
  /** Null where nobody needs a key. */
  readonly keys: KeyBook | null;
  readonly metrics: () => Awaitable<string>;
}

export type Handler<Name extends OperationName> = (
  request: RequestOf<Contract[Name]>,
  surroundings: Surroundings,
) => Awaitable<AnswerOf<Contract[Name]>>;

export type HandlersOf<Name extends OperationName> = { readonly [N in Name]: Handler<N> };
