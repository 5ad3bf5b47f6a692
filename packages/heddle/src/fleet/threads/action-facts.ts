// Action facts: what a shard must know of the actions of the main thread to plan by them: names, versions, costs, schemas. The
// actions themselves do not cross.

import { given } from '../../base/given.ts';
import type { JsonSchema } from '../../definition/definition.ts';
import type { ActionObject } from '../../executor/action.ts';
import type { CompiledAction } from '../../executor/compile-action.ts';
import type { Registry } from '../../executor/registry.ts';

export interface ActionFact {
  readonly name: string;
  readonly version?: number;
  readonly cost?: number;
  readonly timeoutMs?: number;
  /** Those that are data. */
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}

export const factsOf = (registry: Registry): readonly ActionFact[] => [...registry.listKnown().values()].map(factOf);

export function factOf({ name, version, cost, timeoutMs, input, output }: CompiledAction): ActionFact {
  return {
    name,
    cost,
    ...given({ version: version ?? undefined, timeoutMs: timeoutMs ?? undefined }),
    ...given({ input: input?.schema, output: output?.schema }),
  };
}

/** In the thread of a shard: what stands there for the action. */
export const standInFor = ({ name: _, ...settings }: ActionFact): ActionObject => ({ ...settings, run: notHere });

const notHere = (): never => {
  throw new Error('Expected the main thread to do this action, but it was called in the thread of a shard');
};
