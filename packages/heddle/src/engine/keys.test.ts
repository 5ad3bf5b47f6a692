import { describe, expect, test } from 'vitest';
import type { Run } from '../api/run.ts';
import type { IfFailed } from '../operations/runs.ts';
import { allOf, openEngine } from './engine.testsuite.ts';

const typed = {
  id: 'w',
  initialNode: 'a',
  inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
  nodes: [{ id: 'a', action: 'work' }],
};
const open = async (limits = {}) => {
  const opened = await openEngine({ scripted: ['work'], limits });
  await opened.engine.register(typed);
  return opened;
};

describe('idempotency keys', () => {
  test('[KY2] the same key with the same request gives the same run, at any time', async () => {
    const { engine, script, settle } = await open();
    const first = await engine.start('w', { n: 1, m: 2 }, { idempotencyKey: 'k' });
    await settle();
    script.next('work').complete();
    await settle();
    const again = await engine.start('w', { m: 2, n: 1 }, { idempotencyKey: 'k', tags: { other: 'x' } });
    expect(again.id).toBe(first.id);
    expect(await engine.runs()).toHaveLength(1);
    expect((await engine.start('w', { n: 1, m: 2 })).id).not.toBe(first.id);
  });

  test('[KY2] with another workflow, version or input it is refused, and names the run', async () => {
    const { engine } = await open();
    await engine.register({ ...typed, id: 'v' });
    const { id } = await engine.start('w', { n: 1 }, { idempotencyKey: 'k' });
    const refused = { code: 'IDEMPOTENCY_KEY_REUSED', details: { runId: id } };
    await expect(engine.start('w', { n: 2 }, { idempotencyKey: 'k' })).rejects.toMatchObject(refused);
    await expect(engine.start('v', { n: 1 }, { idempotencyKey: 'k' })).rejects.toMatchObject(refused);
    await expect(engine.start('w', { n: 1 }, { idempotencyKey: 'k', version: 1 })).rejects.toMatchObject(refused);
    expect(await engine.runs()).toHaveLength(1);
  });

  test('[KY5] several starts: each is answered in its place, and one that is refused is nothing to the others', async () => {
    const { engine } = await open();
    const answers = await engine.startAll([
      { workflow: 'w', input: { n: 1 }, idempotencyKey: 'a', tags: { batch: '7' } },
      { workflow: 'nowhere' },
      { workflow: 'w', input: { n: 'one' } },
      { workflow: 'w', input: { n: 1 }, idempotencyKey: 'a' },
      { workflow: 'w', input: { n: 2 }, idempotencyKey: 'a' },
      { workflow: 'w' },
    ]);
    const [first, , , again] = answers;
    expect(answers).toEqual([
      { ok: true, runId: expect.any(String) },
      { ok: false, code: 'WORKFLOW_NOT_FOUND', message: expect.stringContaining('nowhere') },
      { ok: false, code: 'INPUT_INVALID', message: expect.any(String) },
      first,
      { ok: false, code: 'IDEMPOTENCY_KEY_REUSED', message: expect.any(String) },
      { ok: true, runId: expect.any(String) },
    ]);
    expect(again).toEqual(first);
    expect(await engine.runs({ tags: { batch: '7' } })).toHaveLength(1);
    expect(await engine.runs()).toHaveLength(2);
  });

  test('[KY5] 1 to 1,000 starts in one request, and each of its kind', async () => {
    const { engine } = await open();
    const answers = await engine.startAll(Array.from({ length: 1_000 }, (_, n) => ({ workflow: 'w', input: { n } })));
    expect(new Set(answers.map((answer) => answer.ok && answer.runId)).size).toBe(1_000);
    const refused = { code: 'OPTION_INVALID' };
    await expect(engine.startAll([])).rejects.toMatchObject(refused);
    await expect(engine.startAll(Array.from({ length: 1_001 }, () => ({ workflow: 'w' })))).rejects.toMatchObject(
      refused,
    );
    const misspelt = [{ workflow: 'w' }, { workflow: 'w', tag: {} }];
    await expect(engine.startAll(misspelt)).rejects.toMatchObject(refused);
    for (const wrong of [undefined, {}, 'w', [null], ['w']])
      await expect(engine.startAll(wrong as never)).rejects.toMatchObject(refused);
    expect(await engine.countRuns()).toMatchObject({ byStatus: { running: 1_000 } });
  });

  describe('of a run that failed', () => {
    const retryOf = async (run: Run): Promise<unknown> => {
      const [started] = await allOf(run.events({ follow: false }));
      return started?.type === 'workflow.started' ? started.retryOf : undefined;
    };
    const key = { idempotencyKey: 'k' } as const;
    const failing = async () => {
      const opened = await open();
      const first = await opened.engine.start('w', { n: 1 }, key);
      const fail = async () => {
        await opened.settle();
        opened.script.next('work').fail(new Error('no'));
        await opened.settle();
      };
      await fail();
      const start = (ifFailed?: IfFailed) =>
        opened.engine.start('w', { n: 1 }, { ...key, ...(ifFailed ? { ifFailed } : {}) });
      return { ...opened, first, fail, start };
    };

    test('[KY4] a start answers with it, unless it says otherwise', async () => {
      const { engine, first, start } = await failing();
      expect((await start()).id).toBe(first.id);
      expect((await start('return')).id).toBe(first.id);
      await expect(start('again' as IfFailed)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
      expect(await engine.runs()).toHaveLength(1);
    });

    test('[KY4] it is retried once; the key then stands for the retry, and for a retry of that', async () => {
      const { engine, first, fail, start, script, settle } = await failing();
      const [retry, same] = await Promise.all([start('retry'), start('retry')] as const);
      expect(same.id).toBe(retry.id);
      expect(await retryOf(retry)).toBe(first.id);
      expect((await start()).id).toBe(retry.id);
      await fail();
      const second = await start('retry');
      expect(await retryOf(second)).toBe(retry.id);
      await settle();
      script.next('work').complete();
      await settle();
      for (const choice of ['return', 'retry', 'restart'] as const) expect((await start(choice)).id).toBe(second.id);
      expect(await engine.runs()).toHaveLength(3);
    });

    test('[KY4] or a new run begins at the beginning', async () => {
      const { engine, first, start } = await failing();
      const anew = await start('restart');
      expect(anew.id).not.toBe(first.id);
      expect(await retryOf(anew)).toBeNull();
      expect((await start()).id).toBe(anew.id);
      expect(await engine.runs()).toHaveLength(2);
    });

    test('[KY4] one that was cancelled is answered with as it is', async () => {
      const { engine, start } = await open().then((opened) => ({
        ...opened,
        start: (ifFailed: IfFailed) => opened.engine.start('w', { n: 1 }, { ...key, ifFailed }),
      }));
      const run = await start('retry');
      await run.cancel();
      expect((await start('restart')).id).toBe(run.id);
      expect(await engine.runs()).toHaveLength(1);
    });
  });

  test('[KY1] whoever starts with a key that is being used waits for that start', async () => {
    const { engine } = await open();
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => engine.start('w', { n: 1 }, { idempotencyKey: 'k' })),
    );
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    expect(await engine.runs()).toHaveLength(1);
  });

  test('[KY1] also if that start is refused: the others still start one run', async () => {
    const { engine, advance } = await open();
    const starts = [{ n: 'wrong' }, { n: 1 }, { n: 1 }, { n: 1 }].map((input) =>
      engine.start('w', input, { idempotencyKey: 'k' }),
    );
    const settled = Promise.allSettled(starts);
    await advance(10_000);
    const [first, ...others] = await settled;
    expect(first?.status).toBe('rejected');
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    expect(await engine.runs()).toHaveLength(1);
  });

  test('[KY1] different requests with one key at the same time: one starts, the others are refused', async () => {
    const { engine, advance } = await open();
    const settled = Promise.allSettled([1, 2, 3, 4].map((n) => engine.start('w', { n }, { idempotencyKey: 'k' })));
    await advance(10_000);
    expect(
      (await settled).map((s) => (s.status === 'rejected' ? (s.reason as { code?: string }).code : s.status)),
    ).toEqual(['fulfilled', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('[KY3] what a caller does to its input after the start changes nothing', async () => {
    const { engine, settle } = await open();
    const input = { n: 1, list: [1] };
    const run = await engine.start('w', input);
    input.n = 2;
    input.list.push(2);
    await settle();
    expect((await run.state()).input).toEqual({ n: 1, list: [1] });
    expect((await engine.audit()).problems).toEqual([]);
  });

  test('[KY3] input is JSON within the limits, or nothing starts', async () => {
    const { engine } = await open({ payloadBytesMax: 100, jsonDepthMax: 5 });
    await expect(engine.start('w', { f: () => 1 })).rejects.toMatchObject({ code: 'INPUT_INVALID', pointer: '/f' });
    await expect(engine.start('w', { text: 'x'.repeat(200) })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'payloadBytesMax',
    });
    await expect(engine.start('w', { a: [[[[[[1]]]]]] })).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      limit: 'jsonDepthMax',
    });
    await expect(engine.start('w', JSON.parse('{"__proto__": 1}'))).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      pointer: '/__proto__',
    });
    expect(await engine.runs()).toEqual([]);
  });
});
