// What an action puts for a run that is deleted meanwhile.

import { expect, test } from 'vitest';
import type { Commit, Deletion, Store } from '../actor/ports.ts';
import type { ActionContext } from '../executor/action.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { openEngine } from './engine.testsuite.ts';

const text = (number: unknown): string => `file ${JSON.stringify(number)}`;
const file = { id: 'file', initialNode: 'a', nodes: [{ id: 'a', action: 'put' }], transitions: [] };
const caller = { id: 'caller', initialNode: 'c', nodes: [{ id: 'c', workflow: 'file' }], transitions: [] };

/** Answers when it is told to. */
function hold() {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { held, release };
}

/** An engine with an action that puts when `putting` says so, whatever becomes of its run. */
async function open(store: Store) {
  const putting = hold();
  const outcomes: unknown[] = [];
  const put = async ({ artifacts }: ActionContext) => {
    await putting.held;
    outcomes.push(await artifacts.put(text(1), 'text/plain').catch((error: unknown) => error));
    return {};
  };
  const opened = await openEngine({ store, actions: { put } });
  for (const definition of [file, caller]) await opened.engine.register(definition);
  /** Starts a run and cancels it while its action, or that of the run below it, is at work. */
  const startAndCancel = async (workflow: string) => {
    const run = await opened.engine.start(workflow);
    await opened.settle();
    await run.cancel();
    await opened.settle();
    return run;
  };
  return { ...opened, outcomes, putting, startAndCancel };
}

/** Where commits of artifacts, or deletions of runs, answer when they are told to. */
function slow(what: 'commit' | 'deleteRuns') {
  const store = memoryStore();
  const asked: string[] = [];
  const answer = hold();
  const held: Partial<Store> = {
    async commit(commit: Commit) {
      if (what === 'commit' && commit.records.some(({ kind, value }) => kind === 'artifact' && value !== null)) {
        asked.push('commit');
        await answer.held;
      }
      return store.commit(commit);
    },
    async deleteRuns(deletion: Deletion) {
      asked.push('deleteRuns');
      if (what === 'deleteRuns') await answer.held;
      return store.deleteRuns(deletion);
    },
  };
  const seen = new Proxy(store, {
    get(target, name: keyof Store) {
      if (name in held) return held[name];
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { store: seen, asked, answer };
}

/** Records of artifacts, and bytes. */
const left = async (store: Store) => [
  ...(await store.listRecords('artifact', { limit: 10 })).map(({ key }) => key),
  ...(await store.listRecords('artifact-claim', { limit: 10 })).map(({ key }) => key),
  ...(await store.artifacts.list(null, 10)),
];

test.each(['file', 'caller'])('[AR10] what is put when its run has been deleted is refused: %s', async (workflow) => {
  const { store, settle, outcomes, putting, startAndCancel } = await open(memoryStore());
  const run = await startAndCancel(workflow);
  await run.delete();
  putting.release();
  await settle();
  expect(outcomes).toEqual([expect.objectContaining({ code: 'RUN_NOT_FOUND', retryable: false })]);
  expect(await left(store)).toEqual([]);
});

test('[AR10] a run is deleted once what is put for it is stored, and that goes with it', async () => {
  const { store, asked, answer } = slow('commit');
  const { settle, outcomes, putting, startAndCancel } = await open(store);
  const run = await startAndCancel('caller');
  putting.release();
  await settle();
  const deleting = run.delete();
  await settle();
  expect(asked).toEqual(['commit']);
  answer.release();
  await deleting;
  expect(asked).toEqual(['commit', 'deleteRuns']);
  expect(outcomes).toEqual([{ id: expect.any(String), mimeType: 'text/plain' }]);
  expect(await left(store)).toEqual([]);
});

test('[AR10] what is put while its run is deleted waits until that is decided', async () => {
  const { store, asked, answer } = slow('deleteRuns');
  const { settle, outcomes, putting, startAndCancel } = await open(store);
  const run = await startAndCancel('file');
  const deleting = run.delete();
  await settle();
  putting.release();
  await settle();
  expect([asked, outcomes]).toEqual([['deleteRuns'], []]);
  answer.release();
  await deleting;
  await settle();
  expect(outcomes).toEqual([expect.objectContaining({ code: 'RUN_NOT_FOUND' })]);
  expect(await left(store)).toEqual([]);
});
