// Handlers: what HTTP does itself; all other operations are the engine's.

import type { OperationName } from '../../operations/operations.ts';
import { accessHandlers } from './access.ts';
import type { HandlersOf } from './handler.ts';
import { serverHandlers } from './server.ts';
import { streamHandlers } from './streams.ts';

export const handlers: Partial<HandlersOf<OperationName>> = {
  ...serverHandlers,
  ...accessHandlers,
  ...streamHandlers,
};
