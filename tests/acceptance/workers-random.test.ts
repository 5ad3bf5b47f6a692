// Workers that do anything at any time, and engines that come and go: what must hold whatever happens.

import { expect, test } from 'vitest';
import { dice } from '../../packages/heddle/src/core/dice.testsuite.ts';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { LeasedTask } from '../../packages/heddle/src/work/work-office.ts';
import { go, join, register, spawn, work, workflow } from './token-engine.testsuite.ts';
import { lease, leaseRecords, outside } from './workers.testsuite.ts';

const retry = { maxAttempts: 100, initialDelayMs: 7, jitter: 0 };
const definition = workflow(
  'w',
  ['s', work('a', { retry, timeoutMs: 40_000 }), work('b', { action: 'other', retry }), 'end'],
  [spawn('s', 'a', 4, 'g'), go('a', 'b'), join('b', 'end', 'g')],
);
const options = { ...outside, limits: { dispatchesMax: 1_000_000 } };
const stepsPerSeed = 120;

/** All that workers ever got, and what was taken of it. */
class World {
  readonly tasks: LeasedTask[] = [];
  readonly taken = new Map<string, number>();
  readonly runIds: string[] = [];
  t: TestEngine;

  constructor(t: TestEngine) {
    this.t = t;
  }

  async take(max: number): Promise<void> {
    const got = await lease(this.t, { actions: ['work', 'other'], max, leaseMs: 20_000 });
    this.tasks.push(...got);
  }

  /** I19, I20: of one token at most one result is taken, and only of its newest hand-out. */
  async complete(task: LeasedTask): Promise<void> {
    const [answer] = await this.t.engine.tasks.finish([{ lease: task.lease, output: { by: task.dispatch } }]);
    if (!answer?.applied) return;
    const key = task.idempotencyKey;
    this.taken.set(key, (this.taken.get(key) ?? 0) + 1);
    const hadNewer = this.tasks.some((other) => other.idempotencyKey === key && other.dispatch > task.dispatch);
    expect([hadNewer, this.taken.get(key)]).toEqual([false, 1]);
  }

  async restart(): Promise<void> {
    await this.t.engine.close({ graceMs: 0 });
    const { store, clock } = this.t;
    this.t = await createTestEngine({ ...options, store, clock });
  }
}

async function step(world: World, draw: (below: number) => number): Promise<void> {
  const { engine } = world.t;
  const task = world.tasks[draw(Math.max(1, world.tasks.length))];
  const runId = world.runIds[draw(world.runIds.length)] ?? '';
  const acts: readonly (() => Promise<unknown>)[] = [
    () => world.take(1 + draw(4)),
    () => world.take(1 + draw(4)),
    () => Promise.all([world.take(2), world.take(2)]),
    async () => task && world.complete(task),
    async () => task && Promise.all([world.complete(task), engine.tasks.release([{ lease: task.lease }])]),
    async () => task && engine.tasks.finish([{ lease: task.lease, error: { code: 'ODD', message: 'odd' } }]),
    async () => task && engine.tasks.heartbeat([{ lease: task.lease, leaseMs: 1 + draw(30_000) }]),
    async () => task && engine.tasks.release([{ lease: task.lease }]),
    () => world.t.advance(draw(15_000)),
    () => world.restart(),
    () => engine.run(runId).pause(),
    () => engine.run(runId).resume(),
  ];
  await acts[draw(acts.length)]?.();
}

/** Everybody behaves: what is there is done, until nothing is left. */
async function drain(world: World): Promise<void> {
  for (const runId of world.runIds) await world.t.engine.run(runId).resume();
  for (let idle = 0; idle < 3; ) {
    await world.t.advance(50_000);
    const before = world.tasks.length;
    await world.take(100);
    const fresh = world.tasks.slice(before);
    for (const task of fresh) await world.complete(task);
    idle = fresh.length === 0 ? idle + 1 : 0;
  }
}

test.each(Array.from({ length: 25 }, (_, seed) => seed))('[WK5, WK6] FT22, FT23, FT29: seed %i', async (seed) => {
  const draw = dice(seed + 1);
  const world = new World(await createTestEngine({ ...options, store: memoryStore() }));
  await register(world.t.engine, definition);
  for (let i = 0; i < 3; i++) world.runIds.push((await world.t.engine.start('w')).id);
  for (let i = 0; i < stepsPerSeed; i++) await step(world, draw);
  await drain(world);
  const { engine } = world.t;
  for (const runId of world.runIds) expect(await engine.run(runId).status()).toBe('completed');
  expect([...world.taken.values()]).toEqual(Array.from({ length: 24 }, () => 1));
  expect((await engine.audit()).problems).toEqual([]);
  await world.restart();
  expect(await leaseRecords(world.t)).toEqual([]);
  const waiting = (await world.t.engine.tasks.actions()).filter((action) => action.waiting + action.leased > 0);
  expect(waiting).toEqual([]);
  await world.t.engine.close();
});
