// An object for every run: what runs exchange with home and with each other, and what cannot be asked of all of them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Outside, Workerd } from './workerd.testsuite.ts';

const outside = new Outside();
let workerd: Workerd;

beforeAll(async () => {
  workerd = await Workerd.open({
    program: 'program.worker.ts',
    isBehindService: true,
    outside: outside.answer,
    bindings: { SHARDS: 'run' },
  });
});
afterAll(() => workerd.close());

const waiting = (event: string) => ({
  id: `waits-${event}`,
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait: { event }, outputMapping: { 'output.got': 'result.n' } }],
  transitions: [],
});

test('[SH18] every run has an object of its own, and starts under one key the same', async () => {
  const heddle = workerd.client();
  const runs = await Promise.all(Array.from({ length: 4 }, () => heddle.start('tell', {})));
  expect(new Set(runs.map(({ id }) => id.split('~')[1])).size).toBe(4);
  const again = { idempotencyKey: 'the same' };
  const [one, other] = await Promise.all([heddle.start('tell', {}, again), heddle.start('tell', {}, again)]);
  expect(one.id).toBe(other.id);
  await expect(heddle.start('nap', {}, again)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const many = await heddle.startAll([
    { workflow: 'tell', input: {} },
    { workflow: 'tell', input: {}, idempotencyKey: 'the same' },
    { workflow: 'nobody', input: {} },
  ]);
  expect(many).toMatchObject([{ ok: true }, { runId: one.id }, { ok: false, code: 'WORKFLOW_NOT_FOUND' }]);
});

test('[SH18] an event that is published ends the wait of a run in another object', async () => {
  const heddle = workerd.client();
  await heddle.register(waiting('came'));
  const early = await heddle.start('waits-came', {});
  await expect.poll(() => early.waits()).toMatchObject([{ kind: 'event' }]);
  await heddle.publish('came', { n: 1 });
  expect(await early.result()).toMatchObject({ status: 'completed', output: { got: 1 } });
});

test('[SH18] a trigger starts a run in an object of its own, and a version registered later is the latest', async () => {
  const heddle = workerd.client();
  const definition = { id: 'fired', initialNode: 'tell', nodes: [{ id: 'tell', action: 'tell' }], transitions: [] };
  await heddle.register(definition);
  await heddle.triggers.create({ id: 'on-order', type: 'event', event: 'order', workflow: 'fired' });
  const { fired } = await heddle.publish('order', { n: 1 });
  expect(fired).toHaveLength(1);
  const { version } = await heddle.register({ ...definition, description: 'another' });
  const run = await heddle.start('fired', {});
  expect(await run.summary()).toMatchObject({ version });
});

test('[SH18] [SH19] the end of a run fires a trigger, a sub-run stays in the object of its root', async () => {
  const heddle = workerd.client();
  await heddle.register({
    id: 'called',
    initialNode: 'tell',
    nodes: [{ id: 'tell', action: 'tell' }],
    transitions: [],
  });
  await heddle.register({
    id: 'parent',
    initialNode: 'child',
    nodes: [{ id: 'child', workflow: 'called' }],
    transitions: [],
  });
  await heddle.register({
    id: 'report',
    initialNode: 'report',
    nodes: [{ id: 'report', action: 'tell' }],
    transitions: [],
  });
  await heddle.triggers.create({ id: 'on-end', type: 'workflow_finished', source: 'parent', workflow: 'report' });
  const run = await heddle.start('parent', {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  const fired = await outside.hearsOf('report');
  expect(fired.split('~')[1]).not.toBe(run.id.split('~')[1]);
  const child = await outside.hearsOf('called');
  expect(child.split('~')[1]).toBe(run.id.split('~')[1]);
});

test('[SH19] secrets are read at home, as they are now', async () => {
  const heddle = workerd.client();
  await heddle.secrets.set('token', 'abcdefgh', { hosts: ['example.com'] });
  const run = await heddle.start('secret', {});
  expect(await run.result()).toMatchObject({ status: 'completed', output: { length: 8 } });
});

test('[SH20] what would have to ask every object is refused, and says what to do', async () => {
  const heddle = workerd.client();
  const refused = { code: 'NOT_IN_THIS_PLACEMENT' };
  const projected = { ...refused, hint: expect.stringContaining('projection') };
  await expect(heddle.runs()).rejects.toMatchObject(projected);
  await expect(heddle.call('countRuns', {})).rejects.toMatchObject(projected);
  await expect(heddle.call('cancelRuns', { workflow: 'tell' })).rejects.toMatchObject(projected);
  await expect(heddle.call('retryRuns', { workflow: 'tell' })).rejects.toMatchObject(projected);
  await expect(heddle.retention.sweep()).rejects.toMatchObject(projected);
  await expect(heddle.prompts()).rejects.toMatchObject(refused);
  await expect(heddle.call('getOverview', {})).rejects.toMatchObject(refused);
  await expect(heddle.call('getNodeFigures', { workflow: 'tell' })).rejects.toMatchObject(refused);
  await expect(heddle.call('getStats', {})).rejects.toMatchObject(refused);
  await expect(heddle.call('listDeliveries', {})).rejects.toMatchObject(refused);
  await expect(heddle.call('listWorkers', {})).rejects.toMatchObject(refused);
  await expect(heddle.audit()).rejects.toMatchObject(refused);
  await expect(heddle.events({ follow: false }).next()).rejects.toMatchObject(refused);
  await expect(heddle.tasks.lease({ actions: ['tell'] })).rejects.toMatchObject(refused);
  await expect(heddle.retention.set('tell', { keepLast: 3 })).rejects.toMatchObject(refused);
  const run = await heddle.start('tell', {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
});

test('[SH21] the runs of a tree, its prompts and its events are asked of its object', async () => {
  const heddle = workerd.client();
  await heddle.register({ id: 'asks', initialNode: 'ask', nodes: [{ id: 'ask', input: {} }], transitions: [] });
  await heddle.register({ id: 'calls', initialNode: 'a', nodes: [{ id: 'a', workflow: 'asks' }], transitions: [] });
  const run = await heddle.start('calls', {});
  const [prompt] = await expect
    .poll(() => run.prompts())
    .toHaveLength(1)
    .then(() => run.prompts());
  for (const named of [{ rootRunId: run.id }, { parentRunId: run.id }]) {
    const { items } = await heddle.call('listRuns', { ...named, activity: true });
    expect(items).toMatchObject([{ runId: prompt?.runId, workflow: 'asks', activity: { kind: 'prompt' } }]);
  }
  await run.reply(prompt?.correlationId ?? '', {});
  expect(await run.result()).toMatchObject({ status: 'completed' });
  const all: { readonly id: string; readonly type: string }[] = [];
  for await (const event of run.events()) all.push(event);
  const rest: string[] = [];
  for await (const { id } of run.events({ after: all[1]?.id ?? '' })) rest.push(id);
  expect(rest).toEqual(all.slice(2).map(({ id }) => id));
  const { items } = await heddle.call('listActions', {});
  expect(items.map(({ name }) => name)).toEqual(expect.arrayContaining(['tell', 'double']));
});
