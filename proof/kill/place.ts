// Place: where the store of a round, or a copy of it, lies: one file, or the folder of a fleet of files.

import { existsSync } from 'node:fs';
import { shardFile } from '../../packages/heddle/src/base/shard.ts';
import type { FleetFolder } from '../../packages/heddle/src/index.ts';

export interface Place {
  /** Of the file, or of the folder. */
  readonly path: string;
  /** Null: one file, which is no fleet. */
  readonly shards: number | null;
}

export const isFleet = ({ shards }: Place): boolean => shards !== null;

export const fileAt = (path: string): Place => ({ path, shards: null });

/** In the order of their shards. */
export function filesOf({ path, shards }: Place): readonly string[] {
  return shards === null ? [path] : Array.from({ length: shards }, (_, shard) => shardFile(path, shard));
}

export const missingAt = (place: Place): readonly string[] => filesOf(place).filter((file) => !existsSync(file));

/** As whoever opens what is there names it. */
export const storeAt = ({ path, shards }: Place): string | FleetFolder => (shards === null ? path : { folder: path });
