// Results: what is known of the result of a node's work.

import type { ActionSchemas } from './action-schemas.ts';
import type { Result } from './flow.ts';
import { outlineOf } from './outline.ts';

export const anything: Result = { outline: 'any', by: '', isOwnSchema: false };

export function actionResult(name: string, schemas: ActionSchemas): Result {
  const schema = schemas(name)?.output;
  if (schema === undefined) return anything;
  return { outline: outlineOf(schema), by: `the output schema of action "${name}"`, isOwnSchema: false };
}
