import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSqlite } from '../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import {
  asking,
  echo,
  failing,
  folderWith,
  heddle,
  holding,
  holdingActions,
  startHeddle,
  startServer,
} from './command.testsuite.ts';

const files = { 'echo.json': echo, 'failing.json': failing, 'holding.json': holding, 'actions.mjs': holdingActions };

interface Ended {
  readonly runId: string;
}

/** What any other program may do to a database file. */
async function execute(file: string, sql: string): Promise<void> {
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: false });
  database.exec(sql);
  database.close();
}

async function run(cwd: string, ...args: string[]): Promise<Ended> {
  return (await heddle(['run', ...args, '--store', 'heddle.db', '--json', '--quiet'], { cwd })).json as Ended;
}

describe('looking into a store', () => {
  test('runs lists the newest first, and filters', async () => {
    const cwd = folderWith(files);
    const first = await run(cwd, 'echo.json', '--input', '{"n": 1}', '--tag', 'customer=42', '--tag', 'kind=a');
    const second = await run(cwd, 'failing.json');
    const ids = async (...args: string[]) => {
      const { exitCode, json } = await heddle(['runs', '--json', ...args], { cwd });
      expect(exitCode).toBe(0);
      return (json as readonly Ended[]).map(({ runId }) => runId);
    };
    expect(await ids()).toEqual([second.runId, first.runId]);
    expect(await ids('--limit', '1')).toEqual([second.runId]);
    expect(await ids('--status', 'completed')).toEqual([first.runId]);
    expect(await ids('--workflow', 'failing')).toEqual([second.runId]);
    expect(await ids('--tag', 'customer=42', '--tag', 'kind=a')).toEqual([first.runId]);
    expect(await ids('--tag', 'customer=43')).toEqual([]);
    const { stdout } = await heddle(['runs'], { cwd });
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['run', 'workflow', 'status'],
      [second.runId, 'failing v1', 'failed'],
      [first.runId, 'echo v1', 'completed'],
      [''],
    ]);
    expect(stdout).toContain('customer=42  kind=a');
  });

  test('show tells what a run is, its tokens and its journal', async () => {
    const cwd = folderWith(files);
    const { runId } = await run(cwd, 'echo.json', '--input', '{"n": 1}');
    const { exitCode, stdout } = await heddle(['show', runId, '--events'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^echo v1 {2}completed {2}in \d+ ms\n {2}run +/);
    expect(stdout).toContain('output   {"n":1}');
    expect(stdout).toMatch(/ 1 say +✓ completed/);
    expect(stdout).toMatch(/1\.0 +\+0 ms +workflow\.started/);
    expect(stdout).toMatch(/task\.completed +\{"token":1,"output":\{"n":1\}\}/);
    const { json } = await heddle(['show', 'last', '--json'], { cwd });
    expect(json).toMatchObject({ runId, status: 'completed', tokens: [{ id: 1, node: 'say', status: 'completed' }] });
    expect(json).not.toHaveProperty('events');
  });

  test('an unknown run, an empty store and a store that is not there', async () => {
    const cwd = folderWith(files);
    for (const command of [['runs'], ['show', 'last'], ['audit'], ['resume']]) {
      const { exitCode, stderr } = await heddle(command, { cwd });
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('STORE_MISSING: Expected a store at ./heddle.db, but'),
      ]);
    }
    await run(cwd, 'echo.json');
    const unknown = await heddle(['show', 'nope', '--json'], { cwd });
    expect([unknown.exitCode, unknown.json]).toMatchObject([2, { error: { code: 'RUN_NOT_FOUND' } }]);
    expect(unknown.stderr).toBe('heddle: RUN_NOT_FOUND: Expected a run nope, but there is none\n');
    expect((await heddle(['runs', '--workflow', 'nope'], { cwd })).stdout).toBe('No such run in ./heddle.db.\n');
  });

  test('audit is clean, or names what was tampered with and ends with 1', async () => {
    const cwd = folderWith(files);
    const { runId } = await run(cwd, 'echo.json', '--input', '{"n": 1}');
    await run(cwd, 'failing.json');
    const clean = await heddle(['audit'], { cwd });
    expect([clean.exitCode, clean.stdout]).toEqual([0, expect.stringMatching(/^clean: 2 runs, \d+ journal rows; /)]);
    await execute(path.join(cwd, 'heddle.db'), `UPDATE journal SET events = replace(events, '"n":1', '"n":2')`);
    const { exitCode, json } = await heddle(['audit', '--json'], { cwd });
    expect(exitCode).toBe(1);
    expect(json).toMatchObject({ clean: false, runs: 2, problems: [{ runId }] });
    expect((await heddle(['audit'], { cwd })).stdout).toContain(`${runId}  `);
  });

  test('files that are no stores are refused with what to do, and not touched', async () => {
    const cwd = folderWith({ ...files, 'notes.txt': 'These are notes, not a database.\n'.repeat(200) });
    await execute(path.join(cwd, 'foreign.db'), 'CREATE TABLE birds (name TEXT)');
    for (const [store, code] of [
      ['notes.txt', 'STORE_DAMAGED'],
      ['foreign.db', 'STORE_FOREIGN'],
    ] as const) {
      const before = readFileSync(path.join(cwd, store));
      for (const command of [['run', 'echo.json'], ['audit'], ['resume']]) {
        const { exitCode, stderr } = await heddle([...command, '--store', store], { cwd });
        expect([exitCode, stderr]).toEqual([
          2,
          expect.stringMatching(new RegExp(`^heddle: ${code}: Expected .*\\.\n$`)),
        ]);
      }
      expect(readFileSync(path.join(cwd, store)).equals(before)).toBe(true);
    }
    const cut = path.join(cwd, 'cut.db');
    await run(cwd, 'echo.json');
    writeFileSync(cut, readFileSync(path.join(cwd, 'heddle.db')).subarray(0, 5_000));
    expect((await heddle(['audit', '--store', 'cut.db'], { cwd })).exitCode).not.toBe(0);
  });
});

describe('starting on a store', () => {
  test('the same idempotency key gives the same run; with another input it is refused', async () => {
    const cwd = folderWith(files);
    const start = (n: number) => run(cwd, 'echo.json', '--input', `{"n": ${n}}`, '--idempotency-key', 'order-17');
    const first = await start(1);
    expect(await start(1)).toEqual(first);
    expect(await start(2)).toMatchObject({ runId: null, error: { code: 'IDEMPOTENCY_KEY_REUSED' } });
    expect((await heddle(['runs', '--json'], { cwd })).json).toHaveLength(1);
  });

  test('a version that has other content is refused', async () => {
    const cwd = folderWith({ 'one.json': { ...echo, version: 1 }, 'two.json': { ...failing, id: 'echo', version: 1 } });
    await run(cwd, 'one.json');
    const { exitCode, stderr } = await heddle(['run', 'two.json', '--store', 'heddle.db'], { cwd });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('heddle: VERSION_EXISTS: ')]);
  });
});

describe('a run that another process works on', () => {
  const hold = ['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'heddle.db'];

  test('a second writer is refused with a sentence; readers look on; Ctrl-C says how to go on; resume does', async () => {
    const cwd = folderWith(files);
    const running = startHeddle([...hold, '--json'], { cwd });
    await running.sees('hold            starts');
    const second = await heddle(['run', 'echo.json', '--store', 'heddle.db'], { cwd });
    expect(second.exitCode).toBe(2);
    expect(second.stderr).toMatch(/^heddle: STORE_LOCKED: Expected .*heddle\.db.*Stop that one.*\n$/);
    const { json: listed } = await heddle(['runs', '--json'], { cwd });
    expect(listed).toMatchObject([{ workflow: 'holding', status: 'running' }]);
    const { json: shown } = await heddle(['show', 'last', '--json'], { cwd });
    expect(shown).toMatchObject({
      tokens: [
        { node: 'first', status: 'completed' },
        { node: 'hold', status: 'dispatched' },
      ],
    });
    expect((await heddle(['audit'], { cwd })).exitCode).toBe(0);

    running.child.kill('SIGINT');
    const { exitCode, stderr, json } = await running.ends();
    expect([exitCode, json]).toMatchObject([1, { status: 'running', output: null, error: null }]);
    const { runId } = json as Ended;
    expect(stderr).toContain(
      `Interrupted; nothing is lost. Resume with: npx heddle resume ${runId} --store heddle.db --actions actions.mjs\n`,
    );

    const without = await heddle(['resume', runId, '--json'], { cwd });
    expect([without.exitCode, without.json]).toMatchObject([1, { runId, status: 'running' }]);
    expect(without.stderr).toContain(
      `Expected an action named "hold", but it was not given; nothing is lost. Resume with: npx heddle resume ${runId}`,
    );

    const resumed = await heddle(['resume', runId, '--actions', 'actions.mjs', '--json'], { cwd, env: { GO: '1' } });
    expect([resumed.exitCode, resumed.json]).toEqual([
      0,
      { runId, status: 'completed', output: { first: 1, key: `${runId}/2` }, error: null },
    ]);
    expect(readFileSync(path.join(cwd, 'calls.log'), 'utf8')).toBe(`${runId}/2\n${runId}/2\n`);
  });

  test('a killed process loses nothing; run on the same store goes on with it and says what is unfinished', async () => {
    const cwd = folderWith(files);
    const running = startHeddle(hold, { cwd });
    await running.sees('hold            starts');
    running.child.kill('SIGKILL');
    await running.ends();
    const other = await heddle(['run', 'echo.json', '--store', 'heddle.db', '--input', '{"n": 1}'], { cwd });
    expect([other.exitCode, other.stdout]).toEqual([0, '{"n":1}\n']);
    expect(other.stderr).toContain(
      '1 other run is unfinished in heddle.db; resume with: npx heddle resume --store heddle.db',
    );
    const { exitCode, stdout } = await heddle(['resume', '--actions', 'actions.mjs'], { cwd, env: { GO: '1' } });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { first: 1 }]);
    expect((await heddle(['resume'], { cwd })).stderr).toBe('Nothing is unfinished in ./heddle.db.\n');
    expect((await heddle(['audit'], { cwd })).exitCode).toBe(0);
  });

  test('Ctrl-C on a run in memory says that it is gone', async () => {
    const cwd = folderWith(files);
    const running = startHeddle(['run', 'holding.json', '--actions', 'actions.mjs'], { cwd });
    await running.sees('hold            starts');
    running.child.kill('SIGINT');
    const { exitCode, stderr } = await running.ends();
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'Interrupted; the run was kept in memory only and is gone; with --store FILE it could be resumed later.\n',
    );
  });
});

describe('the log of a store', () => {
  test('[FS3] accept-missing-log opens a file once whose log is missing, and it opens from then on', async () => {
    const cwd = folderWith(files);
    const { runId } = await run(cwd, 'echo.json');
    const running = startHeddle(['run', 'holding.json', '--actions', 'actions.mjs', '--store', 'heddle.db'], { cwd });
    await running.sees('hold');
    running.child.kill('SIGKILL');
    await running.ends();
    for (const ending of ['-wal', '-shm']) rmSync(path.join(cwd, `heddle.db${ending}`));
    const refused = await heddle(['runs'], { cwd });
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('heddle db accept-missing-log')]);
    const accepted = await heddle(['db', 'accept-missing-log'], { cwd });
    expect([accepted.exitCode, accepted.stdout]).toEqual([0, expect.stringContaining('npx heddle audit --store')]);
    expect((await heddle(['runs', '--json'], { cwd })).json).toMatchObject([{ runId }]);
  });
});

describe('snapshots of another store', () => {
  test('[TH45] are restored by a server that was given its snapshot key', async () => {
    const cwd = folderWith({ 'asking.json': asking });
    await heddle(['run', 'asking.json', '--store', 'first.db', '--quiet'], { cwd });
    const key = (await heddle(['db', 'snapshot-key', '--store', 'first.db'], { cwd })).stdout;
    expect(key).toMatch(/^\S{40,}\n$/);
    writeFileSync(path.join(cwd, 'keys.txt'), `${key}\n`);
    const { url: first } = await startServer(['serve', '--store', 'first.db'], { cwd });
    const { items } = (await (await fetch(`${first}/v1/runs`)).json()) as { readonly items: readonly [Ended] };
    const snapshot = await (await fetch(`${first}/v1/runs/${items[0].runId}/snapshot`)).text();
    const restore = async (...more: string[]): Promise<number> => {
      const store = `second${more.length}.db`;
      const { url } = await startServer(['serve', '--store', store, '--definitions', '.', ...more], { cwd });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${url}/v1/runs/restore`, { method: 'POST', headers, body: snapshot })).status;
    };
    expect([await restore(), await restore('--trust-snapshots', 'keys.txt')]).toEqual([422, 201]);
    const missing = await heddle(['serve', '--store', 'third.db', '--trust-snapshots', 'nothing.txt'], { cwd });
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('heddle db snapshot-key')]);
  });
});
