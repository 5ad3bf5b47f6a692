import { describe, expect, test } from 'vitest';
import { memoryStore } from '../hosts/memory/store.ts';
import { allOf, openEngine } from './engine.testsuite.ts';

const line = {
  id: 'w',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work', outputMapping: { 'state.n': 'result.n' } },
    { id: 'b', action: 'work', inputMapping: { n: 'state.n' }, outputMapping: { 'output.r': 'result' } },
    { id: 'w', wait: { seconds: 10 } },
  ],
  transitions: [
    { from: 'a', to: 'b' },
    { from: 'a', to: 'w' },
  ],
};
const failed = async () => {
  const opened = await openEngine({ scripted: ['work'] });
  await opened.engine.register(line);
  const run = await opened.engine.start('w', { x: 1 }, { tags: { customer: '42' } });
  await opened.settle();
  opened.script.next('work').complete({ n: 5 });
  await opened.settle();
  opened.script.next('work').fail(new Error('no'));
  await opened.settle();
  return { ...opened, run };
};

describe('a retry from the failed node', () => {
  test('[RX1] only a run that failed, timed out or was exhausted can be retried', async () => {
    const { engine, settle, run } = await failed();
    const other = await engine.start('w');
    await settle();
    await expect(other.retry()).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    await other.cancel();
    await expect(other.retry()).rejects.toMatchObject({ code: 'RUN_NOT_FAILED' });
    await expect(engine.run('nobody').retry()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(await (await run.retry()).status()).toBe('running');
  });

  test('[RX2] it has new keys, unless the old ones are kept', async () => {
    const { script, settle, run } = await failed();
    const fresh = await run.retry();
    await run.retry({ keepKeys: true });
    await settle();
    expect(script.open('work').map(({ idempotencyKey }) => idempotencyKey)).toEqual([`${fresh.id}/2`, `${run.id}/2`]);
  });

  test('[RX6] in a fleet a key stands for one retry, whatever shards it and the runs belong to', async () => {
    const stores = [memoryStore(), memoryStore(), memoryStore()];
    const { engine, settle } = await openEngine({ stores });
    const failing = { id: 'f', initialNode: 'a', nodes: [{ id: 'a', action: 'core.fail' }], transitions: [] };
    await engine.register(failing);
    const runs = [await engine.start('f'), await engine.start('f'), await engine.start('f')];
    await settle();
    for (const [index, run] of runs.entries()) {
      const options = { idempotencyKey: `key ${index}` };
      const retry = await run.retry(options);
      expect((await run.retry(options)).id).toBe(retry.id);
      for (const other of runs.filter((one) => one !== run))
        await expect(other.retry(options)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    }
  });

  test('[RX6] with a key it is made once; the key of another retry is refused', async () => {
    const { engine, settle, run } = await failed();
    const options = { idempotencyKey: 'k', from: 'failure' } as const;
    const retries = await Promise.all([run.retry(options), run.retry(options)]);
    const again = await run.retry(options);
    expect(new Set([...retries, again].map(({ id }) => id)).size).toBe(1);
    await expect(run.retry({ ...options, keepKeys: true })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await expect(run.retry({ from: 'start' as 'failure' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await settle();
    expect(await engine.runs()).toHaveLength(2);
  });

  test('[RX3] what was under way begins anew with its first attempt; what waited goes on waiting; what was done is done', async () => {
    const { script, settle, advance, run } = await failed();
    await advance(4_000);
    const retry = await run.retry();
    await settle();
    expect(script.calls.map(({ nodeId }) => nodeId)).toEqual(['a', 'b', 'b']);
    expect(script.next('work')).toMatchObject({ input: { n: 5 }, attempt: 1 });
    script.next('work').complete('good');
    await settle();
    expect(await retry.status()).toBe('waiting');
    await advance(6_000);
    expect(await retry.result()).toMatchObject({ status: 'completed', output: { r: 'good' } });
    expect((await run.summary()).status).toBe('failed');
  });

  test('[RX3] the time limit of a join counts from the retry', async () => {
    const { engine, script, settle, advance } = await openEngine({ scripted: ['work'] });
    await engine.register({
      id: 'late',
      initialNode: 'begin',
      nodes: [{ id: 'begin' }, { id: 'b', action: 'work' }, { id: 'end' }],
      transitions: [
        { from: 'begin', to: 'b', spawnCount: 2, siblingGroup: 'g' },
        { from: 'b', to: 'end', synchronization: { strategy: 'all', timeoutMs: 1_000 } },
      ],
    });
    const run = await engine.start('late');
    await settle();
    script.next('work').complete();
    await advance(1_000);
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'FAN_IN_TIMED_OUT' } });
    const retry = await run.retry();
    await advance(999);
    script.open('work').at(-1)?.complete();
    expect(await retry.result()).toMatchObject({ status: 'completed' });
  });

  test('[RX3] a run that failed at its very start begins anew', async () => {
    const { engine, settle } = await openEngine();
    await engine.register({
      id: 'early',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [{ from: 'a', to: 'b', condition: 'input.go' }],
    });
    const run = await engine.start('early', { go: false });
    await settle();
    expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'NO_TRANSITION_MATCHED' } });
    const retry = await run.retry();
    expect(await retry.result()).toMatchObject({ status: 'failed', error: { code: 'NO_TRANSITION_MATCHED' } });
  });

  test('[RX4] it is a run of its own, that names the run it retries', async () => {
    const { engine, settle, run } = await failed();
    const retry = await run.retry();
    await settle();
    const [started] = await allOf(retry.events({ follow: false }));
    expect(started).toMatchObject({
      type: 'workflow.started',
      retryOf: run.id,
      runId: retry.id,
      rootRunId: retry.id,
      parent: null,
      input: { x: 1 },
      tags: { customer: '42' },
    });
    expect(await retry.summary()).toMatchObject({ workflow: 'w', version: 1, tags: { customer: '42' } });
    expect((await engine.audit()).problems).toEqual([]);
  });
});
