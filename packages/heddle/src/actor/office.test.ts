import { describe, expect, test } from 'vitest';
import type { Json } from '../base/json.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { faultyStore, flow, openRunner, type RunnerSetting, task } from './actor.testsuite.ts';
import type { Office } from './office.ts';
import type { Commit } from './ports.ts';

/** Notes what it receives. */
class NotingOffice implements Office {
  readonly received: [message: Json, outboxId: string][] = [];
  isIdle = true;
  isOwing = false;
  isClosed = false;

  receive(message: Json, outboxId: string): void {
    this.received.push([message, outboxId]);
  }

  whenIdle(): Promise<void> {
    this.isIdle = true;
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

const dear = flow([task('a', { cost: 2 })]);
const plain = { ...flow([task('a')]), id: 'plain' };
const calling = { ...flow([{ id: 'sub', workflow: 'plain' }]), id: 'calling' };

async function open(setting: RunnerSetting = {}) {
  const [credits, triggers] = [new NotingOffice(), new NotingOffice()];
  const offices = new Map([
    ['@credits', credits],
    ['@triggers', triggers],
  ]);
  const opened = await openRunner({ definitions: [dear, plain, calling], offices, ...setting });
  return { ...opened, credits, triggers };
}

const outbox = async ({ store }: { store: ReturnType<typeof memoryStore> }) =>
  (await store.readOutbox(null, 10)).map(({ to, message }) => [to, (JSON.parse(message) as { type: string }).type]);

describe('messages to offices', () => {
  test('[RN17] one goes to the office that its address names, with the id of its row in the outbox', async () => {
    const { start, store, credits, triggers } = await open();
    await start('R1', 'trial', { organization: 'org' });
    const [row] = await store.readOutbox(null, 10);
    expect(credits.received).toEqual([
      [{ type: 'reserve', runId: 'R1', organization: 'org', token: 1, amount: 2 }, row?.id],
    ]);
    expect(row?.to).toBe('@credits');
    expect(triggers.received).toEqual([]);
  });

  test('[RN17] it stays in the outbox until the office has done with it', async () => {
    const first = await open();
    await first.start('R1', 'trial', { organization: 'org' });
    expect(await outbox(first)).toEqual([['@credits', 'reserve']]);
    const again = await open({ store: first.store, clock: first.clock });
    await again.settle();
    expect(again.credits.received).toEqual(first.credits.received);
  });

  test('[RN17] without that office it waits in the outbox; nothing else is held up', async () => {
    const first = await open({ offices: new Map() });
    await first.start('R1', 'trial', { organization: 'org' });
    await first.start('R2', 'plain');
    first.executor.complete(1);
    await first.settle();
    expect(await first.store.readRun('R2')).toMatchObject({ status: 'completed' });
    expect(await outbox(first)).toEqual([['@credits', 'reserve']]);
    const second = await open({ store: first.store, clock: first.clock });
    await second.settle();
    expect(second.credits.received).toMatchObject([[{ type: 'reserve', runId: 'R1' }, expect.any(String)]]);
  });

  test('[RN17] a runner is at rest when its offices are, and closes them before its store', async () => {
    const memory = memoryStore();
    const seen: boolean[] = [];
    const { runner, credits, triggers } = await open({
      store: {
        ...faultyStore(memory, () => false),
        close: () => {
          seen.push(credits.isClosed, triggers.isClosed);
          return memory.close();
        },
      },
    });
    expect(runner.isIdle).toBe(true);
    triggers.isIdle = false;
    expect(runner.isIdle).toBe(false);
    await runner.whenIdle();
    expect(triggers.isIdle).toBe(true);
    await runner.close(0);
    expect(seen).toEqual([true, true]);
  });
});

describe('the end of a root run', () => {
  const listening = (...workflows: string[]): RunnerSetting => ({
    hasFinishedListeners: (workflow) => workflows.includes(workflow),
  });

  test('[RN16] is told to whoever listens to its workflow, in the commit that ends it', async () => {
    const commits: Commit[] = [];
    const memory = memoryStore();
    const store = faultyStore(memory, (commit) => {
      commits.push(commit);
      return false;
    });
    const { start, settle, executor, triggers } = await open({ ...listening('plain'), store });
    await start('R1', 'plain', { trigger: { type: 'manual', depth: 1 } });
    expect(triggers.received).toEqual([]);
    executor.complete(1);
    await settle();
    const message = {
      type: 'finished',
      runId: 'R1',
      workflow: 'plain',
      status: 'completed',
      output: {},
      trigger: { type: 'manual', depth: 1 },
    };
    expect(triggers.received).toEqual([[message, expect.any(String)]]);
    const last = commits.findLast(({ runs }) => runs.length > 0);
    expect(last?.runs).toMatchObject([{ row: { runId: 'R1', status: 'completed' } }]);
    expect(last?.outboxAdded).toEqual([
      { id: triggers.received[0]?.[1], to: '@triggers', message: JSON.stringify(message) },
    ]);
  });

  test('[RN16] however it ends, once', async () => {
    const { start, settle, runner, clock, triggers } = await open(listening('plain'));
    await start('R1', 'plain');
    const cancel = { type: 'cancel', at: clock.now(), reason: 'enough' } as const;
    await runner.inbox.command('R1', cancel);
    await runner.inbox.command('R1', cancel);
    await settle();
    expect(triggers.received).toMatchObject([
      [{ status: 'cancelled', error: { code: 'CANCELLED', message: 'enough' } }, expect.any(String)],
    ]);
  });

  test('[RN16] not if nobody listens, and not of a sub-run', async () => {
    const { start, settle, executor, triggers } = await open(listening('plain', 'other'));
    await start('R1', 'calling');
    executor.complete(1);
    await settle();
    expect(triggers.received).toEqual([]);
  });
});

describe('notes of a run', () => {
  test('[IN5] they are records in the commit of the event, and gone from the open ones when it is answered', async () => {
    const { start, store, runner, clock } = await open({ definitions: [flow([{ id: 'ask', input: true }])] });
    await start('R1', 'trial');
    const [open1] = await store.listRecords('open-prompt', { prefix: 'R1/', limit: 10 });
    expect(JSON.parse(open1?.value ?? '')).toMatchObject({ runId: 'R1', node: 'ask', status: 'active' });
    const { correlationId } = JSON.parse(open1?.value ?? '') as { correlationId: string };
    const reply = { type: 'reply', at: clock.now(), token: 1, correlationId, payload: 1 } as const;
    expect(await runner.inbox.command('R1', reply)).toEqual({ applied: true });
    expect(await store.listRecords('open-prompt', { prefix: 'R1/', limit: 10 })).toEqual([]);
    expect(JSON.parse((await store.readRecord('prompt', correlationId))?.value ?? '')).toMatchObject({
      status: 'answered',
    });
  });

  test('[EW2] who begins to wait for an event is told of after the commit', async () => {
    const heard: unknown[] = [];
    const { start } = await open({
      definitions: [flow([{ id: 'wait', wait: { event: 'paid', correlation: 'input.order' } }])],
      listen: (runId, wait) => heard.push([runId, wait]),
    });
    await start('R1', 'trial', { input: { order: 7 } });
    expect(heard).toEqual([['R1', expect.objectContaining({ token: 1, event: 'paid', correlation: '7' })]]);
  });
});
