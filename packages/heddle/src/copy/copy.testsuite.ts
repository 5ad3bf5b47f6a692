// A store that holds something of everything, and how it looks from outside: what a copy must keep.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { allOf } from '../engine/engine.testsuite.ts';
import type { Engine } from '../engine/engine.ts';
import type { FleetSeams } from '../fleet/open-fleet.ts';
import { openFleetFolder } from '../hosts/sqlite/fleet-folder.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import type { HttpTransport } from '../outbound/transport.ts';
import { createTestEngine, type TestEngine } from '../testing/test-engine.ts';
import type { VirtualClock } from '../testing/virtual-clock.ts';

/** Enough names that every shard of five has some. */
export const names = Array.from({ length: 12 }, (_, n) => `n${n}`);
export const hourMs = 3_600_000;

export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'heddle-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface OpenOptions {
  readonly clock?: VirtualClock;
  readonly wire?: FleetSeams['wire'];
  readonly readOnly?: boolean;
  readonly transport?: HttpTransport;
}

/** A file, or the folder of a fleet: 0 shards are a file. */
export async function openAt(
  place: string,
  shards: number,
  { clock, wire, transport, readOnly = false }: OpenOptions = {},
): Promise<TestEngine> {
  const stores = shards === 0 ? null : await openFleetFolder({ folder: place, shards }, { readOnly });
  return createTestEngine({
    ...(stores ? { stores } : { store: await openSqliteStore(place, { readOnly }) }),
    ...(clock ? { clock } : {}),
    ...(wire ? { wire } : {}),
    readOnly,
    ...(transport ? { http: { transport } } : {}),
    scripted: ['work'],
  });
}

const waiting = (id: string, wait: object) => ({
  id,
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait, outputMapping: { 'output.got': 'result' } }],
  transitions: [],
});

const definitions = [
  {
    id: 'echo',
    initialNode: 'say',
    nodes: [
      { id: 'say', action: 'core.echo', outputMapping: { 'output.n': 'result.n' }, inputMapping: { n: 'input.n' } },
    ],
    transitions: [],
  },
  {
    id: 'asking',
    initialNode: 'ask',
    nodes: [{ id: 'ask', input: true, outputMapping: { 'output.said': 'result' } }],
    transitions: [],
  },
  {
    id: 'failing',
    initialNode: 'fail',
    nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { message: '"no"' } }],
    transitions: [],
  },
  waiting('waiting', { event: 'paid', correlation: 'input.name' }),
  waiting('taking', { event: 'spare', correlation: 'input.name', since: 'any', once: true }),
  waiting('sleeping', { seconds: 3_600 }),
  {
    id: 'calling',
    initialNode: 'call',
    nodes: [
      {
        id: 'call',
        workflow: 'waiting',
        inputMapping: { name: 'input.name' },
        outputMapping: { 'output.got': 'result.got' },
      },
    ],
    transitions: [],
  },
  {
    id: 'working',
    initialNode: 'work',
    nodes: [{ id: 'work', action: 'work', cost: 3, outputMapping: { 'output.done': 'result.done' } }],
    transitions: [],
  },
];

export interface World {
  readonly keyed: ReadonlyMap<string, string>;
  readonly failed: string;
  readonly retried: string;
  readonly artifact: { readonly id: string; readonly mimeType: string };
}

/** Runs in every state, names of every kind. */
export async function fill({ engine, settle }: TestEngine): Promise<World> {
  for (const definition of definitions) expect((await engine.register(definition)).problems).toEqual([]);
  await engine.triggers.create({ id: 'hourly', type: 'schedule', cron: '0 * * * *', workflow: 'echo' });
  await engine.triggers.create({
    id: 'bell',
    type: 'event',
    event: 'rung',
    workflow: 'echo',
    input: { n: 'event.payload.n' },
  });
  await engine.secrets.set('token', 'hush-hush-hush', { hosts: ['api.example.com'] });
  const keyed = new Map<string, string>();
  for (const name of names) {
    await engine.credits.deposit(name, 10, { key: 'first' });
    for (const workflow of ['waiting', 'calling', 'asking', 'sleeping']) await engine.start(workflow, { name });
    await engine.start('working', { name }, { organization: name });
    keyed.set(name, (await engine.start('echo', { n: name }, { idempotencyKey: name })).id);
    await engine.publish('spare', name, { correlation: name, id: `spare-${name}`, ttlMs: 10 * hourMs });
  }
  const [failed, other] = [
    await engine.start('failing', {}, { idempotencyKey: 'broken' }),
    await engine.start('failing'),
  ];
  await settle();
  const retried = await engine.run(failed.id).retry({ idempotencyKey: 'again' });
  await engine.run(other.id).retry({ idempotencyKey: 'once more' });
  for (const name of names) {
    const broken = await engine.start('failing');
    await settle();
    await engine.run(broken.id).retry({ idempotencyKey: `retry ${name}` });
  }
  await settle();
  const artifact = await engine.artifacts.put('bytes', 'text/plain');
  return { keyed, failed: failed.id, retried: retried.id, artifact };
}

/** Everything that can be seen, in an order of its own. */
export async function look(engine: Engine) {
  const runs = (await engine.runs({ subRuns: true, limit: 10_000 })).toSorted((a, b) => (a.runId < b.runId ? -1 : 1));
  const events = await allOf(engine.events({ follow: false }));
  const nameOf = ({ runId, id, type }: { runId: string; id: string; type: string }) => `${runId} ${id} ${type}`;
  return {
    runs,
    feed: events.map(nameOf).toSorted(),
    journals: await Promise.all(runs.map(({ runId }) => allOf(engine.run(runId).events({ follow: false })))),
    prompts: (await engine.prompts({ limit: 1_000 })).map(({ correlationId }) => correlationId).toSorted(),
    balances: await Promise.all(names.map((name) => engine.credits.balance(name))),
    reservations: await Promise.all(names.map((name) => engine.credits.reservations(name))),
    definitions: await engine.definitions(),
    triggers: await engine.triggers.list(),
    secrets: await engine.secrets.list(),
  };
}

/** Of all files, by name; locks are no part of a store. */
export function hashFiles(place: string): Readonly<Record<string, string>> {
  const [folder, prefix] = existsSync(path.join(place, 'shard-00.db'))
    ? [place, '']
    : [path.dirname(place), path.basename(place)];
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files
    .map(({ name, parentPath }) => path.join(parentPath, name))
    .filter((file) => path.relative(folder, file).startsWith(prefix));
  const kept = paths.filter((file) => !file.endsWith('-lock') && !file.endsWith('-shm')).toSorted();
  return Object.fromEntries(kept.map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]));
}
