// The command line on a fleet of files: how one is made and named, who may write to it, what is refused, what a backup is.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../../packages/heddle/src/index.ts';
import {
  asking,
  echo,
  folderWith,
  heddle,
  holding,
  holdingActions,
  startHeddle,
  startServer,
} from './command.testsuite.ts';

const files = { 'echo.json': echo, 'asking.json': asking, 'holding.json': holding, 'actions.mjs': holdingActions };

interface Started {
  readonly runId: string;
}

async function folderWithFleet(): Promise<string> {
  const cwd = folderWith(files);
  await (await createEngine({ store: { folder: path.join(cwd, 'fleet'), shards: 3 } })).close();
  return cwd;
}

/** So many runs that a shard has none only by a great accident: they go to the shards in turn. */
async function serveAndStart(cwd: string) {
  const server = await startServer(['serve', '--store', 'fleet/', '--shards', '3', '--definitions', '.'], { cwd });
  const runs = Array.from({ length: 6 }, async (_, n) => {
    const start = ['start', 'echo', '--input', JSON.stringify({ n }), '--wait', '--json', '--quiet'];
    return ((await heddle([...start, '--url', server.url], { cwd })).json as Started).runId;
  });
  return { server, runIds: (await Promise.all(runs)).toSorted() };
}

const idsOf = (json: unknown): readonly string[] => (json as readonly Started[]).map(({ runId }) => runId).toSorted();

describe('a fleet that is served', () => {
  test('is looked into beside its server, and written to by the server alone; its backup opens as a store', async () => {
    const cwd = folderWith(files);
    const { server, runIds } = await serveAndStart(cwd);
    expect(new Set(runIds.map((id) => id.split('~')[1] ?? '0'))).toEqual(new Set(['0', '1', '2']));
    const look = (...args: string[]) => heddle([...args, '--json'], { cwd, env: { HEDDLE_STORE: 'fleet' } });
    expect(idsOf((await look('runs')).json)).toEqual(runIds);
    expect((await look('db', 'stats')).json).toMatchObject({ runs: { byStatus: { completed: 6 } } });
    expect((await look('audit')).json).toMatchObject({ clean: true, runs: 6 });
    expect((await look('show', runIds[5] ?? '')).json).toMatchObject({ status: 'completed' });
    const locked = await look('cancel', runIds[0] ?? '');
    expect([locked.exitCode, locked.stderr]).toEqual([2, expect.stringMatching(/^heddle: STORE_LOCKED: .*to fleet, /)]);

    expect((await look('db', 'backup', 'copy')).json).toEqual({ path: 'copy' });
    expect(idsOf((await heddle(['runs', '--json', '--store', 'copy'], { cwd })).json)).toEqual(runIds);
    const { json } = await heddle(['db', 'backup', '--json', '--url', server.url], { cwd });
    const { path: name } = json as { readonly path: string };
    const kept = path.join('fleet.backups', name);
    expect(idsOf((await heddle(['runs', '--json', '--store', kept], { cwd })).json)).toEqual(runIds);
    const again = await heddle(['start', 'echo.json', '--store', kept, '--json'], { cwd });
    expect([again.exitCode, again.json]).toMatchObject([0, { runId: expect.any(String) }]);
    expect((await heddle(['db', 'vacuum', '--store', 'copy'], { cwd })).stdout).toMatch(/^copy: /);
  });

  test('asks for a key that was made in its folder', async () => {
    const cwd = await folderWithFleet();
    const { json } = await heddle(['keys', 'create', 'ops', '--store', 'fleet', '--json'], { cwd });
    const { url } = await startServer(['serve', '--store', 'fleet'], { cwd });
    const ask = (HEDDLE_KEY: string) => heddle(['runs'], { cwd, env: { HEDDLE_URL: url, HEDDLE_KEY } });
    expect((await ask('nonsense')).stderr).toContain('heddle: KEY_INVALID: ');
    expect((await ask((json as { readonly key: string }).key)).exitCode).toBe(0);
  });
});

describe('a fleet in a folder', () => {
  test('run keeps its run there; interrupted, it is found, explained, and resumed by another command', async () => {
    const cwd = await folderWithFleet();
    const hold = ['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'fleet', '--json'];
    const running = startHeddle(hold, { cwd });
    await running.sees('hold            starts');
    const { json: shown } = await heddle(['show', 'last', '--store', 'fleet', '--json'], { cwd });
    expect(shown).toMatchObject({ status: 'running' });
    running.child.kill('SIGKILL');
    await running.ends();
    const { runId } = shown as Started;
    const watching = startHeddle(['watch', 'last', '--store', 'fleet'], { cwd });
    await watching.sees(`Nothing works on fleet now; resume with: npx heddle resume ${runId} --store fleet`);
    watching.child.kill('SIGINT');
    const explained = await heddle(['explain', runId, '--store', 'fleet'], { cwd });
    expect(explained.exitCode).toBe(0);
    const resume = ['resume', '--actions', 'actions.mjs', '--store', 'fleet', '--json'];
    const resumed = await heddle(resume, { cwd, env: { GO: '1' } });
    expect([resumed.exitCode, resumed.json]).toMatchObject([0, { runId, status: 'completed' }]);
    expect((await heddle(['export', runId, '--store', 'fleet', '-o', 'run.html'], { cwd })).exitCode).toBe(0);
  });

  test('the same idempotency key gives the same run, whichever command asks', async () => {
    const cwd = await folderWithFleet();
    const start = async (n: number) => {
      const args = ['start', 'echo.json', '--store', 'fleet', '--idempotency-key', `order-${n}`, '--json'];
      return ((await heddle(args, { cwd })).json as Started).runId;
    };
    const first = [await start(1), await start(2)];
    expect([await start(1), await start(2)]).toEqual(first);
  });

  test('[FS3] accept-missing-log opens its files once whose logs are missing', async () => {
    const cwd = await folderWithFleet();
    const running = startHeddle(['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'fleet'], { cwd });
    await running.sees('hold');
    running.child.kill('SIGKILL');
    await running.ends();
    for (const shard of [0, 1, 2])
      for (const ending of ['-wal', '-shm'])
        rmSync(path.join(cwd, `fleet/shard-0${shard}.db${ending}`), { force: true });
    const refused = await heddle(['runs', '--store', 'fleet'], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('heddle db accept-missing-log')]);
    expect((await heddle(['db', 'accept-missing-log', '--store', 'fleet'], { cwd })).exitCode).toBe(0);
    expect((await heddle(['audit', '--store', 'fleet'], { cwd })).exitCode).toBe(0);
  });
});

test('[SH10] [SH12] [SH13] what is no whole fleet is refused in one sentence that says what to do, and nothing is made', async () => {
  const cwd = await folderWithFleet();
  const copy = async (name: string): Promise<void> => {
    await heddle(['db', 'backup', name, '--store', 'fleet'], { cwd });
  };
  await copy('headless');
  await copy('gap');
  rmSync(path.join(cwd, 'headless/shard-00.db'));
  rmSync(path.join(cwd, 'gap/shard-01.db'));
  writeFileSync(path.join(cwd, 'notes.txt'), 'no store');
  const told = [
    [
      ['runs', '--store', '.'],
      'STORE_MISSING: Expected a store at ., but it is a folder without one. Name a file in it; or ',
    ],
    [['run', 'echo.json', '--store', '.'], 'STORE_MISSING: Expected a store at ., but it is a folder without one. '],
    [['serve', '--store', '.'], 'STORE_MISSING: Expected a store at ., but it is a folder without one. '],
    [['keys', 'create', '--store', '.'], 'STORE_MISSING: Expected a store at ., but it is a folder without one. '],
    [
      ['runs', '--store', 'gap'],
      'STORE_MISSING: Expected all shards of the fleet in gap, but shard-01.db is not there. ',
    ],
    [
      ['serve', '--store', 'headless', '--shards', '3'],
      'STORE_MISSING: Expected all shards of the fleet in headless, but shard-00.db ',
    ],
    [
      ['serve', '--store', 'fleet', '--shards', '4'],
      'STORE_FOREIGN: Expected a fleet of 4 shards, but it was made with 3, ',
    ],
    [
      ['serve', '--store', 'notes.txt', '--shards', '4'],
      'OPTION_INVALID: Expected a folder for a fleet of 4 shards, but notes.txt is a file',
    ],
    [
      ['serve', '--shards', '4'],
      'OPTION_INVALID: Expected a folder for a fleet of 4 shards; name one with --store FOLDER.',
    ],
    [
      ['serve', '--store', 'new', '--shards', '65'],
      'OPTION_INVALID: Expected shards to be a whole number from 1 to 64, but found 65',
    ],
    [
      ['start', 'echo.json', '--store', 'fleet/shard-01.db'],
      'STORE_FOREIGN: Expected a store of its own, but it is shard 1 of a fleet of 3; ',
    ],
  ] as const;
  const outcomes = await Promise.all(told.map(([args]) => heddle(args, { cwd })));
  for (const [index, [, sentence]] of told.entries())
    expect([outcomes[index]?.exitCode, outcomes[index]?.stderr]).toEqual([
      2,
      expect.stringContaining(`heddle: ${sentence}`),
    ]);
  for (const name of ['new', 'headless/shard-00.db', 'gap/shard-01.db'])
    expect(existsSync(path.join(cwd, name))).toBe(false);
});

describe('heddle copy', () => {
  test('makes a fleet of a file: its runs are there, resume, and start once under their keys', async () => {
    const cwd = folderWith(files);
    const on = (store: string, ...args: string[]) =>
      heddle([...args, '--store', store, '--json'], { cwd, env: { GO: '1' } });
    const key = ['--idempotency-key', 'order-1'];
    const { runId: echoed } = (await on('x.db', 'run', 'echo.json', ...key, '--quiet')).json as Started;
    const running = startHeddle(['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'x.db'], { cwd });
    await running.sees('hold            starts');
    const locked = await heddle(['copy', 'x.db', 'fleet', '--shards', '3'], { cwd });
    expect([locked.exitCode, locked.stderr]).toEqual([2, expect.stringMatching(/^heddle: STORE_LOCKED: /)]);
    running.child.kill('SIGKILL');
    await running.ends();

    const copied = await heddle(['copy', 'x.db', 'fleet', '--shards', '3'], { cwd });
    expect([copied.exitCode, copied.stderr]).toEqual([0, '']);
    expect(copied.stdout).toMatch(/^x\.db was copied to fleet: 2 runs, \d+ journal rows, and its audit is clean\. /);
    expect(idsOf((await on('fleet', 'runs')).json)).toEqual(idsOf((await on('x.db', 'runs')).json));
    const resumed = await on('fleet', 'resume', '--actions', 'actions.mjs');
    expect([resumed.exitCode, resumed.json]).toMatchObject([0, { status: 'completed' }]);
    expect((await on('fleet', 'run', 'echo.json', ...key, '--quiet')).json).toMatchObject({ runId: echoed });
  });

  test('refuses what it cannot do with what to do, and reminds of the other tenants', async () => {
    const cwd = await folderWithFleet();
    const copy = (...args: string[]) => heddle(['copy', ...args], { cwd });
    const smaller = await copy('fleet', 'small', '--shards', '2');
    expect([smaller.exitCode, smaller.stderr]).toEqual([
      2,
      'heddle: STORE_FOREIGN: Expected small to have as many shards as fleet, which are 3, or more, but it is to be 2: the ids of its runs say which shard they are in, so that a fleet can only grow. Say shards: 3, or more.\n',
    ]);
    expect((await copy('fleet', 'x.db')).stderr).toContain('but it is to be a file, which is one: ');
    expect((await copy('nothing', 'x.db')).stderr).toContain(
      'heddle: STORE_MISSING: Expected a store at nothing, but there is none. ',
    );
    expect((await copy('fleet', 'echo.json', '--shards', '3')).stderr).toContain(
      'heddle: STORE_UNWRITABLE: Expected a free path for the copy, but ',
    );
    mkdirSync(path.join(cwd, 'fleet.tenants/acme'), { recursive: true });
    const copied = await copy('fleet', 'large', '--shards', '4', '--json');
    expect(copied.json).toEqual({ path: 'large', runs: 0, rows: 0 });
    expect(copied.stderr).toBe(
      'The other tenants of a server are stores of their own: copy each from fleet.tenants to large.tenants.\n',
    );
  });
});
