// The care of a file, through the engine: sizes, space that is given back, backups that can be opened.

import { existsSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { type FileHandle, mkdtemp, open as openFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEngine } from '../../engine/local-engine.ts';
import type { ActionContext } from '../../executor/action.ts';
import { memoryStore } from '../memory/store.ts';
import { openSqliteStore } from './open.ts';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'heddle-upkeep-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(() => rm(folder, { recursive: true }));

const work = {
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'work', inputMapping: { n: 'input.n' } }],
  transitions: [],
};

async function open(target = file) {
  const engine = await openEngine(await openSqliteStore(target, { lockWaitMs: 0 }), {
    actions: {
      work: async ({ input, artifacts }: ActionContext) => ({
        text: 'x'.repeat(20_000),
        file: await artifacts.put(JSON.stringify(input), 'text/plain'),
      }),
    },
  });
  await engine.register(work);
  return engine;
}

async function finish(engine: Awaited<ReturnType<typeof open>>, count: number) {
  const runs = await Promise.all(Array.from({ length: count }, (_, n) => engine.start('w', { n })));
  await Promise.all(runs.map((run) => run.result()));
  return runs;
}

describe('the care of a file', () => {
  it('[KP6] gives the space of deleted runs back', async () => {
    const engine = await open();
    await finish(engine, 100);
    await engine.close();
    const again = await open();
    const before = statSync(file).size;
    await again.retention.set('w', { keepLast: 1 });
    await again.retention.sweep();
    const stats = await again.stats();
    expect(stats.store?.freeBytes).toBe(0);
    expect(stats.store?.artifacts).toMatchObject({ count: 1, isComplete: true });
    expect(stats.runs.byStatus['completed']).toBe(1);
    await again.close();
    expect(statSync(file).size).toBeLessThan(before / 4);
    const checked = await open();
    expect((await checked.audit()).problems).toEqual([]);
    await checked.vacuum();
    await checked.close();
  });

  it.skipIf(!existsSync('/proc/self/fd'))(
    '[BU4] a backup is on the disk, all of it, before it has its name',
    async () => {
      const engine = await open();
      await finish(engine, 1);
      const copy = path.join(folder, 'new', 'copies', 'copy.db');
      const synced: string[] = [];
      const handle = await openFile(file, 'r');
      const prototype = Object.getPrototypeOf(handle) as { sync(this: FileHandle): Promise<void> };
      const original = Reflect.get(prototype, 'sync');
      await handle.close();
      const sync = (target: FileHandle): Promise<void> => original.call(target);
      vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
        const name = path.relative(folder, readlinkSync(`/proc/self/fd/${this.fd}`));
        synced.push(`${name}${existsSync(copy) ? ' (named)' : ''}`);
        return sync(this);
      });
      await engine.backup(copy);
      vi.restoreAllMocks();
      await engine.close();
      const artifact = synced.find((name) => /artifacts.[0-9a-f]{2}.[0-9a-f]{62}$/.test(name)) ?? '';
      const inCopies = (name: string) => path.join('new', 'copies', name);
      expect(new Set(synced)).toEqual(
        new Set([
          '', // The names of the folders that were made for it.
          'new',
          inCopies('copy.db.new'),
          inCopies('copy.db.key'),
          artifact,
          path.dirname(artifact),
          inCopies('copy.db-artifacts'),
          path.join('new', 'copies'),
          `${path.join('new', 'copies')} (named)`,
        ]),
      );
      expect(synced.at(-1)).toBe(`${path.join('new', 'copies')} (named)`);
    },
  );

  it('[BU1] makes a backup while runs go on, which opens as a store', async () => {
    const engine = await open();
    const [first] = await finish(engine, 50);
    const copy = path.join(folder, 'copy.db');
    const [, later] = await Promise.all([engine.backup(copy), finish(engine, 50)]);
    expect((await readdir(folder)).filter((name) => name.startsWith('copy')).toSorted()).toEqual([
      'copy.db',
      'copy.db-artifacts',
      'copy.db.key',
    ]);
    const restored = await open(copy);
    expect((await restored.audit()).problems).toEqual([]);
    expect(await restored.run(first!.id).status()).toBe('completed');
    for (const reference of await restored.artifacts.list(first!.id))
      expect((await restored.artifacts.get(reference)).bytes.length).toBeGreaterThan(0);
    await finish(restored, 3);
    expect(await engine.runs({ limit: 1_000 })).toHaveLength(100);
    expect(later).toHaveLength(50);
    await restored.close();
    await engine.close();
  });

  it('[BU1] writes over nothing, and leaves nothing half done', async () => {
    const engine = await open();
    const copy = path.join(folder, 'copy.db');
    writeFileSync(copy, 'mine');
    await expect(engine.backup(copy)).rejects.toMatchObject({ code: 'STORE_UNWRITABLE' });
    await expect(engine.backup(path.join(copy, 'copy.db'))).rejects.toMatchObject({ name: 'StoreError' });
    expect(readFileSync(copy, 'utf8')).toBe('mine');
    await engine.backup(path.join(folder, 'new', 'copy.db'));
    expect(existsSync(path.join(folder, 'new', 'copy.db'))).toBe(true);
    await engine.close();
  });

  it('[BU1] makes a backup beside a process that writes', async () => {
    const engine = await open();
    await finish(engine, 5);
    const reader = await openEngine(await openSqliteStore(file, { readOnly: true }), { readOnly: true });
    await reader.backup(path.join(folder, 'copy.db'));
    await expect(reader.vacuum()).rejects.toMatchObject({ code: 'ENGINE_READ_ONLY' });
    expect((await reader.stats()).runs.byStatus['completed']).toBe(5);
    await reader.close();
    await engine.close();
    const restored = await open(path.join(folder, 'copy.db'));
    expect(await restored.runs()).toHaveLength(5);
    await restored.close();
  });

  it('[BU2] is not there for a store in memory', async () => {
    const engine = await openEngine(memoryStore());
    await expect(engine.backup(file)).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    await expect(engine.vacuum()).rejects.toMatchObject({ code: 'NOT_AVAILABLE' });
    expect(await engine.stats()).toMatchObject({ store: null, journalRows: 0 });
    await engine.close();
  });
});
