// The command line on a PostgreSQL database: servers that share it, who looks and who changes something, what is refused.

import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { askServer, testServer } from '../../packages/heddle/src/hosts/postgres/server.testsuite.ts';
import { echo, folderWith, heddle, holding, holdingActions, startServer } from './command.testsuite.ts';

const HEDDLE_SECRET_KEY = 'cd'.repeat(32);

interface Started {
  readonly runId: string;
}

/** A database of its own, named by the environment, with a password that nobody may see. */
async function newDatabase() {
  const database = `cli_${randomUUID().replaceAll('-', '')}`;
  await askServer(`CREATE DATABASE ${database}`);
  const { url } = await testServer();
  const store = url(database).replace('postgres@', 'postgres:hidden@');
  return { database, env: { HEDDLE_STORE: store, HEDDLE_DIRECT_URL: store, HEDDLE_SECRET_KEY } };
}

test('[OW1] two servers on one database: started at one, read at the other; one is killed, and the run completes', async () => {
  const { env, database } = await newDatabase();
  const cwd = folderWith({ 'echo.json': echo, 'holding.json': holding, 'actions.mjs': holdingActions });
  const args = ['serve', '--definitions', '.', '--actions', 'actions.mjs'];
  const one = await startServer([...args, '--shards', '2'], { cwd, env });
  const starting = await heddle(['start', 'holding', '--json', '--url', one.url], { cwd });
  const { runId } = starting.json as Started;
  const other = await startServer(args, { cwd, env: { ...env, GO: '1' } });
  const shown = await heddle(['show', runId, '--json', '--url', other.url], { cwd });
  expect(shown.json).toMatchObject({ runId, status: 'running' });
  one.child.kill('SIGKILL');
  await one.ends();
  const watched = await heddle(['watch', runId, '--json', '--url', other.url], { cwd });
  expect([watched.exitCode, watched.stderr]).toEqual([0, expect.stringContaining('handed out again')]);
  const audit = await heddle(['audit', '--json'], { cwd, env });
  expect(audit.json).toMatchObject({ clean: true, runs: 1 });
  other.child.kill('SIGTERM');
  const ended = await other.ends();
  expect([ended.exitCode, ended.stderr]).toEqual([0, expect.stringContaining('Everything is stored.')]);
  expect(ended.stdout + ended.stderr).not.toContain('hidden');
  const owners = 'SELECT 1 FROM heddle.owners WHERE process IS NOT NULL';
  expect(await askServer(owners, database)).toEqual([]);
});

test('[PG13] who looks makes nothing; who changes something does it alone, or asks the servers', async () => {
  const { env, database } = await newDatabase();
  const cwd = folderWith({ 'echo.json': echo });
  const refused = await heddle(['runs'], { cwd, env });
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringMatching(/^heddle: STORE_MISSING: .*schema heddle/),
  ]);
  expect(refused.stderr).not.toContain('hidden');
  expect(await askServer(`SELECT 1 FROM pg_namespace WHERE nspname = 'heddle'`, database)).toEqual([]);

  const { json } = await heddle(['keys', 'create', 'ops', '--json'], { cwd, env });
  const { key } = json as { readonly key: string };
  const server = await startServer(['serve', '--definitions', '.'], { cwd, env });
  const asked = await heddle(['runs', '--url', server.url], { cwd });
  expect(asked.stderr).toContain('KEY_INVALID: Expected a key, but there is none');
  const run = ['start', 'echo', '--input', '{"n":7}', '--wait', '--json'];
  const started = await heddle(run, { cwd, env });
  expect(started.exitCode).toBe(0);
  const { runId } = started.json as Started;
  const seen = await heddle(['show', runId, '--json', '--url', server.url, '--key', key], { cwd });
  expect(seen.json).toMatchObject({ status: 'completed', output: { n: 7 } });
  const processes = 'SELECT DISTINCT process FROM heddle.owners WHERE process IS NOT NULL';
  expect(await askServer(processes, database)).toHaveLength(1);
  const listed = await heddle(['runs', '--json'], { cwd, env });
  expect((listed.json as readonly Started[]).map((each) => each.runId)).toEqual([runId]);
});

test('what cannot be is refused with what to do, and nothing is made', async () => {
  const { env, database } = await newDatabase();
  const { url } = await testServer();
  const cwd = folderWith({ 'echo.json': echo });
  const refusal = async (args: readonly string[], other: Readonly<Record<string, string>> = {}) => {
    const { exitCode, stderr } = await heddle(args, { cwd, env: { ...env, ...other } });
    expect([exitCode, stderr.includes('hidden')]).toEqual([2, false]);
    return stderr;
  };
  const at = (store: string) => ({ HEDDLE_STORE: store, HEDDLE_DIRECT_URL: '' });
  const serve = ['serve', '--port', '0'];
  expect(await refusal(serve, at('postgres://127.0.0.1:9/nothing'))).toMatch(
    /STORE_FAILED.*Start it, or correct its address/,
  );
  expect(await refusal(serve, at(url('no_such_database')))).toMatch(/STORE_MISSING.*CREATE DATABASE/);
  expect(await refusal(serve, { HEDDLE_SECRET_KEY: '' })).toMatch(/openssl rand -base64 32/);
  expect(await refusal(['run', 'echo.json', '--store', env.HEDDLE_STORE])).toMatch(/npx heddle serve/);
  expect(await refusal(['db', 'backup', 'copy'])).toMatch(/STORE_MISSING|pg_dump/);
  expect(await askServer(`SELECT 1 FROM pg_namespace WHERE nspname = 'heddle'`, database)).toEqual([]);
});
