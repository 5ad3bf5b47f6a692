// Known schemas: what an engine knows of the actions that it has, and of the workflows that are registered. Another process
// may know actions otherwise, and a workflow may be registered anew.

import type { JsonSchema } from '../definition.ts';

/** Only those that are JSON Schemas: of other ones nothing is known. */
export type ActionSchemas = (action: string) => KnownSchemas | undefined;

export interface KnownSchemas {
  readonly input?: JsonSchema | undefined;
  readonly output?: JsonSchema | undefined;
}

/** Without a version the latest. */
export type WorkflowSchemas = (call: WorkflowName) => KnownSchemas | undefined;

export interface WorkflowName {
  readonly id: string;
  readonly version?: number;
}

/** What is known of work when a definition is read. */
export interface KnownWork {
  readonly schemas: ActionSchemas;
  readonly workflows: WorkflowSchemas;
}

/** What a node does, as far as it may be known. */
export interface Work {
  readonly action?: string | { readonly name: string };
  readonly workflow?: string | WorkflowName;
}

export interface WorkSchemas extends KnownSchemas {
  /** `action "score"`. */
  readonly of: string;
}

export function schemasOf({ action, workflow }: Work, { schemas, workflows }: KnownWork): WorkSchemas | null {
  if (action !== undefined) {
    const name = typeof action === 'string' ? action : action.name;
    return { of: `action "${name}"`, ...schemas(name) };
  }
  if (workflow === undefined) return null;
  const call = typeof workflow === 'string' ? { id: workflow } : workflow;
  return { of: `workflow "${call.id}"`, ...workflows(call) };
}
