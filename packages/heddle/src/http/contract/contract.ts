// Contract: the table of everything that can be asked over HTTP.

import { creditRoutes } from './credits.ts';
import { definitionRoutes } from './definitions.ts';
import { eventRoutes } from './events.ts';
import { lookRoutes } from './looks.ts';
import { operationRoutes } from './operations.ts';
import { callbackRoutes, retentionRoutes, secretRoutes, webhookRoutes } from './outside.ts';
import { promptRoutes } from './prompts.ts';
import type { Route } from './route.ts';
import { runRoutes } from './runs.ts';
import { triggerRoutes } from './triggers.ts';
import { artifactRoutes, taskRoutes } from './work.ts';

export const contract = {
  ...definitionRoutes,
  ...runRoutes,
  ...lookRoutes,
  ...promptRoutes,
  ...eventRoutes,
  ...triggerRoutes,
  ...creditRoutes,
  ...taskRoutes,
  ...artifactRoutes,
  ...secretRoutes,
  ...webhookRoutes,
  ...callbackRoutes,
  ...retentionRoutes,
  ...operationRoutes,
} satisfies Record<string, Route>;

export type Contract = typeof contract;
export type OperationName = keyof Contract;

export const operationNames = Object.keys(contract) as readonly OperationName[]; // the keys of the table
