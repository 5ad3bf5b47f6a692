import { describe, expect, test } from 'vitest';
import type { ChildEnded } from '../core/commands.ts';
import { makeChildId } from '../core/planning/subworkflow.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { faultyStore, flow, openRunner, task } from './actor.testsuite.ts';
import type { JournalRow } from './ports.ts';

const parent = {
  ...flow([
    {
      id: 's',
      workflow: { id: 'child', onFailure: 'catch' },
      inputMapping: { n: 'input.n' },
      outputMapping: { 'output.r': 'result' },
    },
  ]),
  id: 'parent',
};
const child = {
  ...flow([task('a', { outputMapping: { 'output.x': 'result.x' } })], [], {
    inputSchema: { properties: { n: { type: 'number' } } },
  }),
  id: 'child',
};
const types = (rows: readonly JournalRow[]) =>
  rows.flatMap(({ events }) => (JSON.parse(events) as { type: string }[]).map(({ type }) => type));

/** What a run is told that its parent starts. */
const starting = (more: object = {}) => ({
  type: 'start' as const,
  child: {
    workflow: 'child',
    version: null,
    input: {},
    parent: { runId: 'PARENT', token: 1 },
    rootRunId: 'PARENT',
    depth: 1,
    nodeBudget: 9,
    descendantBudget: 9,
    trace: false,
    ...more,
  },
});

describe('messages between runs', () => {
  test('[RC1][T222] a message is received once: its effect and its removal are one transaction', async () => {
    const { runner, store, executor, start, settle } = await openRunner({ definitions: [child, parent] });
    await start('PARENT', 'parent', { input: { n: 1 } });
    const childRunId = makeChildId('PARENT', 1, 1);
    executor.complete(1, { x: 2 });
    await settle();
    expect(await store.readOutbox(null, 10)).toEqual([]);
    expect(await store.readRun('PARENT')).toMatchObject({ status: 'completed', result: '{"output":{"r":{"x":2}}}' });
    runner.inbox.deliver(
      'PARENT',
      {
        type: 'child.ended',
        token: 1,
        childRunId,
        status: 'completed',
        output: { x: 3 },
        nodesUsed: 1,
        descendantsUsed: 0,
      },
      'again',
    );
    runner.inbox.deliver(childRunId, starting(), 'again');
    await settle();
    expect(
      types(await store.readJournal('PARENT', 1, 10)).filter((type) => type === 'subworkflow.completed'),
    ).toHaveLength(1);
    expect(
      types(await store.readJournal(childRunId, 1, 10)).filter((type) => type === 'workflow.started'),
    ).toHaveLength(1);
  });

  test('[RC2] a run that is called off before it started leaves a row that refuses the start', async () => {
    const { runner, store, executor, settle } = await openRunner({ definitions: [child, parent] });
    runner.inbox.deliver('CHILD', { type: 'cancel', reason: 'too late' }, '1');
    await settle();
    runner.inbox.deliver('CHILD', starting(), '2');
    await settle();
    expect(await store.readRun('CHILD')).toMatchObject({ status: 'cancelled', seq: 0 });
    expect(executor.tasks).toEqual([]);
  });

  test('[RC3] a child that cannot start tells its parent why, and is no run', async () => {
    const { store, start } = await openRunner({ definitions: [parent, child] });
    await start('WRONG', 'parent', { input: { n: 'one' } });
    const row = await store.readRun('WRONG');
    expect(row?.status).toBe('completed');
    expect(JSON.parse(row?.result ?? '{}')).toMatchObject({
      output: { r: { status: 'failed', error: { code: 'INPUT_INVALID' } } },
    });
    expect((await store.pageRuns({ limit: 10, parentRunId: 'WRONG' })).rows).toEqual([]);
    const missing = await openRunner({ definitions: [parent] });
    await missing.start('MISSING', 'parent', { input: { n: 1 } });
    expect(JSON.parse((await missing.store.readRun('MISSING'))?.result ?? '{}')).toMatchObject({
      output: { r: { error: { code: 'WORKFLOW_NOT_FOUND' } } },
    });
  });

  test('[RC4] without a version a child takes the latest when it starts, and keeps it', async () => {
    const { store, definitions, clock, start } = await openRunner({ definitions: [child, parent] });
    await start('FIRST', 'parent', { input: { n: 1 } });
    await definitions.register({ ...child, nodes: [{ id: 'a', action: 'other' }] }, clock.now());
    await start('SECOND', 'parent', { input: { n: 1 } });
    expect((await store.readRun(makeChildId('FIRST', 1, 1)))?.version).toBe(1);
    expect((await store.readRun(makeChildId('SECOND', 1, 1)))?.version).toBe(2);
  });

  const continuing = (runId: string) => starting({ continues: { runId, keepKeys: true } });

  test('[RX7] a sub-run continues another only when that has ended', async () => {
    const { runner, store, executor, start, settle, advance } = await openRunner({ definitions: [child] });
    await start('BEFORE', 'child');
    runner.inbox.deliver('NEXT', continuing('BEFORE'), '1');
    await settle();
    expect(await store.readRun('NEXT')).toBeNull();
    await runner.inbox.command('BEFORE', { type: 'cancel', at: 0, reason: 'no' });
    await advance(10_000);
    expect(await store.readRun('NEXT')).toMatchObject({ status: 'running', parentRunId: 'PARENT' });
    expect(executor.tasks.map(({ runId, idempotencyKey }) => [runId, idempotencyKey])).toEqual([
      ['BEFORE', 'BEFORE/1'],
      ['NEXT', 'BEFORE/1'],
    ]);
  });

  test('[RX7] a sub-run that was deleted before it was continued is told to the caller', async () => {
    const told: string[] = [];
    const store = faultyStore(memoryStore(), ({ outboxAdded }) => {
      told.push(...outboxAdded.map(({ to, message }) => `${to} ${(JSON.parse(message) as ChildEnded).error?.code}`));
      return false;
    });
    const { runner, settle } = await openRunner({ definitions: [child], store });
    runner.inbox.deliver('NEXT', continuing('GONE'), '1');
    await settle();
    expect(told).toEqual(['PARENT RUN_NOT_FOUND']);
    expect(await store.readRun('NEXT')).toBeNull();
  });
});
