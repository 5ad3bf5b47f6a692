import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Placement } from '../actor/mail/placement.ts';
import type { StoreUpkeep } from '../actor/ports.ts';
import { openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { createTestEngine, type TestEngine } from '../testing/test-engine.ts';

const opened: TestEngine[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close({ graceMs: 0 });
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const paid = { id: 'paid', initialNode: 'a', nodes: [{ id: 'a', action: 'work' }], transitions: [] };
const placement = new Placement(0, 2);
const words = Array.from({ length: 20 }, (_, n) => `w${n}`);
const organization = words.find((word) => placement.ofOrganization(word) === 0) ?? '';
const idempotencyKey = words.find((word) => placement.ofKey('start', word) === 1) ?? '';

/** A fleet of two files; `meanwhile` happens after the second was copied, before the first is. */
async function open(folder: string, meanwhile: (t: TestEngine) => Promise<void> = async () => undefined) {
  const stores = await openFleetFolder({ folder, shards: 2 });
  const home = stores[0] as { upkeep: StoreUpkeep }; // as every file has it
  const { upkeep } = home;
  const backup = async (path: string): Promise<void> => {
    await meanwhile(t);
    await upkeep.backup(path);
  };
  home.upkeep = { ...upkeep, backup };
  const t: TestEngine = await createTestEngine({ stores, actions: { work: { run: () => ({}), cost: 1 } } });
  opened.push(t);
  return t;
}

test('[ML10] what follows from what a copy does not hold is in no copy that is made later', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
  folders.push(folder);
  const first = await open(join(folder, 'fleet'), async ({ engine, settle }) => {
    await engine.start('paid', {}, { organization, idempotencyKey });
    await settle();
  });
  await first.engine.register(paid);
  await first.engine.credits.deposit(organization, 5);
  await first.engine.backup(join(folder, 'copy'));
  await first.settle();
  expect(await first.engine.credits.balance(organization)).toBe(4);
  const restored = await open(join(folder, 'copy'));
  expect(await restored.engine.runs()).toEqual([]);
  expect(await restored.engine.credits.reservations(organization)).toEqual([]);
  expect(await restored.engine.credits.balance(organization)).toBe(5);
});

test('[ML10] two backups at once are made one after the other, and one that fails holds back nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
  folders.push(folder);
  const { engine, settle } = await open(join(folder, 'fleet'));
  await engine.register(paid);
  await engine.credits.deposit(organization, 5);
  const [one, same, other] = [join(folder, 'one'), join(folder, 'one'), join(folder, 'other')];
  const made = await Promise.allSettled([engine.backup(one), engine.backup(same), engine.backup(other)]);
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await engine.start('paid', {}, { organization, idempotencyKey });
  await settle();
  expect(await engine.credits.balance(organization)).toBe(4);
});
