// A draft whose engine ends between registering and removing it.

import { expect, test } from 'vitest';
import { faultyStore } from '../actor/actor.testsuite.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { createTestEngine } from '../testing/test-engine.ts';

const mail = (to: string) => ({
  id: 'mail',
  initialNode: 'send',
  nodes: [{ id: 'send', outputMapping: { 'state.to': JSON.stringify(to) } }],
  transitions: [],
});

test('[DT5] nothing is lost: the version is there, the draft too, and publishing it again removes it', async () => {
  const store = memoryStore();
  const dying = faultyStore(store, ({ records }) =>
    records.some(({ kind, value }) => kind === 'draft' && value === null),
  );
  const before = await createTestEngine({ store: dying });
  const { hash } = await before.engine.register(mail('Ada'));
  const base = { version: 1, hash: hash ?? '' };
  await before.engine.drafts.put('mail', mail('Bob'), { revision: null, base });
  await expect(before.engine.drafts.publish('mail', 1)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  await before.engine.close({ graceMs: 0 });

  const { engine } = await createTestEngine({ store });
  expect(await engine.drafts.get('mail')).toMatchObject({ revision: 1, content: mail('Bob') });
  expect((await engine.definitions({ id: 'mail' })).map(({ version }) => version)).toEqual([1, 2]);
  expect(await engine.drafts.publish('mail', 1)).toMatchObject({ version: 2, isNew: false });
  expect(await engine.drafts.list()).toEqual([]);
  await engine.close();
});
