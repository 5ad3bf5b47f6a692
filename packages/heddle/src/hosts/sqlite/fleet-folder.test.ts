// What is named as the folder of a fleet and is none is refused before anything is made.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createEngine, type EngineFolder } from '../../index.ts';
import { serve } from '../../server/serve.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-'));
  folders.push(folder);
  return folder;
}

const openers = {
  createEngine: (store: EngineFolder | string) => createEngine({ store }),
  'createEngine with threads': (store: EngineFolder | string) =>
    createEngine({ store: typeof store === 'string' ? store : { ...store, threads: true } }),
  serve: (store: EngineFolder | string) => serve({ store, port: 0 }),
};

describe.each(Object.entries(openers))('[SH10] %s', (_, open) => {
  test('takes no file, no empty name and nothing else for a folder', async () => {
    const file = path.join(newFolder(), 'heddle.db');
    writeFileSync(file, '');
    await expect(open({ folder: file, shards: 2 })).rejects.toMatchObject({
      code: 'STORE_UNWRITABLE',
      message: expect.stringContaining('is a file. Name a folder of its own') as string,
    });
    for (const folder of ['', 7 as unknown as string])
      await expect(open({ folder, shards: 2 })).rejects.toMatchObject({
        code: 'OPTION_INVALID',
        message: expect.stringContaining('folder') as string,
      });
  });

  test('takes no other names', async () => {
    const folder = newFolder();
    const misspelt = { folder, shards: 2, shard: 2 };
    await expect(open(misspelt)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining('shard;') as string,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('says how the folder of a fleet is opened', async () => {
    const folder = newFolder();
    await (await createEngine({ store: { folder, shards: 2 } })).close();
    await expect(open(folder)).rejects.toMatchObject({
      code: 'STORE_UNWRITABLE',
      message: expect.stringContaining('is the folder of a fleet. Open it as one (store: { folder })') as string,
    });
  });
});
