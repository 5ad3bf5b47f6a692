// Place: where the runs are that a command is about: in a file, or with a server. The one place that opens either.
//
// Always true: whoever only looks opens a file read-only, beside whoever writes to it; what a command opened, it closes.

import { existsSync } from 'node:fs';
import type { Engine } from 'heddle';
import type { Client, Heddle } from 'heddle/client';
import { CommandError, reportOf } from './command-error.ts';
import { quoted } from './quoted.ts';
import { progress } from './terminal.ts';

export interface PlaceOptions {
  readonly store?: string;
  readonly url?: string;
  readonly key?: string;
}

interface Opened {
  readonly heddle: Heddle;
  /** For sentences: the path of the file, or the address of the server. */
  readonly name: string;
  /** What leads here again, on a command line. */
  readonly flag: string;
}

export type Place =
  | (Opened & { readonly type: 'file'; readonly engine: Engine; readonly isReadOnly: boolean })
  | (Opened & { readonly type: 'server'; readonly client: Client });

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

/** What is under way by itself on a file that is opened to change something may finish. */
const graceMs = 2_000;

async function openPlace(options: PlaceOptions, purpose: Purpose): Promise<Place> {
  const where = placeOf(options);
  if ('url' in where) return connectTo(where.url, options.key ?? process.env['HEDDLE_KEY']);
  const { store } = where;
  if (purpose !== 'make') checkStore(store);
  const isReadOnly = purpose === 'look';
  // Loading what speaks to a server takes about as long as loading an engine: each is loaded where it is needed.
  const { createEngine } = await import('heddle');
  const engine = await openFile(store, () =>
    createEngine({
      store,
      // What others have the actions for is left to them.
      ...(isReadOnly ? { readOnly: true } : { workers: true }),
      onError: (error, { runId }) => progress.line(`${runId ? `Run ${runId}` : 'The engine'}: ${error.message}`),
    }),
  );
  return { type: 'file', heddle: engine, engine, isReadOnly, name: store, flag: `--store ${quoted(store)}` };
}

async function connectTo(url: string, key: string | undefined): Promise<Place> {
  const { connect } = await import('heddle/client');
  const client = connect({ url, ...(key ? { key } : {}) });
  return { type: 'server', heddle: client, client, name: url, flag: `--url ${quoted(url)}` };
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

/** Looking at a store, or going on with one, makes none. */
export function checkStore(store: string): void {
  if (existsSync(store)) return;
  const next = 'Name one with --store FILE, or a server with --url; `npx heddle run … --store FILE` makes one';
  throw new CommandError('STORE_MISSING', `Expected a store at ${store}, but there is no such file. ${next}.`);
}
