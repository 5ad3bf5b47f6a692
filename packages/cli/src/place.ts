// Place: where the runs are that a command is about: in a file, a fleet's folder or a database, whose engine this process opens,
// or with a server. The one place that opens either; what they do differently is here, and commands ask the place for it.
//
// Always true: whoever only looks opens a store read-only, beside whoever writes to it; what a command opened, it closes; no
// password is shown.

import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from 'heddle';
import type { Heddle } from 'heddle/client';
import type { PostgresDatabase } from 'heddle/postgres';
import type { FleetFolder, SqliteStoreOptions, Store } from 'heddle/sqlite';
import { CommandError, reportOf } from './command-error.ts';
import { quoted } from './quoted.ts';
import { progress } from './terminal.ts';

export interface PlaceOptions {
  readonly store?: string;
  readonly url?: string;
  readonly key?: string;
}

export interface Place {
  readonly heddle: Heddle;
  /** For sentences: the path of the file or the folder, or the address of the server. */
  readonly name: string;
  /** What leads here again, on a command line. */
  readonly flag: string;
  /**
   * An engine that executes runs answers here: events come by themselves, tasks report their progress. False for a file that
   * is only looked at: what another process does there is found by looking again.
   */
  readonly isLive: boolean;
  /** Where the webhook of a trigger is called: its address on a server; its path for whoever serves a file. */
  webhookAddress(triggerId: string): Promise<string>;
  /** Copies the store while it is in use. */
  backUp(to: string | undefined): Promise<Copy>;
}

export interface Copy {
  readonly path: string;
  /** Where it is, in a sentence. */
  readonly sentence: string;
}

const defaultStore = './heddle.db';
const serverExample = 'http://127.0.0.1:4100';

/** For commands that are about a file, whatever server there is. */
export const storeOf = ({ store }: Pick<PlaceOptions, 'store'>): string =>
  store ?? (process.env['HEDDLE_STORE'] || defaultStore);

/** What is said on the command line goes before what the environment says, and a server before a file. */
export function placeOf({ store, url }: PlaceOptions): { readonly store: string } | { readonly url: string } {
  if (store !== undefined && url !== undefined)
    throw new CommandError('OPTION_INVALID', 'Expected --store or --url, but both were given; leave one out.');
  if (url !== undefined) return { url: checkedUrl(url) };
  if (store !== undefined) return { store };
  const { HEDDLE_URL, HEDDLE_STORE } = process.env;
  if (HEDDLE_URL) return { url: checkedUrl(HEDDLE_URL) };
  return { store: HEDDLE_STORE || defaultStore };
}

function checkedUrl(url: string): string {
  if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new CommandError(
    'URL_INVALID',
    `Expected the address of a server, such as ${serverExample}, but found ${url}.`,
  );
}

/** `look`: read-only. `change`: an engine on a file that is there. `make`: one on a file that may have to be made. */
export type Purpose = 'look' | 'change' | 'make';

export async function withPlace<T>(
  options: PlaceOptions,
  purpose: Purpose,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const place = await openPlace(options, purpose);
  try {
    return await use(place);
  } finally {
    await place.heddle.close({ graceMs: purpose === 'look' ? 0 : graceMs });
  }
}

/** Tasks that run on a file that is opened to change something may finish. */
const graceMs = 2_000;

async function openPlace(options: PlaceOptions, purpose: Purpose): Promise<Place> {
  const where = placeOf(options);
  if ('url' in where) return connectTo(where.url, keyOf(options));
  const engine = await openEngine(where.store, purpose);
  return fileAsPlace(where.store, engine, { isLive: purpose !== 'look' });
}

/** The key for the server, if there is one. */
export const keyOf = ({ key }: PlaceOptions): string | undefined => key ?? process.env['HEDDLE_KEY'];

/** An engine without actions of the user's: others may be on the same file, or come later, that have them. */
export async function openEngine(store: string, purpose: Purpose): Promise<Engine> {
  if (purpose !== 'make') checkStore(store);
  const at = isDatabase(store)
    ? await databaseAt(store, { create: purpose === 'make', guest: true })
    : await storeAt(store);
  // Loading what speaks to a server takes about as long as loading an engine: each is loaded where it is needed.
  const { createEngine } = await import('heddle');
  return openFile(store, () =>
    createEngine({
      store: at,
      // What others have the actions for is left to them.
      ...(purpose === 'look' ? { readOnly: true } : { workers: true }),
      onError: (error, { runId }) => progress.line(`${runId ? `Run ${runId}` : 'The engine'}: ${error.message}`),
    }),
  );
}

/** Whether it is the address of a database that several processes share. */
export const isDatabase = (store: string): boolean => /^postgres(ql)?:\/\//.test(store);

/** Without what lets somebody in: for sentences, and for the output of a terminal. */
export const shownStore = (store: string): string =>
  isDatabase(store) ? store.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/s, '') : store;

/** Where nothing stands between, processes tell each other; else HEDDLE_DIRECT_URL says the way. */
export async function databaseAt(
  url: string,
  how: { readonly create?: boolean; readonly guest?: boolean; readonly shards?: number } = {},
): Promise<PostgresDatabase> {
  const { postgres } = await import('heddle/postgres');
  const { HEDDLE_DIRECT_URL: directUrl } = process.env;
  return postgres({ url, ...(directUrl ? { directUrl } : {}), ...how });
}

/** A file, a fleet or a database, with the engine that this process has opened on it. */
function fileAsPlace(store: string, engine: Engine, { isLive }: Pick<Place, 'isLive'>): Place {
  return {
    heddle: engine,
    name: shownStore(store),
    flag: `--store ${quoted(shownStore(store))}`,
    isLive,
    webhookAddress: (triggerId) => Promise.resolve(webhookPath(tenantOf(store), triggerId)),
    async backUp(to) {
      if (isDatabase(store)) throw copyWithItsMeans(store);
      if (to === undefined) throw pathMissing();
      await engine.backup(to);
      const next = `npx heddle audit --store ${quoted(to)}`;
      return { path: to, sentence: `${store} was copied to ${to}; look into it with: ${next}` };
    },
  };
}

async function connectTo(url: string, key: string | undefined): Promise<Place> {
  const { connect } = await import('heddle/client');
  const client = connect({ url, ...(key ? { key } : {}) });
  return {
    heddle: client,
    name: url,
    flag: `--url ${quoted(url)}`,
    isLive: true,
    async webhookAddress(triggerId) {
      const { tenant } = await client.call('whoAmI', {});
      return url + webhookPath(tenant, triggerId);
    },
    async backUp(to) {
      if (to !== undefined) throw pathNotOurs(to, url);
      const file = await client.backup();
      const where = `${file}, in the folder STORE.backups beside its file`;
      return { path: file, sentence: `${url} keeps a copy on its own machine: ${where}.` };
    },
  };
}

const webhookPath = (tenant: string, triggerId: string): string =>
  `/v1/webhooks/${tenant}/${encodeURIComponent(triggerId)}`;

/** The file or folder of a tenant is named for it. */
function tenantOf(store: string): string {
  return path.dirname(store).endsWith('.tenants') ? path.basename(store, '.db') : 'default';
}

function copyWithItsMeans(store: string): CommandError {
  const message = `Expected a file or the folder of a fleet, but ${shownStore(store)} is a database`;
  return new CommandError('NOT_AVAILABLE', `${message}; copy it with its own means, such as pg_dump.`);
}

function pathMissing(): CommandError {
  return new CommandError('PATH_MISSING', 'Expected a path to copy to, but none was given: npx heddle db backup PATH.');
}

function pathNotOurs(to: string, url: string): CommandError {
  const message = `Expected no path, but ${to} was given: ${url} chooses where its copies are, on its own machine`;
  return new CommandError('OPTION_INVALID', `${message}; leave it out.`);
}

/** A file that another process writes to can be reached through that process, if it serves. */
export async function openFile<T>(store: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    const { code } = reportOf(error);
    if (code !== 'STORE_LOCKED') throw error;
    const message = `Expected to be the only one that writes to ${store}, but another engine has it open`;
    const next = `Stop that one; or, if it is a server (heddle serve, npm start), ask that one: --url ${serverExample}`;
    throw new CommandError(code, `${message}. ${next}.`);
  }
}

const isFolder = (store: string): boolean => statSync(store, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** What a path leads to: a file, or the folder of a fleet. */
export async function storeAt(store: string): Promise<string | FleetFolder> {
  if (isDatabase(store)) throw notADatabase(store);
  if (store === 'memory' || !isFolder(store)) return store;
  const { hasFleet } = await import('heddle/sqlite');
  if (hasFleet(store)) return { folder: store };
  const message = `Expected a store at ${store}, but it is a folder without one`;
  const next = `Name a file in it; or make a fleet of files there: npx heddle serve --store ${quoted(store)} --shards 4`;
  throw new CommandError('STORE_MISSING', `${message}. ${next}.`);
}

function notADatabase(store: string): CommandError {
  const message = `Expected a file or the folder of a fleet, but ${shownStore(store)} is a database that several processes share`;
  const next = 'Serve it (npx heddle serve), start there (npx heddle start), and follow the run (npx heddle watch)';
  return new CommandError('OPTION_INVALID', `${message}. ${next}.`);
}

/** Without an engine: the file, or those of all shards. */
export async function openStores(store: string, options: SqliteStoreOptions): Promise<readonly [Store, ...Store[]]> {
  const at = await storeAt(store);
  const { openFleetFolder, openSqliteStore } = await import('heddle/sqlite');
  if (typeof at === 'string') return [await openSqliteStore(at, options)];
  return (await openFleetFolder(at, options)) as readonly [Store, ...Store[]]; // a fleet has one at least
}

/** Of a fleet that has, or is to have, so many shards. */
export function fleetAt(store: string | undefined, shards: number): FleetFolder {
  const message = `Expected a folder for a fleet of ${shards} shards`;
  if (store === undefined) throw new CommandError('OPTION_INVALID', `${message}; name one with --store FOLDER.`);
  if (store === 'memory')
    throw new CommandError('OPTION_INVALID', `${message}, but ${store} is not on a disk; leave --shards out.`);
  if (!existsSync(store) || isFolder(store)) return { folder: store, shards };
  const next = `leave --shards out, or copy it into a fleet: npx heddle copy ${quoted(store)} FOLDER --shards ${shards}`;
  throw new CommandError('OPTION_INVALID', `${message}, but ${store} is a file, which is one store; ${next}.`);
}

/** Looking at a store, or resuming one, makes none. */
export function checkStore(store: string): void {
  // Whether there is one in a database shows when it is opened.
  if (isDatabase(store) || existsSync(store)) return;
  const next = 'Name one with --store FILE, or a server with --url; `npx heddle run … --store FILE` makes one';
  throw new CommandError('STORE_MISSING', `Expected a store at ${store}, but there is no such file. ${next}.`);
}
