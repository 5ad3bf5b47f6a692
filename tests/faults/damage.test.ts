// Damage through the public API: somebody changed a row of the file while no engine was there. What it was about is told,
// with a code and a name; everything else goes on.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

let folder: string;
let file: string;
const opened: TestEngine[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'heddle-damage-'));
  file = path.join(folder, 'heddle.db');
});
afterEach(async () => {
  for (const { engine } of opened.splice(0)) await engine.close({ graceMs: 0 });
  rmSync(folder, { recursive: true, force: true });
});

const task = {
  id: 'task',
  initialNode: 'a',
  nodes: [{ id: 'a', action: 'work', outputMapping: { 'output.x': 'result.x' } }],
};
const other = { ...task, id: 'other' };
const ask = { id: 'ask', initialNode: 'a', nodes: [{ id: 'a', input: true }] };

interface Life extends TestEngine {
  /** What `onError` was told, by code. */
  readonly errors: [code: string, runId: string | undefined][];
}

async function open(): Promise<Life> {
  const errors: Life['errors'] = [];
  const life = await createTestEngine({
    store: await openSqliteStore(file),
    scripted: ['work'],
    onError: (error, { runId }) => void errors.push(['code' in error ? String(error.code) : error.message, runId]),
  });
  opened.push(life);
  await life.settle();
  return { ...life, errors };
}

interface Harm {
  readonly harmed: string;
  readonly healthy: string;
}

/** Two runs with a task each; then the file is changed. */
async function harm(sql: string): Promise<Harm> {
  const { engine, settle } = await open();
  for (const definition of [task, other, ask]) await engine.register(definition);
  const { id: harmed } = await engine.start('task');
  const { id: healthy } = await engine.start('other');
  await engine.start('ask');
  await settle();
  await engine.close({ graceMs: 0 });
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: true });
  expect(database.prepare(sql.replaceAll('HARMED', harmed)).run().changes).toBe(1);
  database.close();
  return { harmed, healthy };
}

/** Another engine opens it. */
async function damage(sql: string): Promise<Life & Harm> {
  const found = await harm(sql);
  return { ...(await open()), ...found };
}

async function expectOthersToGoOn({ engine, script, settle, healthy }: Life & Harm): Promise<void> {
  script.calls.find(({ runId }) => runId === healthy)?.complete({ x: 1 });
  await settle();
  expect(await engine.run(healthy).result()).toMatchObject({ status: 'completed', output: { x: 1 } });
}

describe('a store that was damaged', () => {
  test('[DM3] in the row of a run: that run is told of and left as it is, the others go on', async () => {
    const life = await damage("UPDATE runs SET status = 'waiting' WHERE run_id = 'HARMED'");
    const { engine, harmed, errors } = life;
    expect(errors).toEqual([['STORE_DAMAGED', harmed]]);
    await expect(engine.run(harmed).summary()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(engine.run(harmed).cancel()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(engine.run(harmed).result()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    const aside = (await engine.runs({ subRuns: true })).filter(({ quarantine }) => quarantine !== null);
    expect(aside.map(({ runId, error }) => [runId, error?.code])).toEqual([[harmed, 'RUN_QUARANTINED']]);
    await expectOthersToGoOn(life);
    const { problems } = await engine.audit();
    const message = expect.stringContaining(
      `row ${harmed} of its table runs was changed, and does not match its checksum`,
    );
    expect(problems).toContainEqual({ runId: harmed, message });
  });

  test('[DM3] in a definition: its runs are set aside with the reason, the others go on', async () => {
    const life = await damage("UPDATE definitions SET body = replace(body, 'output.x', 'output.y') WHERE id = 'task'");
    const { engine, harmed, errors } = life;
    expect(errors).toEqual([['STORE_DAMAGED', harmed]]);
    const { quarantine } = await engine.run(harmed).summary();
    expect(quarantine).toContain('row task version 1 of its table definitions was changed');
    await expect(engine.start('task')).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expectOthersToGoOn(life);
  });

  test('[DM3] in a record: what asks for it is told, the others go on', async () => {
    const life = await damage("UPDATE records SET value = replace(value, 'ask', 'task') WHERE kind = 'open-prompt'");
    await expect(life.engine.prompts()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expectOthersToGoOn(life);
  });

  test.each([
    ['changed', "UPDATE journal SET events = replace(events, 'task', 'tusk') WHERE run_id = 'HARMED' AND seq = 1"],
    [
      'cut off',
      "DELETE FROM journal WHERE run_id = 'HARMED' AND seq = (SELECT max(seq) FROM journal WHERE run_id = 'HARMED')",
    ],
  ])('[JN5] in a journal that was %s: events and tokens are refused, and none is awaited for ever', async (_, sql) => {
    const { engine, harmed } = await damage(sql);
    const read = async (options: { follow?: boolean }): Promise<unknown[]> => {
      const events: unknown[] = [];
      for await (const event of engine.run(harmed).events(options)) events.push(event);
      return events;
    };
    await expect(read({ follow: false })).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(read({})).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await expect(engine.run(harmed).tokens()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });

  test('[DM3] is told of by a reader, which changes nothing', async () => {
    const { harmed } = await harm("UPDATE journal SET hash = 'x' WHERE run_id = 'HARMED' AND seq = 1");
    const errors: string[] = [];
    const store = await openSqliteStore(file, { readOnly: true });
    const reader = await openEngine(store, { readOnly: true, onError: ({ message }) => void errors.push(message) });
    await expect(reader.run(harmed).state()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    await reader.whenIdle();
    expect(errors).toEqual([expect.stringMatching(/^Expected journal row 1 to match its hash, but it was changed/)]);
    expect((await reader.audit()).problems).toMatchObject([{ runId: harmed }]);
    await reader.close();
  });
});
