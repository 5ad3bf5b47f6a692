// ForgedSnapshot: a snapshot as somebody writes it who knows how they are made and lacks one thing: the key of the store.

import { hmacSha256 } from '../../packages/heddle/src/base/hash.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import { checksumOf } from '../../packages/heddle/src/engine/snapshot.ts';
import { sealOf } from '../../packages/heddle/src/engine/snapshot-seal.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Path } from '../hostile/definitions/sites.ts';

/** The places of all values that hold no others. */
export function leavesOf(root: Json): readonly Path[] {
  const found: Path[] = [];
  const waiting: { readonly path: Path; readonly value: Json }[] = [{ path: [], value: root }];
  for (const { path, value } of waiting) {
    if (typeof value !== 'object' || value === null) found.push(path);
    else
      for (const [key, member] of Object.entries(value))
        waiting.push({ path: [...path, Array.isArray(value) ? Number(key) : key], value: member });
  }
  return found;
}

type Sealed = { readonly runs?: readonly Json[]; readonly [name: string]: Json | undefined };
type Taken = { readonly runId: unknown; readonly checkpoint: { readonly run: object } };

/** The checksums need no key. */
export function withChecksums(snapshot: unknown): Json {
  const { runs } = snapshot as Sealed;
  if (!Array.isArray(runs)) return snapshot as Json;
  return {
    ...(snapshot as object),
    runs: (runs as readonly Taken[]).map((run) => ({
      ...run,
      checksum: checksumOf(run.checkpoint as unknown as Json),
    })),
  } as unknown as Json;
}

/** Under a key that is not the store's. */
export function resealed(snapshot: Json, key: string): Json {
  const json = snapshot as { readonly [name: string]: Json };
  return { ...json, seal: sealOf(json, hmacSha256(new TextEncoder().encode(key), 'snapshot')) };
}

/** Of a run that is not there yet, so that nothing but its seal stands in its way. */
export function renamed(snapshot: Json, dice: Dice): Json {
  const [run] = ((snapshot as Sealed).runs ?? []) as unknown as readonly (Taken | undefined)[];
  if (typeof run?.checkpoint?.run !== 'object') return snapshot;
  const runId = `${typeof run.runId === 'string' ? run.runId.slice(0, -6) : ''}${String(dice.draw(1_000_000)).padStart(6, '0')}`;
  const checkpoint = { ...run.checkpoint, run: { ...run.checkpoint.run, runId, rootRunId: runId } };
  return withChecksums({ ...(snapshot as object), rootRunId: runId, runs: [{ ...run, runId, checkpoint }] });
}
