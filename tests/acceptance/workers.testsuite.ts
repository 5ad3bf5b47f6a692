// What the tests of workers share: an engine that has none of its actions, and a worker made of a few words.

import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { LeasedTask } from '../../packages/heddle/src/work/work-office.ts';
import { go, spawn, work, workflow } from './token-engine.testsuite.ts';

export const outside = { workers: true } as const;

/** One task. */
export const single = workflow('w', [work('a')]);

/** As many tasks as its name says. */
export const fan = (count: number, id = `fan${count}`) => workflow(id, ['s', work('a')], [spawn('s', 'a', count, 'g')]);

/** One after the other. */
export const line = workflow(
  'line',
  [work('a', { outputMapping: { 'state.x': 'result' } }), work('b')],
  [go('a', 'b')],
);

export type LeaseRequest = Partial<Parameters<TestEngine['engine']['tasks']['lease']>[0]>;

export function lease({ engine }: TestEngine, request: LeaseRequest = {}): Promise<readonly LeasedTask[]> {
  return engine.tasks.lease({ actions: ['work'], max: 100, ...request });
}

export async function leaseOne(t: TestEngine, request: LeaseRequest = {}): Promise<LeasedTask> {
  const [task] = await lease(t, { ...request, max: 1 });
  if (task === undefined) throw new Error('Expected a task to wait for a worker, but there is none');
  return task;
}

export async function finish({ engine, settle }: TestEngine, task: LeasedTask, output: unknown = {}) {
  const [answer] = await engine.tasks.finish([{ lease: task.lease, output }]);
  await settle();
  return answer;
}

export async function fail({ engine, settle }: TestEngine, task: LeasedTask, error: object = {}) {
  const { code = 'BROKEN', message = 'it is broken', ...more } = error as { code?: string; message?: string };
  const [answer] = await engine.tasks.finish([{ lease: task.lease, error: { code, message }, ...more }]);
  await settle();
  return answer;
}

export async function beat({ engine }: TestEngine, task: LeasedTask, more: object = {}) {
  const [answer] = await engine.tasks.heartbeat([{ lease: task.lease, ...more }]);
  return answer;
}

export const namesOf = (tasks: readonly LeasedTask[]) =>
  tasks.map(({ tokenId, attempt, dispatch }) => `${tokenId} ${attempt}.${dispatch}`);

/** What the store keeps of leases. */
export async function leaseRecords({ store }: TestEngine): Promise<readonly string[]> {
  return (await store.listRecords('lease', { limit: 1_000 })).map(({ key }) => key);
}
