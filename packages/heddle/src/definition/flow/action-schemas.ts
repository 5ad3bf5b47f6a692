// Action schemas: what an engine knows of the actions that it has. Another process may know them otherwise.

import type { JsonSchema } from '../definition.ts';

/** Only those that are JSON Schemas: of other ones nothing is known. */
export type ActionSchemas = (action: string) => KnownSchemas | undefined;

export interface KnownSchemas {
  readonly input?: JsonSchema | undefined;
  readonly output?: JsonSchema | undefined;
}
