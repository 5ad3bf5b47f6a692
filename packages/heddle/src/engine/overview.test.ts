// The overview of more runs than it looks at, on both stores.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../actor/ports.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openSqliteStore } from '../hosts/sqlite/open.ts';
import { makeCommit, makeRun } from '../hosts/store-fixtures.testsuite.ts';
import { createTestEngine } from '../testing/test-engine.ts';

const stores = {
  memory: async () => memoryStore(),
  sqlite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-overview-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return openSqliteStore(join(folder, 'heddle.db'));
  },
};

/** So many runs that took 5 s each, one a millisecond, the newest at `until`. */
async function fill(store: Store, count: number, until: number): Promise<void> {
  const runs = Array.from({ length: count }, (_, age) => {
    const createdAt = until - age;
    const row = makeRun(`run-${createdAt}`, { createdAt, endedAt: createdAt + 5_000, status: 'completed' });
    return { row, isNew: true };
  });
  await store.commit(makeCommit({ runs }));
}

describe.each(Object.entries(stores))('the overview on %s', (_, open) => {
  test('[OV2] looks at the newest 20,000 runs, and says that there are more', async () => {
    const t = await createTestEngine({ store: await open() });
    onTestFinished(() => t.engine.close());
    const now = t.clock.now();
    await fill(t.store, 20_001, now - 5_000);
    const overview = await t.engine.overview({ buckets: 1 });
    expect(overview).toMatchObject({ isPartial: true, countedFrom: now - 5_000 - 19_999 });
    expect(overview.buckets).toMatchObject([{ started: 20_000, completed: 20_000, p50Ms: 5_000, p95Ms: 5_000 }]);
  });

  test('[OV2] looks at 2,000 runs that began before its time, and says from where ends are counted', async () => {
    const t = await createTestEngine({ store: await open() });
    onTestFinished(() => t.engine.close());
    const from = t.clock.now() - 3_600_000;
    await fill(t.store, 2_001, from - 1);
    const overview = await t.engine.overview({ buckets: 1 });
    expect(overview).toMatchObject({ isPartial: false, countedFrom: from - 2_000 });
    expect(overview.buckets).toMatchObject([{ started: 0, completed: 2_000 }]);
  });
});
