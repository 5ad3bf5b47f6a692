// The Worker that does an action is gone for a while: it throws, is silent for longer than its task may take, cannot be reached, or its
// answer is lost. The task is tried again as its policy says, under one key; what never comes back fails it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../../packages/heddle/src/client/client.ts';
import { FaultyWorkerd } from './outside.testsuite.ts';

let faulty: FaultyWorkerd;
let client: Client;
beforeAll(async () => {
  faulty = await FaultyWorkerd.open();
  client = await faulty.tenant('asking');
});
afterAll(() => faulty.close());

/** Of the policy of the shape. */
const attemptsMax = 5;

/** The code of each attempt that failed. */
async function failuresOf(runId: string): Promise<readonly string[]> {
  const codes: string[] = [];
  for await (const event of client.run(runId).events())
    if (event.type === 'task.attempt_failed') codes.push(event.error.code);
  return codes;
}

test.each([
  ['throws', 'ACTION_FAILED', 1],
  ['is silent', 'TASK_TIMEOUT', 1],
  ['is not reached', 'ACTION_FAILED', 0],
  ['loses its answer', 'ACTION_FAILED', 1],
])('[DO9] [RY4] a Worker that %s for a while is asked again, under the same key', async (fault, code, worked) => {
  const run = await client.start('double', { n: 21, failures: 2, fault });
  expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 42 } });
  expect(await failuresOf(run.id)).toEqual([code, code]);
  const keys = (await faulty.faults('')).works.filter((key) => key.includes(run.id));
  expect(keys).toEqual(Array.from({ length: 2 * worked + 1 }, () => keys[0]));
  expect(faulty.outside.effects.filter(({ runId }) => runId === run.id)).toHaveLength(1);
});

test.each([
  ['does not come back', 'double', { n: 1, failures: attemptsMax, fault: 'is not reached' }],
  ['does not have the action', 'elsewhere', {}],
])('[DO9] a Worker that %s fails the task once its attempts are used up', async (_, workflow, input) => {
  const run = await client.start(workflow, input);
  expect(await run.result()).toMatchObject({ status: 'failed', error: { code: 'ACTION_FAILED' } });
  expect(await failuresOf(run.id)).toHaveLength(attemptsMax - 1);
});

test('[DO9] [DO10] an object that is lost while it waits for the Worker asks it again, under the same key', async () => {
  const run = await client.start('double', { n: 21, failures: 1, fault: 'is silent' });
  await (await faulty.object('asking')).do('die').catch(() => undefined); // as it should
  await (await faulty.object('asking')).do('alarmAt', Date.now());
  await faulty.outside.hears(run.id);
  expect(await run.result()).toMatchObject({ status: 'completed', output: { n: 42 } });
  const keys = (await faulty.faults('')).works.filter((key) => key.includes(run.id));
  expect(new Set(keys).size).toBe(1);
});
