// `heddle keys …`: who may use a server. On a file, before the first serve or while none serves it; on a server, with a
// key that may.
//
// Always true: the text of a key is shown once, when it is made, and is stored nowhere.

import type { Engine } from 'heddle';
import type { KeyInfo, KeyRequest, NewKey } from 'heddle/http';
import type { Store } from 'heddle/sqlite';
import { exitCodes } from './command-error.ts';
import {
  checkStore,
  isDatabase,
  keyOf,
  openEngine,
  openFile,
  openStores,
  type PlaceOptions,
  type Purpose,
  placeOf,
  shownStore,
} from './place.ts';
import { pickMembers } from './request-members.ts';
import { table } from './table.ts';
import { output, printable, progress, timeOf } from './terminal.ts';

export interface KeysOptions extends PlaceOptions {
  readonly json?: boolean;
}

export type CreateKeyOptions = KeysOptions & Partial<Pick<KeyRequest, 'scopes' | 'tenant' | 'expiresAt'>>;

/** The keys of a store or of a server. */
interface Keys {
  create(request: KeyRequest): Promise<NewKey>;
  list(page: { readonly after?: string; readonly limit: number }): Promise<readonly KeyInfo[]>;
  rotate(id: string, graceMs: number | undefined): Promise<NewKey>;
  revoke(id: string): Promise<void>;
}

export function createKey(name: string, { scopes = ['*'], ...options }: CreateKeyOptions): Promise<number> {
  const request = { name, scopes, ...pickMembers(options, ['tenant', 'expiresAt']) };
  return withKeys(options, 'make', async (keys) => printNew(await keys.create(request), options));
}

export function listKeys({
  json,
  after,
  limit,
  ...where
}: KeysOptions & { after?: string; limit: number }): Promise<number> {
  return withKeys(where, 'look', async (keys, name) => {
    const listed = await keys.list({ limit, ...(after === undefined ? {} : { after }) });
    if (json) output.line(JSON.stringify(listed));
    else if (listed.length === 0) output.line(`No keys in ${name}; requests to this machine's own address need none.`);
    else {
      const head = ['key', 'name', 'tenant', 'made', 'ends', 'scopes'].map((title) => output.paint('dim', title));
      for (const line of table([head, ...listed.map(rowOf)])) output.line(line);
    }
    return exitCodes.done;
  });
}

function rowOf({ id, name, tenant, scopes, createdAt, expiresAt }: KeyInfo): readonly string[] {
  return [
    id,
    printable(name),
    tenant,
    timeOf(createdAt),
    expiresAt === null ? '' : timeOf(expiresAt),
    scopes.join(' '),
  ];
}

export function rotateKey(id: string, options: KeysOptions & { readonly graceMs?: number }): Promise<number> {
  return withKeys(options, 'change', async (keys) => printNew(await keys.rotate(id, options.graceMs), options));
}

export function revokeKey(id: string, options: KeysOptions): Promise<number> {
  return withKeys(options, 'change', async (keys) => {
    await keys.revoke(id);
    if (options.json) output.line(JSON.stringify({ revoked: id }));
    else output.line(`${id}  revoked`);
    return exitCodes.done;
  });
}

function printNew(key: NewKey, { json }: KeysOptions): number {
  if (json) output.line(JSON.stringify(key));
  else {
    output.line(key.key);
    progress.line(`It is shown this once. Use it with --key, or HEDDLE_KEY; its id is ${key.id}.`);
  }
  return exitCodes.done;
}

async function withKeys(
  options: PlaceOptions,
  purpose: Purpose,
  use: (keys: Keys, name: string) => Promise<number>,
): Promise<number> {
  const where = placeOf(options);
  if ('url' in where) return use(await keysOfServer(where.url, keyOf(options)), where.url);
  if (purpose !== 'make') checkStore(where.store);
  const { ApiKeys, defaultTenant } = await import('heddle/http');
  const { kept, close } = await openKept(where.store, purpose);
  try {
    const never = () => () => undefined;
    const book = new ApiKeys(kept, { now: () => Date.now(), schedule: never, wakeAt: never, defer: setImmediate });
    // Whoever can write the file can do everything.
    const owner = { tenant: defaultTenant, scopes: new Set(['*']), keyId: null };
    const keys: Keys = {
      create: (request) => book.create(request, owner),
      list: (page) => book.list(page, owner),
      rotate: (id, graceMs) => book.rotate(id, graceMs, owner),
      revoke: (id) => book.revoke(id, owner),
    };
    return await use(keys, shownStore(where.store));
  } finally {
    await close();
  }
}

/** In a database they are written by whichever process owns them. */
async function openKept(
  store: string,
  purpose: Purpose,
): Promise<{ readonly kept: Store | Engine['serverRecords']; readonly close: () => Promise<void> }> {
  if (isDatabase(store)) {
    const engine = await openEngine(store, purpose);
    return { kept: engine.serverRecords, close: () => engine.close({ graceMs: 0 }) };
  }
  const stores = await openFile(store, () => openStores(store, { readOnly: purpose === 'look' }));
  const close = async (): Promise<void> => {
    for (const each of stores) await each.close();
  };
  return { kept: stores[0], close };
}

async function keysOfServer(url: string, key: string | undefined): Promise<Keys> {
  const { connect } = await import('heddle/client');
  const client = connect({ url, ...(key ? { key } : {}) });
  return {
    create: (request) => client.call('createKey', request),
    list: async (page) => (await client.call('listKeys', page)).items,
    rotate: (id, graceMs) => client.call('rotateKey', { id, ...(graceMs === undefined ? {} : { graceMs }) }),
    revoke: (id) => client.call('revokeKey', { id }),
  };
}
