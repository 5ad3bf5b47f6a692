// The hosts that every acceptance test runs on, and what those tests share: an engine on virtual time, and a restart.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe } from 'vitest';
import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { openSqliteStore } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import {
  createTestEngine,
  type TestEngine,
  type TestEngineOptions,
} from '../../packages/heddle/src/testing/test-engine.ts';

export interface AcceptanceHost {
  /** An engine on a new store. It is closed after the test. */
  readonly open: (options?: TestEngineOptions) => Promise<TestEngine>;
  /** Closes the engine and opens another on the same store and clock, as after a crash: what was under way is lost. */
  readonly restart: (running: TestEngine, options?: TestEngineOptions) => Promise<TestEngine>;
}

/** Describes a suite once per host. */
export function onEveryHost(name: string, suite: (host: AcceptanceHost) => void): void {
  describe.each(['memory', 'sqlite'] as const)(`${name} (%s)`, (kind) => {
    const opened = new Set<TestEngine>();
    const folders: string[] = [];
    const paths = new Map<Store, string>();

    const newStore = async (): Promise<Store> => {
      if (kind === 'memory') return memoryStore();
      const folder = mkdtempSync(join(tmpdir(), 'heddle-'));
      folders.push(folder);
      return openAgain(join(folder, 'heddle.db'));
    };
    const openAgain = async (path: string): Promise<Store> => {
      const store = await openSqliteStore(path);
      paths.set(store, path);
      return store;
    };

    afterEach(async () => {
      for (const { engine } of opened) await engine.close({ graceMs: 0 });
      opened.clear();
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    });

    suite({
      async open(options = {}) {
        const test = await createTestEngine({ ...options, store: await newStore() });
        opened.add(test);
        return test;
      },
      async restart(running, options = {}) {
        await running.engine.close({ graceMs: 0 });
        opened.delete(running);
        const path = paths.get(running.store);
        const store = path === undefined ? running.store : await openAgain(path);
        const test = await createTestEngine({ ...options, store, clock: running.clock });
        opened.add(test);
        return test;
      },
    });
  });
}
