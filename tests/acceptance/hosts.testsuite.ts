// The hosts that every acceptance test runs on, and what those tests share: an engine on virtual time, and a restart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Problem } from '../../packages/heddle/src/base/problem.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import {
  createTestEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../packages/heddle/src/testing/test-engine.ts';
import { answerLater } from '../../proof/answer-later.ts';
import { alarmsAmong } from '../alarms.testsuite.ts';
import { isInShare, shareOf } from '../commit-share.testsuite.ts';
import type { Elsewhere } from './engine-link.testsuite.ts';
import { forgetOnPostgres, openOnPostgres } from './postgres-engine.testsuite.ts';
import { RemoteTestEngine } from './remote-engine.testsuite.ts';
import { storesAsOne } from './stores-as-one.testsuite.ts';

export interface AcceptanceHost {
  /**
   * For what only an engine in this process shows: a store that is made to fail, a closed engine, a moment between two
   * steps into which no request can fall. Skipped for an engine elsewhere.
   */
  readonly testHere: typeof test | typeof test.skip;
  /** For what the engine does without a pause, whoever looks: with a store that takes its time it is a matter of chance. */
  readonly testWithoutPause: typeof test | typeof test.skip;
  /** For an engine that only reads: where several processes share the stores, each of them takes part. */
  readonly testReadOnly: typeof test | typeof test.skip;
  /** Of many trials of one kind, every so many-th is made: where everything is a request, it takes its time. */
  readonly stride: number;
  /** An engine on a new store. It is closed after the test. */
  readonly open: (options?: TestEngineOptions) => Promise<TestEngine>;
  /** Closes the engine and opens another on the same store and clock, as after a crash: what was under way is lost. */
  readonly restart: (running: TestEngine, options?: TestEngineOptions) => Promise<TestEngine>;
}

/** `HEDDLE_HOSTS=http` runs all suites on some hosts only. */
const named = process.env['HEDDLE_HOSTS']?.split(',') as readonly Kind[] | undefined;

/**
 * `aside`: a store in memory that answers commits later, so that turns are planned on what is not durable yet. `fleet`: an
 * engine on three stores in memory. `postgres`: one on two shards of a PostgreSQL server. `http`: an engine in another process.
 * `object`: one in a Durable Object, which is aborted at every restart.
 */
type Kind = 'memory' | 'aside' | 'sqlite' | 'fleet' | 'postgres' | Elsewhere;

const isElsewhere = (kind: Kind): kind is Elsewhere => kind === 'http' || kind === 'object';

/**
 * A third of the suites, another with every commit, has the store that answers later, a third the fleet; a quarter is asked of a
 * Durable Object, the others of a process; one of sixteen has PostgreSQL, too.
 */
function kindsFor(suite: string): readonly Kind[] {
  const inMemory: readonly Kind[] = ['aside', 'fleet', 'memory'];
  const elsewhere = isInShare(suite.length, 4) ? 'object' : 'http';
  const server: readonly Kind[] = isInShare(suite.length, 16) ? ['postgres'] : [];
  return named ?? [inMemory[shareOf(suite.length, inMemory.length)] ?? 'memory', 'sqlite', elsewhere, ...server];
}

/** Describes a suite once per host. */
export function onEveryHost(name: string, suite: (host: AcceptanceHost) => void): void {
  describeOn(kindsFor(name), name, suite);
}

/** For what the test itself is a part of, as a worker: of an engine elsewhere there is one already. */
export function onStoreHosts(name: string, suite: (host: AcceptanceHost) => void): void {
  const here = kindsFor(name).filter((kind) => !isElsewhere(kind));
  if (here.length > 0) describeOn(here, name, suite);
  else test.skip(`${name}: not for an engine elsewhere`, () => undefined);
}

function describeOn(hosts: readonly Kind[], name: string, suite: (host: AcceptanceHost) => void): void {
  describe.each(hosts)(`${name} (%s)`, (kind) => {
    const opened = new Set<TestEngine>();
    const folders: string[] = [];
    const paths = new Map<Store, string>();

    const newStore = async (): Promise<Store> => {
      if (kind === 'memory') return memoryStore();
      if (kind === 'aside') return answerLater(memoryStore());
      const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
      folders.push(folder);
      return openAgain(join(folder, 'heddle.db'));
    };
    const openAgain = async (path: string): Promise<Store> => {
      const store = await openSqliteStore(path);
      paths.set(store, path);
      return store;
    };

    const alarms: string[] = [];
    // DF66: nothing that a test means to do is called a mistake.
    afterEach(() => expect(alarms.splice(0)).toEqual([]));

    afterEach(async () => {
      for (const one of opened) {
        await one.engine.close({ graceMs: 0 });
        if (one instanceof RemoteTestEngine) await one.forget();
        if (kind === 'postgres') await forgetOnPostgres(one);
      }
      opened.clear();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    });

    const added = (one: TestEngine): TestEngine => {
      opened.add(one);
      watchAlarms(one, alarms);
      return one;
    };

    suite({
      testHere: isElsewhere(kind) || kind === 'fleet' || kind === 'postgres' ? test.skip : test,
      testReadOnly: kind === 'postgres' ? test.skip : test,
      testWithoutPause: kind === 'postgres' ? test.skip : test,
      stride: isElsewhere(kind) || kind === 'postgres' ? 4 : 1,
      async open(options = {}) {
        if (isElsewhere(kind)) return added(await RemoteTestEngine.open(kind, options));
        if (kind === 'fleet') return added(await openTestFleet(options));
        if (kind === 'postgres') return added(await openOnPostgres(options));
        return added(await createTestEngine({ ...options, store: await newStore() }));
      },
      async restart(running, options = {}) {
        await running.engine.close({ graceMs: 0 });
        opened.delete(running);
        if (running instanceof RemoteTestEngine && isElsewhere(kind))
          return added(await RemoteTestEngine.open(kind, options, running));
        if (kind === 'fleet') return added(await openTestFleet({ ...options, clock: running.clock }, running));
        if (kind === 'postgres') return added(await openOnPostgres({ ...options, clock: running.clock }, running));
        const path = paths.get(running.store);
        const store = path === undefined ? running.store : await openAgain(path);
        return added(await createTestEngine({ ...options, store, clock: running.clock }));
      },
    });
  });
}

const shards = 3;
const storesOf = new WeakMap<TestEngine, readonly [Store, ...Store[]]>();

/** Tests look into its stores as into one. */
async function openTestFleet(options: TestEngineOptions, before?: TestEngine): Promise<TestEngine> {
  const known = before && storesOf.get(before);
  const stores = known ?? [memoryStore(), ...Array.from({ length: shards - 1 }, () => memoryStore())];
  const fleet = await createTestEngine({ ...options, stores });
  const opened = { ...fleet, store: storesAsOne(stores) };
  storesOf.set(opened, stores);
  return opened;
}

/** For a definition that does on purpose what the checks before a run warn of. */
export const alarmsAreMeant = { meta: { alarms: 'meant' } } as const;

/** Notes what the checks say of definitions that are registered. */
function watchAlarms({ engine }: TestEngine, alarms: string[]): void {
  const register = engine.register.bind(engine);
  engine.register = async (definition: unknown) => {
    const registered = await register(definition);
    if (registered.version === null) return registered; // refused: it may not even be JSON
    const isMeant = JSON.stringify(definition).includes(JSON.stringify(alarmsAreMeant).slice(1, -1));
    if (!isMeant) alarms.push(...alarmsAmong(registered.problems));
    return registered;
  };
}

/** What is wrong with a definition: an engine in this process tells at once, one elsewhere when it has been asked. */
export function problemsOf({ engine }: TestEngine, definition: unknown): Promise<readonly Problem[]> {
  return Promise.resolve(engine.validate(definition));
}
