// The checks themselves are checked: a journal in which a fault was planted must not pass.

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { checkJournal } from './invariants.testsuite.ts';
import { journalOf, launch } from './lifecycle.testsuite.ts';

const definition: Definition = {
  id: 'w',
  initialNode: 'start',
  nodes: [
    { id: 'start' },
    {
      id: 'task',
      action: 'work',
      outputMapping: { 'state.x': 'result.value' },
      retry: { maxAttempts: 2, initialDelayMs: 10 },
    },
    { id: 'pause', wait: { seconds: 1 } },
  ],
  transitions: [
    { from: 'start', to: 'task', spawnCount: 3, siblingGroup: 'g' },
    {
      from: 'task',
      to: 'pause',
      synchronization: {
        siblingGroup: 'g',
        strategy: { mOfN: 2 },
        merge: { source: '_branch.output.x', target: 'state.x', strategy: 'append' },
      },
    },
  ],
  outputMapping: { x: 'state.x' },
};

/** Two of three arrive, the later index first, one after a failed attempt; then a wait. */
async function soundJournal(): Promise<RunEvent[]> {
  const engine = await createTestEngine({ scripted: ['work'] });
  const run = await launch(engine, definition);
  const [first, , third] = engine.script.open('work');
  first!.fail(new Error('not yet'));
  third!.complete({ value: 'c', call: 1 });
  await engine.advance(10);
  engine.script.open('work').at(-1)!.complete({ value: 'a', call: 2 });
  await engine.advance(1000);
  expect(await run.status()).toBe('completed');
  const journal = await journalOf(run);
  await engine.engine.close({ graceMs: 0 });
  return journal;
}

const check = (journal: readonly RunEvent[]) => checkJournal(journal, { definition, fairAnswers: new Set([1, 2]) });

type Plant = (journal: RunEvent[]) => RunEvent[];
const at = (journal: readonly RunEvent[], type: RunEvent['type'], nth = 0): number => {
  const found = [...journal.keys()].filter((index) => journal[index]!.type === type);
  return found.at(nth)!;
};
const without =
  (type: RunEvent['type'], nth = 0): Plant =>
  (journal) =>
    journal.toSpliced(at(journal, type, nth), 1);
const twice =
  (type: RunEvent['type'], nth = 0): Plant =>
  (journal) => {
    const index = at(journal, type, nth);
    return journal.toSpliced(index, 0, journal[index]!);
  };
const changed =
  (type: RunEvent['type'], change: object, nth = 0): Plant =>
  (journal) => {
    const index = at(journal, type, nth);
    return journal.with(index, { ...journal[index]!, ...change });
  };
const moved =
  (type: RunEvent['type'], before: RunEvent['type'], nth: number): Plant =>
  (journal) => {
    const event = journal[at(journal, type)]!;
    const rest = journal.filter((other) => other !== event);
    const place = at(rest, before, nth);
    return rest.toSpliced(place, 0, { ...event, seq: rest[place]!.seq, at: rest[place]!.at });
  };

describe('the checks of invariants', () => {
  test('a sound journal passes, also cut after any command', async () => {
    const journal = await soundJournal();
    expect(check(journal)).toMatchObject({ liveTokens: 0, output: { x: ['a', 'c'] }, accepted: [1, 2] });
    for (const seq of new Set(journal.map((event) => event.seq))) check(journal.filter((event) => event.seq <= seq));
  });

  test.each<[string, RegExp, Plant]>([
    ['a token that never ends', /I1|I7|I14/, without('tokens.cancelled')],
    ['a token that ends twice', /I3/, twice('token.completed')],
    ['a token at no node', /I6/, changed('token.created', { node: 'nowhere' }, 1)],
    ['an id that is used again', /I5/, changed('token.created', { token: 1 }, 1)],
    ['a branch that is not spawned', /I9|I10|I5/, changed('token.created', { count: 2 }, 1)],
    ['a total that is not the sum', /I9/, changed('fan_out.started', { total: 4 })],
    ['a join that fires twice', /I11/, twice('fan_in.completed')],
    ['a join that fires with one arrival too few', /I12/, moved('fan_in.completed', 'token.waiting', 1)],
    ['a join that does not fire', /I12/, (journal) => journal.slice(0, at(journal, 'fan_in.completed'))],
    ['a branch that arrives twice', /I1|I13/, twice('token.waiting')],
    ['no continuation', /I15|I2/, (journal) => journal.slice(0, at(journal, 'token.created', -1))],
    ['two continuations', /I15|I5/, twice('token.created', -1)],
    ['a continuation in a branch', /I14|I15|I10/, changed('token.created', { branch: [1, 0] }, -1)],
    ['a merge in order of arrival', /I16/, changed('branches.merged', { writes: [['state.x', ['c', 'a']]] })],
    ['a branch that writes to the run', /I16|I38/, changed('context.updated', { branch: [0, 0] })],
    ['a result that counts twice', /I1|I19|I20/, twice('task.completed')],
    ['a result of a lost hand-out', /I20/, changed('task.completed', { output: { value: 'c', call: 9 } })],
    ['an attempt that is skipped', /I21/, changed('task.dispatched', { attempt: 3 }, -1)],
    [
      'a back-off that is cut short',
      /I21/,
      (journal) => {
        const failed = journal[at(journal, 'task.attempt_failed')] as Extract<
          RunEvent,
          { type: 'task.attempt_failed' }
        >;
        return changed('task.attempt_failed', { retryAt: failed.at + 1 })(journal);
      },
    ],
    ['a timer before its time', /I26/, changed('token.waiting', { until: Number.MAX_SAFE_INTEGER }, -1)],
    ['a gap in the sequence', /I31/, (journal) => journal.filter(({ seq }) => seq !== 2)],
    ['something after the end', /I37/, twice('workflow.completed')],
    ['another output', /I38/, changed('workflow.completed', { output: { x: ['a'] } })],
  ])('%s is noticed', async (_, rule, plant) => {
    const journal = await soundJournal();
    expect(() => check(plant(journal))).toThrow(new RegExp(`^(${rule.source}) is broken`));
  });
});
