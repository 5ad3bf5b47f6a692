// Fleet folder: the files of a fleet, one for each shard, in a folder of their own.
//
// Always true: whatever fails, none of them stays open; a file that was there and is missing is never made anew.

import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readMembership, refuseOtherNumber } from '../../actor/mail/membership.ts';
import type { Store } from '../../actor/ports.ts';
import { StoreError } from '../../actor/store-error.ts';
import { HeddleError } from '../../base/heddle-error.ts';
import { invalidOption, refuseUnknown } from '../../base/refuse-options.ts';
import { shardFile, shardsMax } from '../../base/shard.ts';
import { makeOwnFolder } from './durable-file.ts';
import { openSqliteStore, type SqliteStoreOptions } from './open.ts';

export interface FleetFolder {
  readonly folder: string;
  /** How many there are to be; of a fleet that is there, how many there are. */
  readonly shards?: number;
}

const filePattern = /^shard-(\d\d)\.db$/;

/** In place of a file that cannot be opened stands the reason; without the first there is no fleet. Proofs open each file themselves. */
export async function openFleetFolder(
  place: FleetFolder,
  options: SqliteStoreOptions = {},
  openFile = openSqliteStore,
): Promise<readonly (Store | StoreError)[]> {
  const { folder, shards } = checkFleetFolder(place);
  const files = new FleetFiles(folder, (file) => openFile(file, options));
  if (shards === undefined && files.there.length === 0) throw nothingThere(folder);
  if (!options.readOnly) await makeOwnFolder(path.resolve(folder));
  try {
    return files.there.includes(0) ? await openMade(files, shards) : await make(files, shards);
  } catch (error) {
    await files.close();
    throw error;
  }
}

class FleetFiles {
  readonly folder: string;
  /** The numbers of those that were there, ascending. */
  readonly there: readonly number[];
  readonly #openFile: (file: string) => Promise<Store>;
  readonly #opened = new Map<number, Store>();

  constructor(folder: string, openFile: (file: string) => Promise<Store>) {
    this.folder = folder;
    this.there = filesIn(folder);
    this.#openFile = openFile;
  }

  async open(shard: number): Promise<Store> {
    const store = this.#opened.get(shard) ?? (await this.#openFile(shardFile(this.folder, shard)));
    this.#opened.set(shard, store);
    return store;
  }

  async close(): Promise<void> {
    for (const store of this.#opened.values()) await store.close();
  }
}

async function openMade(files: FleetFiles, shards: number | undefined): Promise<readonly (Store | StoreError)[]> {
  const home = await files.open(0);
  const made = await readMembership(home);
  if (made === null) return make(files, shards ?? files.there.length);
  if (shards !== undefined) refuseOtherNumber(made, shards);
  const all: (Store | StoreError)[] = [home];
  for (let shard = 1; shard < made.shards; shard++) all.push(await openOne(files, shard));
  return all;
}

/** SH12: one that is missing is named, and not made anew. */
async function openOne(files: FleetFiles, shard: number): Promise<Store | StoreError> {
  if (!files.there.includes(shard)) return missing(files.folder, shard);
  try {
    return await files.open(shard);
  } catch (error) {
    if (error instanceof StoreError) return error;
    throw error;
  }
}

/** All files are made before one of them is noted as a shard: if one is, so was the first. */
async function make(files: FleetFiles, shards: number | undefined): Promise<readonly Store[]> {
  for (const shard of files.there)
    if (shard > 0 && (await readMembership(await files.open(shard))) !== null && !files.there.includes(0))
      throw missing(files.folder, 0);
  if (shards === undefined) throw nothingThere(files.folder);
  const all: Store[] = [];
  for (let shard = shards - 1; shard >= 0; shard--) all.unshift(await files.open(shard));
  return all;
}

/** Whether there is one, or a part of one, or of one that is being made. */
export const hasFleet = (folder: string): boolean => filesIn(folder).length > 0;

/** The numbers of the shards whose files are there, ascending. */
function filesIn(folder: string): readonly number[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder).flatMap((name) => filePattern.exec(name)?.[1] ?? []);
  return found.map(Number).toSorted((a, b) => a - b);
}

/** Throws what is wrong with what was named: nothing is made by a slip. */
export function checkFleetFolder(place: FleetFolder): FleetFolder {
  refuseUnknown('the folder of a fleet', place, ['folder', 'shards']);
  const { folder, shards } = place;
  if (typeof folder !== 'string' || folder === '') throw invalidOption('folder', 'the path of a folder', folder);
  if (shards !== undefined) refuseCount(shards);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new StoreError(
      'STORE_UNWRITABLE',
      `Expected a folder for a fleet, but ${folder} is a file. Name a folder of its own.`,
    );
  return place;
}

function refuseCount(count: unknown): void {
  if (Number.isSafeInteger(count) && Number(count) >= 1 && Number(count) <= shardsMax) return;
  throw new HeddleError(
    'OPTION_INVALID',
    `Expected shards to be a whole number from 1 to ${shardsMax}, but found ${String(count)}`,
  );
}

function missing(folder: string, shard: number): StoreError {
  const name = path.basename(shardFile(folder, shard));
  return new StoreError(
    'STORE_MISSING',
    `Expected all shards of the fleet in ${folder}, but ${name} is not there. Put it back, or the whole fleet from a backup.`,
  );
}

function nothingThere(folder: string): StoreError {
  return new StoreError(
    'STORE_MISSING',
    `Expected a fleet in ${folder}, but there is none. To make one, say how many shards it is to have.`,
  );
}
