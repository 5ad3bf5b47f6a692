// Route: how the fleet does one operation.

import type { Call } from '../engine/performer.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import type { Shards } from './shards.ts';

export type Route<Name extends OperationName> = (
  shards: Shards,
  request: RequestOf<Name>,
  call: Call,
) => Promise<AnswerOf<Name>>;

/** Of operations that are not simply done by one shard. */
export type Routes = { readonly [Name in OperationName]?: Route<Name> };
