// Place: which object something is in: a tenant's, and of a tenant that has several, which shard of it.
//
// Always true: the name of an object never changes, for its storage is found by it.

import { shardPerRun } from '../actor/mail/run-placement.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { shardsMax } from '../base/shard.ts';
import { tenantPattern } from '../http/api-keys.ts';

export interface Place {
  readonly tenant: string;
  readonly shard: number;
}

/** No tenant's name has a slash in it. */
export const objectName = ({ tenant, shard }: Place): string => (shard === 0 ? tenant : `${tenant}/${shard}`);

/** The place of an object that was found by its name. */
export function placeNamed(name: string | undefined, placement: Placement): Place {
  const [, tenant, shard = '0'] = /^([^/]+)(?:\/([1-9]\d*))?$/.exec(name ?? '') ?? [];
  if (tenant !== undefined && tenantPattern.test(tenant) && Number(shard) < shardsOf(placement))
    return { tenant, shard: Number(shard) };
  const found = name === undefined ? 'it has none' : `found ${JSON.stringify(name)}`;
  throw new HeddleError(
    'OBJECT_UNNAMED',
    `Expected an object whose name is that of a tenant, or of a tenant and a shard that it has (acme/3), but ${found}. ` +
      'Ask by coordinatorOf(env.HEDDLE, { tenant, runId }), or env.HEDDLE.get(env.HEDDLE.idFromName(tenant)).',
  );
}

/** `tenant`: one object for each; `shards`: so many for each; `run`: one for every run that no other has called. */
export type Placement = 'tenant' | { readonly shards: number } | 'run';

export function shardsOf(placement: Placement): number {
  if (placement === 'tenant') return 1;
  if (placement === 'run') return shardPerRun;
  const { shards } = placement;
  if (Number.isSafeInteger(shards) && shards >= 1 && shards <= shardsMax) return shards;
  throw new HeddleError('OPTION_INVALID', `Expected from 1 to ${shardsMax} shards, but found ${String(shards)}`);
}
