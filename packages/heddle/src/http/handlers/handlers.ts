// Handlers: one for every operation; one that is missing does not compile.

import type { OperationName } from '../../operations/operations.ts';
import { creditHandlers } from './credits.ts';
import { definitionHandlers } from './definitions.ts';
import { eventHandlers } from './events.ts';
import type { HandlersOf } from './handler.ts';
import { lookHandlers } from './looks.ts';
import { operationHandlers } from './operations.ts';
import { callbackHandlers, retentionHandlers, secretHandlers, webhookHandlers } from './outside.ts';
import { promptHandlers } from './prompts.ts';
import { runHandlers } from './runs.ts';
import { triggerHandlers } from './triggers.ts';
import { artifactHandlers, taskHandlers } from './work.ts';

export const handlers: HandlersOf<OperationName> = {
  ...definitionHandlers,
  ...runHandlers,
  ...lookHandlers,
  ...promptHandlers,
  ...eventHandlers,
  ...triggerHandlers,
  ...creditHandlers,
  ...taskHandlers,
  ...artifactHandlers,
  ...secretHandlers,
  ...webhookHandlers,
  ...callbackHandlers,
  ...retentionHandlers,
  ...operationHandlers,
};
