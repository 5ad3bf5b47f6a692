// Steps: parts of a task's work that are done once, through failed attempts, crashes, pauses and retries of the run.

import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import { defineNodeType } from '../../packages/heddle/src/dialects/dataflow/nodes/node-type.ts';
import type { NodeExecutor } from '../../packages/heddle/src/dialects/handle/nodes/node-executor.ts';
import type { ActionContext, ActionStep } from '../../packages/heddle/src/executor/action.ts';
import type { TestEngine, TestEngineOptions } from '../../packages/heddle/src/testing/test-engine.ts';
import { graph, node } from './dataflow.testsuite.ts';
import { drawing } from './handle.testsuite.ts';
import { onEveryHost, onStoreHosts } from './hosts.testsuite.ts';
import { ended, eventsOf, type Fields, launch, register, workflow } from './token-engine.testsuite.ts';
import { finish, leaseOne, outside, single } from './workers.testsuite.ts';

const retry = { maxAttempts: 3, initialDelayMs: 10 };
const never = (): Promise<never> => new Promise(() => undefined);

/** A shop whose executor charges, then mails; how often each was done, under which key, and what charging answered. */
class Shop {
  readonly done: string[] = [];
  readonly keys: string[] = [];
  readonly receipts: unknown[] = [];
  /** What becomes of mailing. */
  mail: () => string | Promise<string> = () => 'sent';

  readonly order: NodeExecutor = async ({ step, context }) => ({ ...context, ...(await this.sell(step)) });

  async sell(step: ActionStep): Promise<JsonObject> {
    const receipt = await step.run('charge', ({ idempotencyKey }) => this.#charge(idempotencyKey));
    this.receipts.push(receipt);
    const mail = await step.run('mail', () => this.#mail());
    return { receipt, mail };
  }

  #charge(key: string): JsonObject {
    this.done.push('charge');
    this.keys.push(key);
    return { number: this.done.length, of: { card: 'visa' } };
  }

  async #mail(): Promise<string> {
    this.done.push('mail');
    return this.mail();
  }
}

const orders = drawing(['pay:ORDER']);
const kept = { number: 1, of: { card: 'visa' } };

async function begin(t: TestEngine, definition: Fields): Promise<Run> {
  await register(t.engine, definition);
  const run = await t.engine.start(definition['id'] as string, {});
  await t.settle();
  return run;
}

const withActions = (work: (context: ActionContext) => unknown): TestEngineOptions => ({ actions: { work } });
const one = (more: Fields = {}): Fields =>
  workflow('w', [{ id: 'a', action: 'work', outputMapping: { 'output.x': 'result.x' }, ...more }]);

onEveryHost('remembered steps', (host) => {
  test('[T476][EX27] a retry of the node does not repeat a finished step, and gets the same result', async () => {
    const shop = new Shop();
    let failures = 2;
    shop.mail = () => {
      if (failures-- > 0) throw new Error('no mail today');
      return 'sent';
    };
    const t = await host.open(withActions(async ({ step }) => ({ x: await shop.sell(step) })));
    const run = await begin(t, one({ retry }));
    await t.advance(1_000);
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: { receipt: kept, mail: 'sent' } } });
    expect(shop.done).toEqual(['charge', 'mail', 'mail', 'mail']);
    expect(shop.receipts).toEqual([kept, kept, kept]);
    expect(await eventsOf(run, 'step.completed')).toMatchObject([
      { attempt: 1, step: 'charge', result: kept },
      { attempt: 3, step: 'mail', result: 'sent' },
    ]);
  });

  test('[T476][EX27][HN38] after a crash in the midst of the node a finished step is not done again', async () => {
    const shop = new Shop();
    shop.mail = never;
    let t = await host.open({ executors: { ORDER: shop.order } });
    const run = await begin(t, orders);
    expect(shop.done).toEqual(['charge', 'mail']);
    for (let crash = 0; crash < 2; crash++) {
      t = await host.restart(t, { executors: { ORDER: shop.order } });
      await t.settle();
    }
    shop.mail = () => 'sent';
    t = await host.restart(t, { executors: { ORDER: shop.order } });
    await t.settle();
    const again = t.engine.run(run.id);
    expect(await ended(again)).toMatchObject({ status: 'completed', output: { receipt: kept, mail: 'sent' } });
    expect(shop.done.filter((name) => name === 'charge')).toEqual(['charge']);
    expect(shop.receipts).toEqual([kept, kept, kept, kept]);
    expect(await eventsOf(again, 'step.completed')).toHaveLength(2);
    expect((await t.engine.audit()).problems).toEqual([]);
  });

  test('[T476][EX27] a step whose result was not recorded before the crash is done again, under the same key', async () => {
    const keys: string[] = [];
    let isStuck = true;
    const work = async ({ step }: ActionContext) => {
      const x = await step.run('charge', ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return isStuck ? never() : 7;
      });
      return { x };
    };
    let t = await host.open(withActions(work));
    const run = await begin(t, one());
    isStuck = false;
    t = await host.restart(t, withActions(work));
    await t.settle();
    expect(await ended(t.engine.run(run.id))).toMatchObject({ output: { x: 7 } });
    expect(keys).toEqual([`${run.id}/1/charge`, `${run.id}/1/charge`]);
  });

  test('[T476][HN32] steps of one name are numbered; one that throws is the same step when it is tried again', async () => {
    const done: string[] = [];
    let attempt = 0;
    let refusals = 1;
    const work = async ({ step }: ActionContext) => {
      attempt += 1;
      const take = (name: string, result: number) =>
        step.run(name, ({ idempotencyKey }) => {
          done.push(`${attempt}:${idempotencyKey.split('/').at(-1)}`);
          if (result === 2 && refusals-- > 0) throw new Error('not now');
          return result;
        });
      const results = [await take('a', 1), await take('a', 2).catch(() => take('a', 2))];
      results.push(await take('a', 3), await take('a#2', 4));
      if (attempt === 1) throw new Error('once more');
      return { x: results };
    };
    const t = await host.open(withActions(work));
    const run = await begin(t, one({ retry }));
    await t.advance(1_000);
    expect(await ended(run)).toMatchObject({ output: { x: [1, 2, 3, 4] } });
    expect(attempt).toBe(2);
    expect(done).toEqual(['1:a', '1:a#2', '1:a#2', '1:a#3', '1:a#2#2']);
  });

  test('[T476][EX27] what a step returns is JSON, a copy, the same in every attempt; nothing is nothing', async () => {
    const seen: unknown[] = [];
    let attempt = 0;
    const work = async ({ step }: ActionContext) => {
      attempt += 1;
      const list = await step.run('list', () => ({ items: [1, 2] }));
      const none = await step.run('none', () => undefined);
      const nothing = await step.run('null', () => null);
      seen.push(structuredClone([list, none, nothing]));
      list.items.push(3); // whoever writes to it writes to a copy
      if (attempt === 1) throw new Error('once more');
      return { x: list.items };
    };
    const t = await host.open(withActions(work));
    const run = await begin(t, one({ retry }));
    await t.advance(1_000);
    expect(await ended(run)).toMatchObject({ output: { x: [1, 2, 3] } });
    expect(seen).toEqual([
      [{ items: [1, 2] }, undefined, null],
      [{ items: [1, 2] }, undefined, null],
    ]);
  });

  test('[T476][EX27] steps survive a pause, snapshots and the life of a run without its engine', async () => {
    const shop = new Shop();
    shop.mail = never;
    let t = await host.open({ executors: { ORDER: shop.order }, limits: { snapshotEveryBytes: 1 } });
    const run = await begin(t, orders);
    await run.pause();
    t = await host.restart(t, { executors: { ORDER: shop.order }, limits: { snapshotEveryBytes: 1 } });
    await t.settle();
    shop.mail = () => 'sent';
    await t.engine.run(run.id).resume();
    await t.settle();
    expect(await ended(t.engine.run(run.id))).toMatchObject({ status: 'completed', output: { receipt: kept } });
    expect(shop.done.filter((name) => name === 'charge')).toEqual(['charge']);
    expect((await t.engine.audit()).problems).toEqual([]);
  });

  test('[T476][EX27] a step that ends while the run is paused is remembered', async () => {
    const gates: (() => void)[] = [];
    const done: string[] = [];
    const work = async ({ step }: ActionContext) => {
      const x = await step.run('slow', async () => {
        await new Promise<void>((resolve) => gates.push(resolve));
        return done.push('slow');
      });
      await step.run('stuck', () => (done.length > 1 ? undefined : never()));
      return { x };
    };
    let t = await host.open(withActions(work));
    const run = await begin(t, one());
    await run.pause();
    gates[0]?.();
    await t.settle();
    expect(await eventsOf(run, 'step.completed')).toMatchObject([{ step: 'slow', result: 1 }]);
    done.push('unstuck');
    t = await host.restart(t, withActions(work));
    await t.engine.run(run.id).resume();
    await t.settle();
    expect(await ended(t.engine.run(run.id))).toMatchObject({ output: { x: 1 } });
    expect(done).toEqual(['slow', 'unstuck']);
  });

  test('[T476][EX28] an attempt that has timed out records nothing, and begins no step', async () => {
    const gates: (() => void)[] = [];
    const told: unknown[] = [];
    const done: string[] = [];
    const work = async ({ step, attempt }: ActionContext) => {
      const late = (name: string) =>
        step.run(name, async () => {
          done.push(`${attempt}:${name}`);
          if (attempt === 1) await new Promise<void>((resolve) => gates.push(resolve));
          return attempt;
        });
      try {
        return { x: await late('slow') };
      } catch (error) {
        told.push((error as Error).name);
        await late('other').catch((second: Error) => told.push(second.name));
        throw error;
      }
    };
    const t = await host.open(withActions(work));
    const run = await begin(t, one({ retry, timeoutMs: 100 }));
    await t.advance(1_000);
    gates[0]?.();
    await t.settle();
    expect(await ended(run)).toMatchObject({ status: 'completed', output: { x: 2 } });
    expect(done).toEqual(['1:slow', '2:slow']);
    expect(told).toHaveLength(2);
    expect(await eventsOf(run, 'step.completed')).toMatchObject([{ attempt: 2, step: 'slow', result: 2 }]);
  });

  test.each([true, false])(
    '[T476][HN39] a retry of the run takes finished steps over (keepKeys: %s)',
    async (keepKeys) => {
      const shop = new Shop();
      shop.mail = () => {
        throw new Error('no mail');
      };
      const t = await host.open({ executors: { ORDER: shop.order } });
      const run = await begin(t, orders);
      expect(await ended(run)).toMatchObject({ status: 'failed' });
      shop.mail = () => 'sent';
      const again = await run.retry({ keepKeys });
      await t.settle();
      expect(await ended(again)).toMatchObject({ status: 'completed', output: { receipt: kept, mail: 'sent' } });
      expect(shop.done).toEqual(['charge', 'mail', 'mail']);
      expect(shop.keys).toHaveLength(1);
    },
  );

  test('[T476][EX29] a result that is too large, too deep or no JSON fails the node, and says what to do', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const results: Record<string, unknown> = { large: 'x'.repeat(2_000), deep: deep(20), odd: new Map() };
    const work = async ({ step, input }: ActionContext) => {
      const { of } = input as { of: string };
      await step.run('find', () => results[of]);
      return {};
    };
    const t = await host.open({ ...withActions(work), limits: { payloadBytesMax: 1_000, jsonDepthMax: 10 } });
    await register(t.engine, one({ inputMapping: { of: 'input.of' }, retry }));
    const failureOf = async (of: string) => {
      const run = await t.engine.start('w', { of });
      await t.advance(10);
      const { error } = (await ended(run)) as { error: { code: string; message: string; attempts: number } };
      return error;
    };
    expect(await failureOf('large')).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      attempts: 1,
      message: expect.stringMatching(
        /result of step "find" of action "work" .* \(limit payloadBytesMax\).*artifacts.put/,
      ),
    });
    expect(await failureOf('deep')).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('jsonDepthMax'),
    });
    expect(await failureOf('odd')).toMatchObject({
      code: 'ACTION_OUTPUT_INVALID',
      message: expect.stringContaining('Expected step "find" of action "work" to return plain JSON'),
    });
  });

  test('[T476][EX29] the steps of a task are bounded, in number and in bytes', async () => {
    const work = async ({ step, input }: ActionContext) => {
      const { count, size } = input as { count: number; size: number };
      for (let n = 1; n <= count; n++) await step.run(`s${n}`, () => 'x'.repeat(size));
      return { x: count };
    };
    const limits = { stepsPerTaskMax: 3, stepBytesPerTaskMax: 100 };
    const t = await host.open({ ...withActions(work), limits });
    await register(t.engine, one({ inputMapping: { count: 'input.count', size: 'input.size' }, retry }));
    const endOf = async (input: Fields) => {
      const run = await t.engine.start('w', input);
      await t.advance(10);
      return ended(run);
    };
    expect(await endOf({ count: 3, size: 31 })).toMatchObject({ status: 'completed' });
    expect(await endOf({ count: 4, size: 1 })).toMatchObject({
      error: { code: 'LIMIT_EXCEEDED', attempts: 1, message: expect.stringContaining('stepsPerTaskMax') },
    });
    expect(await endOf({ count: 3, size: 32 })).toMatchObject({
      error: { code: 'LIMIT_EXCEEDED', attempts: 1, message: expect.stringContaining('stepBytesPerTaskMax') },
    });
  });

  test.each<[string, unknown[], string]>([
    ['no name', ['', () => 1], 'Expected the name of a step to be a text of 1 to 200 characters, but it has 0'],
    [
      'a long name',
      ['x'.repeat(201), () => 1],
      'Expected the name of a step to be a text of 1 to 200 characters, but it has 201',
    ],
    ['no text', [7, () => 1], 'Expected the name of a step to be a text of 1 to 200 characters, but found number'],
    ['no function', ['a', 7], 'Expected the work of step "a" to be a function, but found number'],
  ])('[T476][EX29] %s is refused', async (_, given, message) => {
    const work = ({ step }: ActionContext) => step.run(...(given as Parameters<ActionStep['run']>));
    const t = await host.open(withActions(work));
    const run = await begin(t, one({ retry }));
    expect(await ended(run)).toMatchObject({ error: { code: 'STEP_INVALID', message, attempts: 1 } });
  });

  test('[T476][EX27] nodes of a dataflow graph have steps, too', async () => {
    const done: string[] = [];
    let failures = 1;
    const Pay = defineNodeType({
      outputs: { x: { type: 'number' } },
      retry,
      run: async ({ step }) => {
        const x = await step.run('charge', () => done.push('charge'));
        if (failures-- > 0) throw new Error('once more');
        return { x };
      },
    });
    const t = await host.open({ nodeTypes: { Pay } });
    const run = await begin(t, graph([node('a', 'Pay')]));
    await t.advance(1_000);
    expect(await ended(run)).toMatchObject({ status: 'completed' });
    expect(done).toEqual(['charge']);
  });

  test('[T476][EX27] tokens name their finished steps', async () => {
    const shop = new Shop();
    shop.mail = never;
    const t = await host.open({ executors: { ORDER: shop.order } });
    const run = await begin(t, orders);
    expect(await run.tokens()).toMatchObject([{ node: 'pay', steps: ['charge'] }]);
  });
});

onStoreHosts('remembered steps of workers', (host) => {
  test('[T476][EX30] a worker gets the steps that others have finished, also after a restart', async () => {
    let t = await host.open(outside);
    const run = await launch(t, single);
    const first = await leaseOne(t);
    expect(first.steps).toBeUndefined();
    await t.engine.tasks.recordStep(first.lease, 'charge', { receipt: 7 });
    await t.engine.tasks.recordStep(first.lease, 'charge', { receipt: 7 }); // its answer was lost
    await t.engine.tasks.recordStep(first.lease, 'log');
    t = await host.restart(t, outside);
    await t.engine.tasks.recordStep(first.lease, 'mail', null); // a lease outlives the engine that gave it
    await t.engine.tasks.release([{ lease: first.lease }]);
    await t.settle();
    const second = await leaseOne(t);
    expect(second.steps).toEqual([
      { step: 'charge', result: { receipt: 7 } },
      { step: 'log' },
      { step: 'mail', result: null },
    ]);
    await finish(t, second);
    expect(await ended(t.engine.run(run.id))).toMatchObject({ status: 'completed' });
    expect(await eventsOf(t.engine.run(run.id), 'step.completed')).toHaveLength(3);
  });

  test('[T476][EX30] a lease that is lost records nothing, and what is wrong is refused', async () => {
    const t = await host.open({ ...outside, limits: { payloadBytesMax: 1_000 } });
    const run = await launch(t, single);
    const first = await leaseOne(t);
    const recorded = (lease: string, ...step: [step: unknown, result?: unknown]) =>
      t.engine.tasks.recordStep(lease, ...(step as [string, unknown]));
    await expect(recorded('no lease', 'a')).rejects.toMatchObject({ code: 'LEASE_UNKNOWN' });
    await expect(recorded(first.lease, '')).rejects.toMatchObject({ code: 'STEP_INVALID' });
    await expect(recorded(first.lease, 'a', new Map())).rejects.toMatchObject({ code: 'ACTION_OUTPUT_INVALID' });
    await expect(recorded(first.lease, 'a', 'x'.repeat(1_000))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    await t.engine.tasks.release([{ lease: first.lease }]);
    await expect(recorded(first.lease, 'a')).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await eventsOf(run, 'step.completed')).toEqual([]);
  });

  test('[T476][EX29][EX30] a step that its run refuses is refused to its worker', async () => {
    const t = await host.open({ ...outside, limits: { stepsPerTaskMax: 1 } });
    const run = await launch(t, single);
    const { lease } = await leaseOne(t);
    await t.engine.tasks.recordStep(lease, 'charge', 7);
    await expect(t.engine.tasks.recordStep(lease, 'mail')).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('stepsPerTaskMax'),
    });
    expect(await eventsOf(run, 'step.completed')).toMatchObject([{ step: 'charge', result: 7 }]);
  });
});
