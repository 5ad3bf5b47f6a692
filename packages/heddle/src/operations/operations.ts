// Operations: the table of everything that can be asked of an engine.

import { accessOperations } from './access.ts';
import { artifactOperations } from './artifacts.ts';
import { callbackOperations } from './callbacks.ts';
import { catalogueOperations } from './catalogue.ts';
import { creditOperations } from './credits.ts';
import { definitionOperations } from './definitions.ts';
import { draftOperations } from './drafts.ts';
import { eventOperations } from './events.ts';
import { insideOperations } from './inside.ts';
import type { Answers, AnyOperation } from './operation.ts';
import { overviewOperations } from './overview.ts';
import { previewOperations } from './previews.ts';
import { promptOperations } from './prompts.ts';
import { retentionOperations } from './retention.ts';
import { runOperations } from './runs.ts';
import type { Schema } from './schema.ts';
import { secretOperations } from './secrets.ts';
import { serverOperations } from './server.ts';
import { triggerOperations } from './triggers.ts';
import { webhookOperations } from './webhooks.ts';
import { taskOperations } from './work.ts';
import { workerOperations } from './workers.ts';

export const operations = {
  ...definitionOperations,
  ...catalogueOperations,
  ...draftOperations,
  ...runOperations,
  ...previewOperations,
  ...insideOperations,
  ...promptOperations,
  ...eventOperations,
  ...triggerOperations,
  ...creditOperations,
  ...taskOperations,
  ...workerOperations,
  ...artifactOperations,
  ...secretOperations,
  ...webhookOperations,
  ...callbackOperations,
  ...retentionOperations,
  ...overviewOperations,
  ...serverOperations,
  ...accessOperations,
};

export type Operations = typeof operations;
export type OperationName = keyof Operations;

export const operationNames = Object.keys(operations) as readonly OperationName[]; // the keys of the table

/** What an operation takes: all of it in one object, wherever it travels. */
export type RequestOf<Name extends OperationName> = Operations[Name] extends { readonly takes: Schema<infer Request> }
  ? Request
  : never;

/** What it answers with. */
export type AnswerOf<Name extends OperationName> = Operations[Name] extends { readonly answers: Answers<infer Answer> }
  ? Answer
  : never;

/** As those see it who look at all of them. */
export const operationOf = (name: OperationName): AnyOperation => operations[name];
