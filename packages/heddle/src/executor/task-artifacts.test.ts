import { describe, expect, it } from 'vitest';
import { listArtifacts, putArtifact } from '../actor/artifacts.ts';
import type { Task } from '../actor/ports.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { makeCommit, makeRun } from '../hosts/store-fixtures.testsuite.ts';
import type { ActionContext } from './action.ts';
import { completed, failureOf, makeTask, runOne } from './executor.testsuite.ts';
import { TaskArtifacts } from './task-artifacts.ts';

const helloId = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const absentId = '0'.repeat(64);

/** A store with the runs that put. */
function setUp(limit: Partial<Limits> = {}) {
  const store = memoryStore();
  void store.commit(makeCommit({ runs: ['R1', 'R2'].map((runId) => ({ row: makeRun(runId), isNew: true })) }));
  const limits = { ...defaultLimits, ...limit };
  const artifactsOf = (runId: string, more: Partial<Task> = {}) =>
    new TaskArtifacts(makeTask({ runId, artifactRuns: [runId], ...more }), { store, limits });
  return { store, artifactsOf };
}

describe('the artifacts of a task', () => {
  it('[AR1] are references whose id is the SHA-256 of the bytes, the same for a text and its UTF-8', async () => {
    const { artifactsOf } = setUp();
    const artifacts = artifactsOf('R1');
    const bytes = new TextEncoder().encode('hello');
    expect(await artifacts.put('hello', 'text/plain')).toEqual({ id: helloId, mimeType: 'text/plain' });
    expect(await artifacts.put(bytes, 'text/plain')).toEqual({ id: helloId, mimeType: 'text/plain' });
    const around = new Uint8Array([0, ...bytes, 0]);
    expect((await artifacts.put(around.subarray(1, 6), 'text/plain')).id).toBe(helloId);
    expect(await artifacts.get({ id: helloId, mimeType: 'text/plain' })).toEqual({ bytes, mimeType: 'text/plain' });
  });

  it('[AR2] are those that were given, whatever becomes of the bytes meanwhile', async () => {
    const { artifactsOf } = setUp();
    const bytes = new TextEncoder().encode('hello');
    const putting = artifactsOf('R1').put(bytes, 'text/plain');
    bytes.fill(0);
    expect(await putting).toEqual({ id: helloId, mimeType: 'text/plain' });
  });

  it('[AR2] have the newest type that their run gave them, each run its own', async () => {
    const { artifactsOf } = setUp();
    for (const mimeType of ['text/plain', 'text/html; charset=utf-8']) await artifactsOf('R1').put('hello', mimeType);
    const reference = await artifactsOf('R2').put('hello', 'image/svg+xml');
    expect((await artifactsOf('R1').get(reference)).mimeType).toBe('text/html; charset=utf-8');
    expect((await artifactsOf('R2').get(reference)).mimeType).toBe('image/svg+xml');
    expect(await artifactsOf('R1').list()).toEqual([{ id: helloId, mimeType: 'text/html; charset=utf-8' }]);
  });

  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [7, 'number'],
    [{ 0: 1 }, 'object'],
    [[1, 2], 'object'],
  ])('[AR2] are bytes or a text: %j is refused', async (data, found) => {
    const { artifactsOf } = setUp();
    await expect(artifactsOf('R1').put(data as unknown as string, 'text/plain')).rejects.toMatchObject({
      code: 'ARTIFACT_INVALID',
      retryable: false,
      message: `Expected the data of an artifact to be bytes (Uint8Array) or a text, but found ${found}`,
    });
  });

  it.each(['', 'text', '/plain', 'text/', 'text/plain\n', 'te xt/plain', `text/${'x'.repeat(300)}`, 7, undefined])(
    '[AR2] have a MIME type: %j is refused',
    async (mimeType) => {
      const { store, artifactsOf } = setUp();
      await expect(artifactsOf('R1').put('hello', mimeType as string)).rejects.toMatchObject({
        code: 'ARTIFACT_INVALID',
        message: expect.stringMatching(/^Expected a MIME type such as "image\/png", but found /),
      });
      expect(await store.artifacts.has(helloId)).toBe(false);
    },
  );

  it('[AR3][DF65] hold as many bytes as the limit says, and no more', async () => {
    const { store, artifactsOf } = setUp({ artifactBytesMax: 5 });
    await artifactsOf('R1').put('hello', 'text/plain');
    for (const data of ['hellö', new Uint8Array(6)])
      await expect(artifactsOf('R1').put(data, 'text/plain')).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        limit: 'artifactBytesMax',
        retryable: false,
        message:
          'Expected at most 5 bytes in an artifact by the limit artifactBytesMax, but found 6; the engine was made with it, raise it with createEngine({ limits: { artifactBytesMax: … } })',
      });
    expect(await listArtifacts(store, ['R1'])).toHaveLength(1);
  });

  it('[AR3] hold less if their workflow says so', async () => {
    const { artifactsOf } = setUp();
    const artifacts = artifactsOf('R1', { limits: { ...defaultLimits, artifactBytesMax: 4 } });
    await expect(artifacts.put('hello', 'text/plain')).rejects.toMatchObject({
      limit: 'artifactBytesMax',
      message: expect.stringContaining('; "limits" of the workflow sets it, raise it there'),
    });
  });

  it('[AR4] are read by their own run, by those that inherit them, and by nobody else', async () => {
    const { store, artifactsOf } = setUp();
    const reference = await artifactsOf('R1').put('hello', 'text/plain');
    expect((await artifactsOf('R2', { artifactRuns: ['R2', 'R1'] }).get(reference)).mimeType).toBe('text/plain');
    await expect(artifactsOf('R2').get(reference)).rejects.toMatchObject({
      code: 'ARTIFACT_NOT_FOUND',
      retryable: false,
      message: `Expected an artifact of run R2, or one for every run, but none of them has put ${helloId}`,
    });
    await expect(artifactsOf('R').get(reference)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_FOUND' });
    await putArtifact(store, 'hello', { owner: '*', mimeType: 'text/html', bytesMax: 5, limitOrigin: '' });
    expect((await artifactsOf('R2').get(reference)).mimeType).toBe('text/html');
    expect((await artifactsOf('R1').get(reference)).mimeType).toBe('text/plain');
  });

  it.each([null, undefined, 'id', {}, { id: 7, mimeType: 'a/b' }, { id: 'x', mimeType: 'a/b' }, { id: absentId }])(
    '[AR1] are asked for by a reference: %j is refused',
    async (reference) => {
      const { artifactsOf } = setUp();
      await expect(artifactsOf('R1').get(reference as never)).rejects.toMatchObject({
        code: 'ARTIFACT_INVALID',
        message: expect.stringMatching(/^Expected a reference \{id, mimeType\} .*, but found /),
      });
    },
  );

  it('[AR5] whose bytes are gone are damage, not absence', async () => {
    const { store, artifactsOf } = setUp();
    const record = { kind: 'artifact', key: `R1/${absentId}`, value: '{"mimeType":"a/b","bytes":1}', dueAt: null };
    await store.commit({ runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [record] });
    await expect(artifactsOf('R1').get({ id: absentId, mimeType: 'a/b' })).rejects.toMatchObject({
      code: 'STORE_DAMAGED',
      message: expect.stringContaining(`Expected the store to hold artifact ${absentId}, but its bytes are missing`),
    });
  });

  it('[AR6] are listed by run and id, each once, however many', async () => {
    const { artifactsOf } = setUp();
    const parent = artifactsOf('R1');
    const child = artifactsOf('R2', { artifactRuns: ['R2', 'R1'] });
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    const ofParent = await Promise.all(Array.from({ length: 1100 }, (_, n) => parent.put(`${n}`, 'text/plain')));
    const ofChild = await Promise.all(['0', 'x'].map((text) => child.put(text, 'text/html')));
    expect(await parent.list()).toEqual(ofParent.toSorted(byId));
    expect(await child.list()).toEqual([...ofChild.toSorted(byId), ...ofParent.slice(1).toSorted(byId)]);
    expect(await artifactsOf('R').list()).toEqual([]);
  });

  it('[AR4] that are not found fail the task, which is not tried again', async () => {
    const work = ({ artifacts }: ActionContext) => artifacts.get({ id: absentId, mimeType: 'a/b' });
    const outcome = await runOne({ runId: 'R1' }, { actions: { work } });
    expect(failureOf(outcome).code).toBe('ARTIFACT_NOT_FOUND');
    expect(outcome).toMatchObject({ retryable: false });
  });

  it('stay with the context when it is spread', async () => {
    const work = async (context: ActionContext) => {
      const { artifacts } = { ...context };
      return { reference: await artifacts.put('hello', 'text/plain') };
    };
    const artifactsFor = ({ runId }: Task) => setUp().artifactsOf(runId);
    const outcome = await runOne({ runId: 'R1' }, { actions: { work }, artifactsFor });
    expect(outcome).toEqual(completed({ reference: { id: helloId, mimeType: 'text/plain' } }));
  });
});
