// A store that is slow and fails now and then, an engine that is closed and opened again, runs that are paused, resumed
// and cancelled, three levels of sub-workflows: when the faults stop, every run ends, none is set aside, nothing is left
// in the outbox, and the audit is clean. Seeds are fixed; FROM=… COUNT=… searches further.

import { expect, test } from 'vitest';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { answerOne, type Draw, dice, faulty, macrotasks, openAgain, quietly } from './faulty-store.testsuite.ts';

const definitions = [
  {
    id: 'leaf',
    initialNode: 'a',
    nodes: [
      { id: 'a', action: 'work', retry: { maxAttempts: 2, initialDelayMs: 50 } },
      { id: 'w', wait: { seconds: 1 } },
      { id: 'b', action: 'work' },
    ],
    transitions: [
      { from: 'a', to: 'w' },
      { from: 'w', to: 'b' },
      { from: 'a', to: 'w', on: 'failure' },
    ],
  },
  {
    id: 'mid',
    initialNode: 's',
    nodes: [
      { id: 's' },
      {
        id: 'c',
        workflow: { id: 'leaf', onFailure: 'catch', timeoutMs: 5000 },
        retry: { maxAttempts: 2, initialDelayMs: 100 },
      },
      { id: 'j' },
    ],
    transitions: [
      { from: 's', to: 'c', spawnCount: 3, siblingGroup: 'g' },
      { from: 'c', to: 'j', synchronization: { siblingGroup: 'g', strategy: { mOfN: 2 } } },
    ],
  },
  {
    id: 'top',
    initialNode: 's',
    timeoutMs: 3_600_000,
    nodes: [
      { id: 's' },
      { id: 'm', workflow: { id: 'mid', onFailure: 'catch' } },
      { id: 'l', workflow: { id: 'leaf', timeoutMs: 3000, onFailure: 'catch' } },
      { id: 't', action: 'work' },
      { id: 'j' },
    ],
    transitions: [
      { from: 's', to: 'm', siblingGroup: 'g', onBranchFailure: 'end' },
      { from: 's', to: 'l', siblingGroup: 'g' },
      { from: 's', to: 't', siblingGroup: 'g' },
      ...['m', 'l', 't'].map((from) => ({
        from,
        to: 'j',
        synchronization: {
          siblingGroup: 'g',
          strategy: 'all',
          timeoutMs: 20_000,
          onTimeout: 'proceed_with_available',
        },
      })),
    ],
  },
];

function meddle(t: TestEngine, runId: string, chance: number, draw: Draw): void {
  const run = t.engine.run(runId);
  if (chance < 10 || chance === 13) quietly(run.pause());
  if (chance >= 10 && chance < 14) quietly(run.resume());
  if (chance === 14 && draw(4) === 0) quietly(run.cancel());
}

/** The faults have stopped: everything is answered until nothing is left to do. */
async function comeToRest(t: TestEngine): Promise<void> {
  await t.advance(20_000);
  for (let round = 0; round < 30; round++) {
    for (const { runId, parentRunId } of await t.engine.runs({ subRuns: true, status: 'paused', limit: 1000 }))
      if (parentRunId === null) await t.engine.run(runId).resume();
    for (const call of t.script.open('work')) if (!call.signal.aborted) call.complete({ v: 2 });
    await t.advance(10_000);
  }
}

const from = Number(process.env['FROM'] ?? 1);
const count = Number(process.env['COUNT'] ?? 40);

test.each(Array.from({ length: count }, (_, i) => from + i))(
  'when the faults stop every run ends: seed %i',
  async (seed) => {
    const draw = dice(seed);
    const faults = { perMille: 0 };
    const base = memoryStore();
    const options = {
      store: faulty(base, dice(seed + 1000), faults),
      scripted: ['work'],
      limits: { idleRunsMax: 2, dispatchesMax: 200 },
    };
    let t = await createTestEngine(options);
    for (const definition of definitions) await t.engine.register(definition);
    faults.perMille = 60;
    const ids: string[] = [];
    for (let i = 0; i < 2 + draw(3); i++) quietly(t.engine.start('top').then(({ id }) => ids.push(id)));
    for (let step = 0; step < 60; step++) {
      const chance = draw(20);
      const runId = ids[draw(Math.max(1, ids.length))];
      if (chance < 8) answerOne(t, draw);
      else if (chance < 15 && runId !== undefined) meddle(t, runId, chance, draw);
      else if (chance === 15) t = await openAgain(t, options);
      else if (chance < 18) await Promise.race([t.advance(draw(3000)), macrotasks(30)]);
      else await macrotasks(30);
    }
    faults.perMille = 0;
    await comeToRest(t);
    const runs = await t.engine.runs({ subRuns: true, limit: 10_000 });
    expect(runs.filter(({ quarantine }) => quarantine !== null)).toEqual([]);
    expect(runs.filter(({ endedAt }) => endedAt === null)).toEqual([]);
    expect((await t.engine.audit()).problems).toEqual([]);
    expect(await base.readOutbox(null, 10)).toEqual([]);
    await t.engine.close({ graceMs: 0 });
  },
);
