// At home: operations on what all shards share. They are done in the first shard, which gives the others what has changed.

import type { Registered } from '../actor/definitions.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Perform } from '../engine/engine.ts';
import type { SharedKind } from '../engine/shard-duties.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import type { Routes } from './route.ts';
import type { Shard } from './shards.ts';
import type { SharedChanges } from './shared.ts';

type Changed = readonly (readonly [kind: SharedKind, key: string])[];
type Change<Name extends OperationName> = (request: RequestOf<Name>, answer: AnswerOf<Name>) => Changed;

/** Which records an operation changes. */
const changes: { readonly [Name in OperationName]?: Change<Name> } = {
  createTrigger: (_, { trigger }) => (trigger ? [['trigger', trigger.id]] : []),
  removeTrigger: ({ id }) => [['trigger', id]],
  enableTrigger: ({ id }) => [['trigger', id]],
  disableTrigger: ({ id }) => [['trigger', id]],
  setSecret: ({ name }) => [['secret', name]],
  removeSecret: ({ name }) => [['secret', name]],
  createCallback: (_, { callback }) => [
    ['secret', callback.secret],
    ['callback', callback.id],
  ],
  removeCallback: ({ id }) => [['callback', id]],
  enableCallback: ({ id }) => [['callback', id]],
  disableCallback: ({ id }) => [['callback', id]],
  setRetention: ({ workflow }) => [['retention', workflow]],
  removeRetention: ({ workflow }) => [['retention', workflow]],
};

/** What home does: the others have what was changed when it is answered. */
export function sharing({ perform, peer }: Done, shared: SharedChanges): Done {
  return {
    perform: performSharing(perform, shared),
    peer: {
      ...peer,
      async switchOffCallback(id, reason) {
        await peer.switchOffCallback(id, reason);
        await shared.record('callback', id);
      },
    },
  };
}

type Done = Pick<Shard, 'perform' | 'peer'>;

function performSharing(perform: Perform, shared: SharedChanges): Perform {
  return async (name, request, call) => {
    try {
      const answer = await perform(name, request, call);
      await share(shared, name, request, answer);
      return answer;
    } catch (error) {
      if (name === 'registerDefinition' && error instanceof HeddleError)
        await shared.refusedDefinition((request as RequestOf<'registerDefinition'>).definition, error.problems); // by its name
      throw error;
    }
  };
}

async function share<Name extends OperationName>(
  shared: SharedChanges,
  name: Name,
  request: RequestOf<Name>,
  answer: AnswerOf<Name>,
): Promise<void> {
  const change: Change<Name> | undefined = changes[name];
  for (const [kind, key] of change?.(request, answer) ?? []) await shared.record(kind, key);
  if (name !== 'registerDefinition' && name !== 'publishDraft') return;
  const { id, version } = answer as Registered; // by its name
  if (id !== null && version !== null) await shared.definition(id, version);
}

export const homeRoutes: Routes = {
  /** Whoever may read everything names no owner: any shard may have it. */
  async getArtifact({ all, home }, request, call) {
    for (const shard of all) {
      try {
        return await shard.perform('getArtifact', request, call);
      } catch (error) {
        if (!(error instanceof HeddleError && error.code === 'ARTIFACT_NOT_FOUND')) throw error;
      }
    }
    return home.perform('getArtifact', request, call); // which says that nobody has it
  },

  resendDelivery: (shards, request) => shards.ofId(request.id).perform('resendDelivery', request),
};
