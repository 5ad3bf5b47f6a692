// Called definitions: the workflows that a draft calls, and those that these call, as they are registered. What cannot be had
// (nobody is online, nothing is registered) is left out: where it is called, its outcome is pinned.

import type { JsonObject, NodeTypeInfo } from 'heddle';
import type { WireClient } from 'heddle/wire';
import type { Caller } from '../../worker/worker-calls.ts';
import type { TrialCalls } from './trial-calls.ts';

const definitionsMax = 50;

export async function readCalled(
  draft: { readonly definition: JsonObject; readonly catalogue: readonly NodeTypeInfo[] },
  { client, call }: { readonly client: WireClient; readonly call: Caller<TrialCalls> },
): Promise<readonly JsonObject[]> {
  const found = new Map<unknown, JsonObject>();
  const pending = [draft.definition];
  for (let next = pending.shift(); next !== undefined && found.size < definitionsMax; next = pending.shift()) {
    const { calls } = await call('describe', { definition: next, catalogue: draft.catalogue });
    for (const id of calls) {
      if (found.has(id) || id === draft.definition['id']) continue;
      const registered = await client.call('getDefinition', { id }).catch(() => null);
      if (registered === null) continue;
      found.set(id, registered.definition);
      pending.push(registered.definition);
    }
  }
  return [...found.values()];
}
