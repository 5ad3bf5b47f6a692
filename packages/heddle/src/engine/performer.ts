// Performer: what does one operation in the engine of this process. It is given a request that was checked by the table,
// and answers with what the table promises.

import type { Awaitable } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { accessOperations } from '../operations/access.ts';
import type { CallOptions, StreamName } from '../operations/carrier.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import type { Parts } from './assemble.ts';

/** What only a server does: it has the keys, the bodies as they came, the folder of backups. */
export type ServerOperation =
  | 'health'
  | 'ready'
  | 'metrics'
  | 'backUp'
  | AccessOperation
  | 'receiveWebhook'
  | 'receiveWebhookByPut';

type AccessOperation = keyof typeof accessOperations;

/** What an engine does; streams are read from it. */
export type EngineOperation = Exclude<OperationName, ServerOperation | StreamName>;

/** What goes with a call, and how it came. */
export interface Call extends CallOptions {
  /** Where answers to prompts come in, by the tenant that the engine belongs to. */
  readonly tenant?: string | undefined;
}

export type Performers<Name extends EngineOperation> = {
  readonly [N in Name]: (parts: Parts, request: RequestOf<N>, call: Call) => Awaitable<AnswerOf<N>>;
};

/** What was sent as an artifact: whether it is bytes, and of a type, is looked at where it is kept. */
export function sentArtifact({ bytes, mimeType }: Call): { readonly bytes: Uint8Array; readonly mimeType: string } {
  return { bytes: bytes as Uint8Array, mimeType: mimeType as string }; // as its operation takes them
}

export function notHere(name: OperationName): HeddleError {
  return new HeddleError('NOT_AVAILABLE', `Expected an operation of an engine, but ${name} is one of a server`);
}
