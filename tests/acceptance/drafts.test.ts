// Drafts of workflows: saved by several people, kept over a restart, published once.

import { expect, test } from 'vitest';
import type { Draft } from '../../packages/heddle/src/operations/drafts.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';

const drawn = (to: string) => ({
  id: 'mail',
  initialNode: 'send',
  nodes: [{ id: 'send', outputMapping: { 'state.to': JSON.stringify(to) } }],
  transitions: [],
});

/** Not even a node to begin with. */
const unfinished = { id: 'mail', nodes: [{ id: 'send' }], transitions: [{ from: 'send' }] };

const refusal = (asked: Promise<unknown>): Promise<Record<string, unknown>> =>
  asked.then(
    () => ({ code: null }),
    (error: unknown) => error as Record<string, unknown>,
  );

const versions = async ({ engine }: TestEngine): Promise<readonly number[]> =>
  (await engine.definitions({ id: 'mail' })).map(({ version }) => version);

onEveryHost('drafts', (host) => {
  test('[DT3] an unfinished draft is kept as it is, over a restart, with its text, layout and author', async () => {
    const t = await host.open();
    const written = { revision: null, text: '{ "id": ', layout: { send: [10, 20] }, author: 'Ada', base: null };
    const { revision, createdAt } = await t.engine.drafts.put('mail', unfinished, written);
    await t.advance(1_000);
    const { text: _, ...parsed } = written;
    await t.engine.drafts.put('mail', unfinished, { ...parsed, revision, author: 'Bob' });
    const again = await host.restart(t);
    expect(await again.engine.drafts.get('mail')).toEqual({
      workflow: 'mail',
      revision: 2,
      base: null,
      author: 'Bob',
      createdAt,
      updatedAt: createdAt + 1_000,
      content: unfinished,
      layout: { send: [10, 20] },
    });
    expect(await refusal(again.engine.start('mail'))).toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    expect(await refusal(again.engine.drafts.get('letter'))).toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  });

  test('[DT3] content, text and layout are together no larger than a definition may be', async () => {
    const t = await host.open({ limits: { definitionBytesMax: 1_000 } });
    const put = (content: unknown, more: object) => t.engine.drafts.put('mail', content, { revision: null, ...more });
    const large = { code: 'LIMIT_EXCEEDED', limit: 'definitionBytesMax' };
    expect(await refusal(put('x'.repeat(400), { text: 'y'.repeat(300), layout: 'z'.repeat(300) }))).toMatchObject(
      large,
    );
    expect(await refusal(put('', { text: 'y'.repeat(1_001) }))).toMatchObject(large);
    expect((await put('x'.repeat(300), { text: 'y'.repeat(300), layout: 'z'.repeat(300) })).revision).toBe(1);
  });

  test('[DT1] of two who write at once one is told what the other wrote, and nothing is lost', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const first = await drafts.put('mail', drawn('Ada'), { revision: null });
    const [ada, bob] = await Promise.allSettled([
      drafts.put('mail', drawn('from Ada'), { revision: first.revision, author: 'Ada' }),
      drafts.put('mail', drawn('from Bob'), { revision: first.revision, author: 'Bob' }),
    ]);
    const [kept, refused] = ada.status === 'fulfilled' ? [ada, bob] : [bob, ada];
    expect(kept).toMatchObject({ status: 'fulfilled', value: { revision: 2 } });
    const winner = (kept as PromiseFulfilledResult<Draft>).value;
    expect(refused).toMatchObject({ reason: { code: 'DRAFT_CHANGED', details: { draft: winner } } });
    expect(await drafts.get('mail')).toEqual(winner);
  });

  test('[DT1] whoever saw no draft, another, or one that is gone does not write, discard or publish', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const draft = await drafts.put('mail', drawn('Ada'), { revision: null });
    const changed = { code: 'DRAFT_CHANGED', details: { draft } };
    expect(await refusal(drafts.put('mail', drawn('Bob'), { revision: null }))).toMatchObject(changed);
    expect(await refusal(drafts.remove('mail', 7))).toMatchObject(changed);
    expect(await refusal(drafts.publish('mail', 7))).toMatchObject(changed);
    expect(await versions(t)).toEqual([]);
    expect(await drafts.remove('mail', draft.revision)).toBe(true);
    expect(await drafts.remove('mail', draft.revision)).toBe(false);
    const gone = { code: 'DRAFT_CHANGED', details: { draft: null } };
    expect(await refusal(drafts.put('mail', drawn('Ada'), { revision: 1 }))).toMatchObject(gone);
    expect(await refusal(drafts.publish('mail', 1))).toMatchObject({ code: 'DRAFT_NOT_FOUND' });
  });

  test('[DT2] the same content is no new revision, whatever its writer saw', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const draft = await drafts.put('mail', drawn('Ada'), { revision: null, layout: [1] });
    await t.advance(1_000);
    expect(await drafts.put('mail', drawn('Ada'), { revision: null, layout: [1] })).toEqual(draft);
    expect(await drafts.put('mail', drawn('Ada'), { revision: 1, layout: [1] })).toEqual(draft);
    expect((await drafts.put('mail', drawn('Ada'), { revision: 1, layout: [2] })).revision).toBe(2);
    const base = { version: 1, hash: 'h' };
    expect(await drafts.put('mail', drawn('Ada'), { revision: 2, layout: [2], base })).toMatchObject({
      revision: 3,
      base,
    });
    expect(await drafts.put('mail', drawn('Bob'), { revision: 3 })).toMatchObject({ revision: 4, base });
  });

  test('[DT4] there are only so many; those that are there can still be changed', async () => {
    const t = await host.open({ limits: { draftsMax: 2 } });
    const { drafts } = t.engine;
    for (const workflow of ['a', 'b']) await drafts.put(workflow, {}, { revision: null });
    expect(await refusal(drafts.put('c', {}, { revision: null }))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'draftsMax',
    });
    expect((await drafts.put('b', { changed: true }, { revision: 1 })).revision).toBe(2);
    await drafts.remove('a', 1);
    expect((await drafts.put('c', {}, { revision: null })).revision).toBe(1);
  });

  test('[DT4] they are only so large together; one that becomes smaller can still be saved', async () => {
    const t = await host.open({ limits: { draftsBytesMax: 1_000 } });
    const { drafts } = t.engine;
    const large = { code: 'LIMIT_EXCEEDED', limit: 'draftsBytesMax' };
    await drafts.put('a', 'x'.repeat(400), { revision: null });
    await drafts.put('b', 'x'.repeat(200), { revision: null, text: 'y'.repeat(200) });
    expect(await refusal(drafts.put('c', 'x'.repeat(200), { revision: null }))).toMatchObject(large);
    expect(await refusal(drafts.put('b', 'x'.repeat(600), { revision: 1 }))).toMatchObject(large);
    expect(await drafts.get('b')).toMatchObject({ revision: 1 });
    expect((await drafts.put('b', 'x'.repeat(100), { revision: 1 })).revision).toBe(2);
    expect((await drafts.put('c', 'ü'.repeat(100), { revision: null })).revision).toBe(1);
    expect(await refusal(drafts.put('c', 'ü'.repeat(300), { revision: 1 }))).toMatchObject(large);
  });

  test('[DT5] a draft with errors stays as it is, with all problems as the answer; without, it is the next version', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const { revision } = await drafts.put('mail', unfinished, { revision: null });
    const { version, problems } = await drafts.publish('mail', revision);
    expect(version).toBeNull();
    expect(problems.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    expect(await versions(t)).toEqual([]);
    const mended = await drafts.put('mail', drawn('Ada'), { revision });
    expect(await drafts.publish('mail', mended.revision)).toMatchObject({ id: 'mail', version: 1, isNew: true });
    expect(await drafts.list()).toEqual([]);
    const run = await t.engine.start('mail');
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });

  test('[DT5] a draft whose version is there already, as after a crash, is published as that one and removed', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    await drafts.put('mail', drawn('Ada'), { revision: null });
    await t.engine.register(drawn('Ada'));
    expect(await drafts.publish('mail', 1)).toMatchObject({ version: 1, isNew: false });
    expect(await drafts.list()).toEqual([]);
  });

  test('[DT6] a newer version than the base is told, in the list and when it is published, unless it is meant', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const { hash } = await t.engine.register(drawn('Ada'));
    const base = { version: 1, hash: hash ?? '' };
    await drafts.put('mail', drawn('Bob'), { revision: null, base });
    expect(await drafts.list()).toMatchObject([{ workflow: 'mail', base, newest: base, isOutdated: false }]);
    const second = await t.engine.register(drawn('Eve'));
    const newest = { version: 2, hash: second.hash };
    expect(await drafts.list()).toMatchObject([{ workflow: 'mail', base, newest, isOutdated: true }]);
    expect(await refusal(drafts.publish('mail', 1))).toMatchObject({
      code: 'DRAFT_OUTDATED',
      details: { base, newest },
    });
    expect(await versions(t)).toEqual([1, 2]);
    expect(await drafts.publish('mail', 1, { overBase: true })).toMatchObject({ version: 3 });
  });

  test('[DT6] a workflow that was drawn anew while another was registered under its name is outdated', async () => {
    const t = await host.open();
    await t.engine.drafts.put('mail', drawn('Bob'), { revision: null });
    await t.engine.register(drawn('Ada'));
    expect(await refusal(t.engine.drafts.publish('mail', 1))).toMatchObject({ code: 'DRAFT_OUTDATED' });
  });

  test('[DT7] the text goes before the content; a version is not looked at; an id may be left out, and no other given', async () => {
    const t = await host.open();
    const { drafts } = t.engine;
    const { id: _, ...nameless } = drawn('Ada');
    await drafts.put('mail', { ...nameless, version: 7 }, { revision: null, text: '{ "id": "mail",' });
    const unparsed = await drafts.publish('mail', 1);
    expect(unparsed).toMatchObject({ version: null, problems: [{ code: 'INVALID_JSON' }] });
    await drafts.put('mail', { ...nameless, version: 7 }, { revision: 1 });
    expect(await drafts.publish('mail', 2)).toMatchObject({ id: 'mail', version: 1 });
    await drafts.put('mail', {}, { revision: null, text: JSON.stringify(drawn('Bob')), base: null });
    expect(await drafts.publish('mail', 1, { overBase: true })).toMatchObject({ id: 'mail', version: 2 });
    await drafts.put('letter', drawn('Ada'), { revision: null });
    expect(await drafts.publish('letter', 1)).toMatchObject({
      version: null,
      problems: [{ code: 'WORKFLOW_DIFFERS', pointer: '/id' }],
    });
  });

  test('are listed by workflow, page by page, without their content', async () => {
    const t = await host.open();
    for (const workflow of ['c', 'a', 'b']) await t.engine.drafts.put(workflow, { large: true }, { revision: null });
    const first = await t.engine.call('listDrafts', { limit: 2 });
    expect(first.items.map(({ workflow }) => workflow)).toEqual(['a', 'b']);
    expect(first.items[0]).not.toHaveProperty('content');
    const rest = await t.engine.call('listDrafts', { limit: 2, after: first.next ?? '' });
    expect([rest.items.map(({ workflow }) => workflow), rest.next]).toEqual([['c'], null]);
    const named = async (workflow: string) => (await t.engine.call('listDrafts', { workflow })).items;
    expect(await named('b')).toEqual([first.items[1]]);
    expect(await named('bb')).toEqual([]);
  });
});
