// Runs that pay and runs that ask people, on a store that is slow and fails now and then, in an engine that is closed
// and opened again: when the faults stop, every run has ended and been charged for exactly what was handed out, nothing
// is reserved any more, no credit is lost or made, and nobody is asked. FROM=… COUNT=… searches further.

import { expect, test } from 'vitest';
import { memoryStore } from '../../packages/heddle/src/hosts/memory/store.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { eventsOf } from '../acceptance/token-engine.testsuite.ts';
import { answerOne, type Draw, dice, faulty, macrotasks, openAgain, quietly } from './faulty-store.testsuite.ts';

const work = (id: string, cost: number) => ({ id, action: 'work', cost, retry: { maxAttempts: 2, backoff: 'none' } });
const edge = (source: string, target: string) => ({ source, sourceOutput: 'v', target, targetInput: 'v' });

const definitions = [
  {
    id: 'child',
    initialNode: 'ask',
    inputPolicy: 'serial',
    nodes: [{ id: 'ask', input: { deadlineMs: 5_000 } }, { id: 'none' }, work('pay', 3)],
    transitions: [
      { from: 'ask', to: 'pay' },
      { from: 'ask', to: 'none', on: 'failure' },
    ],
  },
  {
    id: 'parent',
    initialNode: 's',
    inputPolicy: 'serial',
    nodes: [
      { id: 's' },
      work('a', 2),
      { id: 'ask', input: true },
      { id: 'down', workflow: { id: 'child', onFailure: 'catch' } },
      { id: 'j' },
      work('b', 1),
    ],
    transitions: [
      { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g', onBranchFailure: 'end' },
      { from: 's', to: 'ask', siblingGroup: 'g' },
      { from: 's', to: 'down', siblingGroup: 'g', spawnCount: 2 },
      ...['a', 'ask', 'down'].map((from) => ({
        from,
        to: 'j',
        synchronization: { siblingGroup: 'g', strategy: 'all' },
      })),
      { from: 'j', to: 'b' },
    ],
  },
  {
    dialect: 'dataflow',
    id: 'flow',
    nodes: ['a', 'b', 'c'].map((id) => ({ id, type: 'work', cost: 4 })),
    edges: [edge('a', 'b'), edge('a', 'c')],
  },
];

async function replyToOne(t: TestEngine, draw: Draw): Promise<void> {
  const prompts = await t.engine.prompts();
  const prompt = prompts[draw(Math.max(1, prompts.length))];
  if (prompt) await t.engine.run(prompt.rootRunId).reply(prompt.correlationId, draw(2));
}

/** The faults have stopped: everything is answered until nothing is left to do. */
async function comeToRest(t: TestEngine, draw: Draw): Promise<void> {
  await t.advance(20_000);
  for (let round = 0; round < 30; round++) {
    for (const call of t.script.open('work')) if (!call.signal.aborted) call.complete({ v: 2 });
    quietly(replyToOne(t, draw));
    await t.advance(1_000);
  }
}

/** What the tasks of a run cost that were handed out, each once. */
async function costOf(t: TestEngine, runId: string): Promise<number> {
  const handedOut = await eventsOf(t.engine.run(runId), 'task.dispatched');
  return handedOut.reduce((sum, { cost = 0 }) => sum + cost, 0);
}

async function checkBooks(t: TestEngine, deposited: number): Promise<void> {
  const reservations = await t.engine.credits.reservations('acme', { limit: 10_000 });
  const spent = await Promise.all(reservations.map(({ runId }) => costOf(t, runId)));
  expect(reservations.map((reservation) => reservation.spent)).toEqual(spent);
  expect(reservations.filter((reservation) => reservation.reserved < Number(reservation.spent))).toEqual([]);
  const total = spent.reduce((sum, each) => sum + each, 0);
  expect(await t.engine.credits.balance('acme')).toBe(deposited - total);
}

const from = Number(process.env['FROM'] ?? 1);
const count = Number(process.env['COUNT'] ?? 40);
/** Seeds that found something: a start that left the outbox before it was stored. */
const kept = [1390];

test.each([...kept, ...Array.from({ length: count }, (_, i) => from + i)])(
  '[CR7][CR8][CR9][CR11][CR12] no credit is lost or made: seed %i',
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
    for (const definition of definitions) {
      expect((await t.engine.register(definition)).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
    const deposited = 15 + draw(40);
    await t.engine.credits.deposit('acme', deposited);
    faults.perMille = 60;
    const ids: string[] = [];
    for (let i = 0; i < 3 + draw(4); i++) {
      const workflow = ['parent', 'flow'][draw(2)] ?? 'flow';
      quietly(t.engine.start(workflow, {}, { organization: 'acme' }).then(({ id }) => ids.push(id)));
    }
    for (let step = 0; step < 60; step++) {
      const chance = draw(20);
      if (chance < 6) answerOne(t, draw);
      else if (chance < 11) quietly(replyToOne(t, draw));
      else if (chance === 11) quietly(t.engine.run(ids[draw(ids.length)] ?? 'nobody').cancel());
      else if (chance === 12) t = await openAgain(t, options);
      else if (chance < 16) await Promise.race([t.advance(draw(3000)), macrotasks(30)]);
      else await macrotasks(30);
    }
    faults.perMille = 0;
    await comeToRest(t, draw);
    const runs = await t.engine.runs({ subRuns: true, limit: 10_000 });
    expect(runs.filter(({ quarantine, endedAt }) => quarantine !== null || endedAt === null)).toEqual([]);
    expect(await base.readOutbox(null, 10)).toEqual([]);
    expect(await t.engine.prompts()).toEqual([]);
    await checkBooks(t, deposited);
    expect((await t.engine.audit()).problems).toEqual([]);
    await t.engine.close({ graceMs: 0 });
  },
);
