// The coordinator's methods, in the platform's own runtime: what other code of the account asks of objects over RPC.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Coordinator } from '../../packages/heddle/src/cloudflare.ts';
import type { Asked } from './executors.worker.ts';
import { Workerd } from './workerd.testsuite.ts';

interface Killed {
  die(): Promise<void>;
}

describe.each([
  ['one object for each tenant', undefined],
  ['three for each', '3'],
  ['one for every run', 'run'],
])('%s', (_, shards) => {
  let workerd: Workerd;

  beforeAll(async () => {
    workerd = await Workerd.open({
      program: 'executors.worker.ts',
      bindings: shards === undefined ? {} : { SHARDS: shards },
      more: { queueProducers: { TASKS: { queueName: 'tasks' } } },
    });
  });
  afterAll(() => workerd.close());

  async function ask<Method extends keyof Coordinator>(
    method: Method,
    args: Parameters<Coordinator[Method]>,
    whom: Omit<Asked, 'method' | 'args'> = {},
  ): Promise<Awaited<ReturnType<Coordinator[Method]>>> {
    const body = JSON.stringify({ method, args, ...whom });
    const answer = await workerd.fetch('http://heddle.test/coordinate', { method: 'POST', body });
    const { value, error } = (await answer.json()) as { readonly value?: unknown; readonly error?: object };
    if (error) throw Object.assign(new Error(), error);
    return value as Awaited<ReturnType<Coordinator[Method]>>; // as the program has them
  }

  async function started(): Promise<string> {
    return (await ask('start', ['remote', { n: 1 }])).runId;
  }

  /** The token of the run's task, for an executor, as soon as there is one. */
  async function leased(runId: string) {
    const lease = async () => (await ask('leaseTasks', [{ actions: ['remote'] }], { runId }))[0];
    await expect
      .poll(async () => (await workerd.client().run(runId).tokens()).map(({ status }) => status))
      .toEqual(['dispatched']);
    const task = await lease();
    expect(task).toMatchObject({ runId, action: 'remote' });
    return task as NonNullable<typeof task>;
  }

  const resultOf = (runId: string) => workerd.client().run(runId).result();

  test('[T483] [DO50] [DO51] by a stub and a name alone: started, taken over RPC, done, and told once', async () => {
    const whom = { name: 'default' };
    const { runId } = await ask('start', ['remote', { n: 1 }, { idempotencyKey: 'once' }], whom);
    expect((await ask('start', ['remote', { n: 1 }, { idempotencyKey: 'once' }], whom)).runId).toBe(runId);
    const { lease, input, attempt } = await leased(runId);
    expect({ input, attempt }).toMatchObject({ input: { n: 1 }, attempt: 1 });
    expect(await ask('handleTaskResult', [lease, { n: 2, attempt }], whom)).toEqual({ applied: true });
    expect(await ask('handleTaskResult', [lease, { n: 3, attempt }], whom)).toMatchObject({ applied: false });
    expect(await ask('handleTaskError', [lease, { message: 'too late' }], whom)).toMatchObject({ applied: false });
    expect(await resultOf(runId)).toMatchObject({ status: 'completed', output: { n: 2 } });
  });

  test('[DO51] [DO52] a name that is no object of the tenant, and an object without one, are refused; so is what the engine refuses', async () => {
    for (const name of ['default/9007199254740991', 'a/b/c', null])
      await expect(ask('start', ['remote'], { name })).rejects.toThrow(
        /^OBJECT_UNNAMED: Expected an object whose name/,
      );
    await expect(ask('start', ['nobody'], { name: 'default' })).rejects.toThrow(/^WORKFLOW_NOT_FOUND: Expected/);
    await expect(ask('start', ['nobody'])).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    await expect(ask('handleTaskResult', ['r.1.1.forged', {}])).rejects.toMatchObject({ code: 'LEASE_UNKNOWN' });
  });

  test('[DO50] what a superseded executor says changes nothing', async () => {
    const runId = await started();
    const first = await leased(runId);
    await workerd.client().tasks.release([{ lease: first.lease }]);
    const second = await leased(runId);
    expect(second.dispatch).toBe(first.dispatch + 1);
    expect(await ask('handleTaskResult', [first.lease, { n: 100 }])).toMatchObject({ applied: false });
    expect(await ask('markTokenExecuting', [first.lease])).toEqual({ isWanted: false });
    expect(await ask('handleTaskResult', [second.lease, { n: 4 }])).toEqual({ applied: true });
    expect(await resultOf(runId)).toMatchObject({ status: 'completed', output: { n: 4 } });
  });

  test('[DO50] a result is stored when it is answered, and one that comes again after the object was lost changes nothing', async () => {
    const runId = await started();
    const { lease } = await leased(runId);
    await ask('handleTaskResult', [lease, { n: 5 }]);
    const [, shard] = runId.split('~');
    const object = await workerd.object<Killed>(shard === undefined ? 'default' : `default/${shard}`);
    await expect(object.die()).rejects.toThrow();
    expect(await ask('handleTaskResult', [lease, { n: 6 }])).toMatchObject({ applied: false });
    expect(await resultOf(runId)).toMatchObject({ status: 'completed', output: { n: 5 } });
  });

  test('[DO50] an error is tried again, by the policy of the node; one that is not retryable fails it', async () => {
    const runId = await started();
    const { lease } = await leased(runId);
    expect(await ask('handleTaskError', [lease, { message: 'busy', code: 'busy' }])).toEqual({ applied: true });
    const again = await leased(runId);
    expect(again.attempt).toBe(2);
    const failure = { message: 'wrong', code: 'wrong', details: { n: 1 }, retryable: false };
    await ask('handleTaskError', [again.lease, failure]);
    expect(await resultOf(runId)).toMatchObject({ status: 'failed', error: { code: 'wrong', details: { n: 1 } } });
  });

  test('[DO50] an executor says that it is at work, shows so, and hears that the run was cancelled', async () => {
    const runId = await started();
    const { lease, expiresAt } = await leased(runId);
    const wanted = await ask('markTokenExecuting', [lease, { leaseMs: 600_000, progress: { fraction: 0.5 } }]);
    expect(wanted.isWanted).toBe(true);
    expect(wanted.expiresAt).toBeGreaterThan(expiresAt);
    const [token] = await ask('introspectTokens', [runId]);
    expect(token).toMatchObject({ node: 'a', isExecuting: true, progress: { fraction: 0.5 } });
    expect(await ask('cancel', [runId, 'no more'])).toMatchObject({ applied: true });
    expect(await ask('markTokenExecuting', [lease])).toEqual({ isWanted: false });
    expect(await ask('handleTaskResult', [lease, { n: 1 }])).toMatchObject({ applied: false });
    expect(await resultOf(runId)).toMatchObject({ status: 'cancelled' });
  });

  test('[DO50] a run is looked at, and what it would do, without a change', async () => {
    const runId = await started();
    const { tokenId, lease } = await leased(runId);
    const { run, figures } = await ask('introspectRun', [runId]);
    expect([run.runId, figures.status]).toEqual([runId, 'running']);
    const { events } = await ask('simulateRouting', [runId, tokenId, { output: { n: 7 } }]);
    expect(events.map(({ type }) => type)).toContain('workflow.completed');
    expect(await ask('simulateSynchronization', [runId, 0])).toMatchObject({ groups: [] });
    expect(await ask('handleTaskResult', [lease, { n: 8 }])).toEqual({ applied: true });
    expect(await resultOf(runId)).toMatchObject({ output: { n: 8 } });
  });

  test('[DO53] a task is done as a run of another tenant, once for each attempt, which tells what it came to', async () => {
    const acme = { tenant: `acme-${shards}` };
    const runId = await started();
    const parent = await leased(runId);
    const child = { parent, workflow: 'remote', input: { n: 20 } };
    const first = await ask('startSubworkflow', [child], acme);
    expect(first.result).toMatchObject({ status: 'running' });
    expect((await ask('startSubworkflow', [child], acme)).runId).toBe(first.runId);
    const failed = await ask('handleSubworkflowError', [parent.lease, 'it was cancelled']);
    expect(failed).toEqual({ applied: true });
    expect(await resultOf(runId)).toMatchObject({ status: 'failed', error: { code: 'SUBWORKFLOW_FAILED' } });
    const next = await ask('startSubworkflow', [{ ...child, parent: { ...parent, attempt: 2 } }], acme);
    expect(next.runId).not.toBe(first.runId);

    const other = await started();
    const { lease } = await leased(other);
    expect(await ask('handleSubworkflowResult', [lease, { n: 40 }])).toEqual({ applied: true });
    expect(await resultOf(other)).toMatchObject({ status: 'completed', output: { n: 40 } });
  });
});
