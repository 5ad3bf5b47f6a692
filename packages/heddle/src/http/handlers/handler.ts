// Handler: what does the work of one operation that came over HTTP. It is given what the table allows, and answers with what
// it promises.

import type { Awaitable } from '../../actor/ports.ts';
import type { Engine } from '../../engine/engine.ts';
import type { AnswerOf, OperationName, RequestOf } from '../../operations/operations.ts';
import type { Access } from '../access.ts';
import type { ApiKeys } from '../api-keys.ts';
import type { EventStreams } from '../event-stream.ts';
import type { Sender } from '../sender.ts';

/** What surrounds a request. */
export interface RequestContext {
  /** The engine of the tenant whose key it is. */
  readonly engine: Engine;
  readonly access: Access;
  /** Aborted when whoever asked has gone. */
  readonly signal: AbortSignal;
  /** The page that sent it, if one did. */
  readonly sender: Sender;
  /** Goes with the answer. */
  readonly setCookie: (cookie: string) => void;
  readonly header: (name: string) => string | undefined;
  /** All of them, names in lower case. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** The query as it came. */
  readonly parameters: URLSearchParams;
  /** Makes a backup where the server keeps them; null where it keeps none. */
  readonly backup: ((tenant: string) => Promise<{ readonly file: string }>) | null;
  readonly streams: EventStreams;
  /** Null where nobody needs a key. */
  readonly keys: ApiKeys | null;
  readonly metrics: () => Awaitable<string>;
}

export type Handler<Name extends OperationName> = (
  request: RequestOf<Name>,
  context: RequestContext,
  /** Empty unless the operation takes bytes. */
  bytes: Uint8Array,
) => Awaitable<HandledOf<Name>>;

/** A stream is answered as what is sent; null: there is nothing more to come, and nobody need ask again. */
type HandledOf<Name extends OperationName> =
  AnswerOf<Name> extends AsyncIterable<unknown> ? ReadableStream<Uint8Array> | null : AnswerOf<Name>;

export type HandlersOf<Name extends OperationName> = { readonly [N in Name]: Handler<N> };
