// Announcements: what a worker says of its actions, so that the engine checks, charges and times nodes as if they were its own.

import { given } from '../base/given.ts';
import type { JsonObject } from '../base/json.ts';
import type { JsonSchema, RetryDefinition } from '../definition/definition.ts';
import type { CatalogueEntry } from '../dialects/catalogue/entry.ts';
import { catalogueOf } from '../dialects/dataflow/nodes/node-type.ts';
import type { Action, ActionObject, Actions, Schema } from '../executor/action.ts';
import type { AnnouncedAction } from '../work/announcement.ts';

export function announcementsOf(actions: Actions): readonly AnnouncedAction[] {
  const catalogue = catalogueOf(actions);
  return namedActions(actions).map(([name, action]) => ({
    name,
    ...(typeof action === 'function' ? {} : settingsOf(action)),
    ...(catalogue[name] === undefined ? {} : describeType(catalogue[name])),
  }));
}

function describeType(entry: CatalogueEntry): Pick<AnnouncedAction, 'description' | 'ports' | 'catalogue'> {
  const { inputs, outputs, description, version: _, compile: __, ...catalogue } = entry;
  // Ports are plain JSON.
  return { ...given({ description }), ports: given({ inputs, outputs }) as unknown as JsonObject, catalogue };
}

function namedActions(actions: Actions): readonly (readonly [string, Action])[] {
  if (!Array.isArray(actions)) return Object.entries(actions);
  return (actions as readonly ActionObject[]).map((action) => [action.name ?? '', action]); // a list is one of objects
}

function settingsOf(action: ActionObject): Omit<AnnouncedAction, 'name'> {
  const { version, cost, input, output, execution } = action;
  // What stands under `execution` is announced as what it stands for (DF100), under whatever name it has.
  const retry = action.retry ?? execution?.retry ?? execution?.retryPolicy ?? execution?.retry_policy;
  const timeoutMs = action.timeoutMs ?? execution?.timeoutMs ?? execution?.timeout_ms;
  return {
    ...given({ version, cost, timeoutMs }),
    ...(retry === undefined ? {} : { retry: retry as RetryDefinition }), // read in any spelling
    ...schemaOf('input', input),
    ...schemaOf('output', output),
  };
}

/** The schemas of libraries are checked by the worker; only JSON Schema can be told. */
function schemaOf(side: 'input' | 'output', schema: Schema | undefined): { readonly [side: string]: JsonSchema } {
  if (schema === undefined || (typeof schema === 'object' && '~standard' in schema)) return {};
  return { [side]: schema };
}
