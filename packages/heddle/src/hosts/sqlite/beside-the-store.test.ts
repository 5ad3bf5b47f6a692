// The files beside a store: its key and its artifacts, and what is told when something is wrong with them.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../actor/ports.ts';
import { refusalOf } from '../store-fixtures.testsuite.ts';
import { openSqliteStore, type SqliteStoreOptions } from './open.ts';

let folder: string;
let file: string;
let opened: Store[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-beside-'));
  file = path.join(folder, 'heddle.db');
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  await rm(folder, { recursive: true });
});

async function open(options: SqliteStoreOptions = {}, target = file): Promise<Store> {
  const store = await openSqliteStore(target, { lockWaitMs: 0, ...options });
  opened.push(store);
  return store;
}

const helloId = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const hello = new TextEncoder().encode('hello');
const helloFile = () => path.join(`${file}-artifacts`, helloId.slice(0, 2), helloId.slice(2));

describe('the key file', () => {
  const keyFile = () => `${file}.key`;

  it('[SC3] is made for a writer, for its owner alone, and holds the key', async () => {
    const store = await open();
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(new Uint8Array(readFileSync(keyFile()).subarray(0, 32))).toStrictEqual(await store.secretKey());
    expect(readdirSync(folder).filter((name) => name.includes('key'))).toEqual(['heddle.db.key']);
  });

  it('[SC3] is not made for a reader, who finds the one of the writer', async () => {
    const writer = await open();
    const reader = await open({ readOnly: true });
    expect(await reader.secretKey()).toStrictEqual(await writer.secretKey());
    await rm(keyFile());
    const late = await open({ readOnly: true });
    const refusal = await refusalOf(() => late.secretKey());
    expect(refusal.code).toBe('STORE_MISSING');
    expect(refusal.message).toContain(`Expected the store's key in ${keyFile()}, but there is no such file.`);
    expect(existsSync(keyFile())).toBe(false);
  });

  it('is the same under every name of the store', async () => {
    const key = await (await open()).secretKey();
    const link = path.join(folder, 'link.db');
    await symlink(file, link);
    expect(await (await open({ readOnly: true }, link)).secretKey()).toStrictEqual(key);
    expect(existsSync(`${link}.key`)).toBe(false);
  });

  it('[SC3] that has another length is refused, not replaced; once it is mended it is used', async () => {
    writeFileSync(keyFile(), 'short');
    const store = await open();
    const refusal = await refusalOf(() => store.secretKey());
    expect(refusal.code).toBe('STORE_DAMAGED');
    expect(refusal.message).toContain(
      `to hold the 32 bytes of the store's key and their SHA-256, but it has 5 bytes. Put a backup in its place`,
    );
    expect(readFileSync(keyFile(), 'utf8')).toBe('short');
    writeFileSync(keyFile(), new Uint8Array(32).fill(7));
    expect(await store.secretKey()).toStrictEqual(new Uint8Array(32).fill(7));
  });

  it('[SC3] in which a bit has turned over is refused', async () => {
    await (await open()).close();
    const bytes = readFileSync(keyFile());
    for (const place of [0, 31, 32, 63]) {
      const changed = Buffer.from(bytes);
      changed[place]! ^= 4;
      writeFileSync(keyFile(), changed);
      const refusal = await refusalOf(async () => (await open({ readOnly: true })).secretKey());
      expect(refusal.code).toBe('STORE_DAMAGED');
      expect(refusal.message).toContain(
        'but it was changed, and does not match its SHA-256. Put a backup in its place',
      );
    }
  });

  it('that cannot be read is refused', async () => {
    mkdirSync(keyFile());
    const store = await open();
    const refusal = await refusalOf(() => store.secretKey());
    expect(refusal.code).toBe('STORE_UNWRITABLE');
    expect(refusal.message).toContain(
      `Expected to be able to read and write ${keyFile()}, but the system says 'EISDIR`,
    );
  });

  it('takes no harm from what a crash left of its making', async () => {
    writeFileSync(`${keyFile()}.new`, 'half');
    const store = await open();
    expect(await store.secretKey()).toHaveLength(32);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(existsSync(`${keyFile()}.new`)).toBe(false);
  });
});

describe('the artifact files', () => {
  it('lie in a folder beside the store, named for their content', async () => {
    const store = await open();
    expect(existsSync(`${file}-artifacts`)).toBe(false);
    await store.artifacts.put(hello);
    expect(readFileSync(helloFile(), 'utf8')).toBe('hello');
    expect(readdirSync(path.dirname(helloFile()))).toEqual([helloId.slice(2)]);
  });

  it('[AR5] say which one is damaged when they are read; put again, it is whole', async () => {
    const store = await open();
    await store.artifacts.put(hello);
    writeFileSync(helloFile(), 'hallo');
    const refusal = await refusalOf(() => store.artifacts.get(helloId));
    expect(refusal.code).toBe('STORE_DAMAGED');
    expect(refusal.message).toBe(
      `Expected ${helloFile()} to hold the content that it is named for, but its SHA-256 is another. Put a backup in ` +
        'its place, or put the same content again.',
    );
    await store.artifacts.put(hello);
    expect(await store.artifacts.get(helloId)).toStrictEqual(hello);
  });

  it('are made whole again when one was cut off, and whatever a crash left', async () => {
    const store = await open();
    await store.artifacts.put(hello);
    writeFileSync(helloFile(), 'he');
    writeFileSync(`${helloFile()}.new`, 'hel');
    await store.artifacts.put(hello);
    expect(await store.artifacts.get(helloId)).toStrictEqual(hello);
    expect(readdirSync(path.dirname(helloFile()))).toEqual([helloId.slice(2)]);
  });

  it('are read, not written, by a reader', async () => {
    const writer = await open();
    await writer.artifacts.put(hello);
    const reader = await open({ readOnly: true });
    expect(await reader.artifacts.get(helloId)).toStrictEqual(hello);
    const refusal = await refusalOf(() => reader.artifacts.put(new Uint8Array(1)));
    expect(refusal.code).toBe('STORE_UNWRITABLE');
    expect(refusal.message).toContain('opened with readOnly');
  });

  it('tell what stands in their way, and go on when it is gone', async () => {
    const store = await open();
    writeFileSync(`${file}-artifacts`, 'a file');
    const refusal = await refusalOf(() => store.artifacts.put(hello));
    expect(refusal.code).toBe('STORE_UNWRITABLE');
    expect(refusal.message).toContain(`Expected to be able to read and write ${path.dirname(helloFile())}`);
    await rm(`${file}-artifacts`);
    await store.artifacts.put(hello);
    expect(await store.artifacts.get(helloId)).toStrictEqual(hello);
  });
});
