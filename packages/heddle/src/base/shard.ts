// Shards: which store of several an id belongs to. Every id that is made in a shard says so, and what is made from it
// (sub-runs, prompts) says the same: a tree of runs is in one shard.
//
// Always true: an id without a shard belongs to shard 0, so that all that was made before there were shards does.

/** Of those that are listed together: more would make a page of a list, and the place of a reader of the feed, too long. */
export const shardsMax = 64;
const mark = '~'; // means nothing in addresses, and hardly stands in names that people choose

/** RI2: the id of shard 3 is that of shard 0 with `~3` behind it. */
export function inShard(id: string, shard: number): string {
  return shard === 0 ? id : `${id}${mark}${shard}`;
}

/** Where the store of a shard lies in the folder of its fleet, or of a backup of it. */
export const shardFile = (folder: string, shard: number): string =>
  `${folder}/shard-${String(shard).padStart(2, '0')}.db`;

/** What is no shard's number, or is written otherwise than `inShard` does, is a part of an id of shard 0. */
export function shardOf(id: string): number {
  const written = id.slice(id.lastIndexOf(mark) + 1);
  const shard = Number(written);
  return id.includes(mark) && String(shard) === written && isShard(shard) ? shard : 0;
}

const isShard = (number: number): boolean => Number.isSafeInteger(number) && number > 0;
