import { expect, test } from 'vitest';
import type { Run } from '../../packages/heddle/src/api/run.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onStoreHosts } from './hosts.testsuite.ts';
import { asks, promptAt } from './prompts.testsuite.ts';
import {
  answer,
  answerBranches,
  branchWork,
  type Fields,
  fail,
  go,
  join,
  launch,
  register,
  scripted,
  spawn,
  work,
  workflow,
} from './token-engine.testsuite.ts';

const hour = 3_600_000;

/** What sets a timer, and what makes it needless. */
interface Case {
  readonly definition: Fields;
  readonly end: (t: TestEngine, run: Run) => Promise<unknown>;
}

const racing = (slow: Fields) =>
  workflow(
    'w',
    ['start', branchWork('b'), slow, 'after'],
    [
      spawn('start', 'b', 2, 'g'),
      go('b', 'slow', { priority: 1, condition: '_branch.index == 1' }),
      ...['b', 'slow'].map((node) => join(node, 'after', 'g', { strategy: 'any' }, { priority: 2 })),
    ],
  );

const cases: Readonly<Record<string, Case>> = {
  'the timeout of a run that has completed': {
    definition: workflow('w', [work('a')], [], { timeoutMs: hour }),
    end: (t) => answer(t, 'a'),
  },
  'the deadline of a prompt that was answered': {
    definition: workflow('w', [asks('a', { title: 'Well?', deadlineMs: hour })]),
    end: async (_, run) => run.reply((await promptAt(run, 'a')).correlationId, {}),
  },
  'the timeout of an event that was received': {
    definition: workflow('w', [{ id: 'a', wait: { event: 'go', timeoutMs: hour } }]),
    end: (t) => t.engine.publish('go', {}),
  },
  'the timeout of a join that all have reached': {
    definition: workflow(
      'w',
      ['start', branchWork('b'), 'after'],
      [spawn('start', 'b', 2, 'g'), join('b', 'after', 'g', { timeoutMs: hour })],
    ),
    end: (t) => answerBranches(t, 'b', [0, 1]),
  },
  'a wait of a run that was cancelled': {
    definition: workflow('w', [{ id: 'a', wait: { seconds: 3_600 } }]),
    end: (_, run) => run.cancel(),
  },
  'the back-off of a run that was cancelled': {
    definition: workflow('w', [work('a', { retryPolicy: { maxAttempts: 2, initialDelayMs: hour, maxDelayMs: hour } })]),
    end: async (t, run) => {
      await fail(t, 'a');
      await run.cancel();
    },
  },
  'a wait in the branch that lost': {
    definition: racing({ id: 'slow', wait: { seconds: 3_600 } }),
    end: (t) => answerBranches(t, 'b', [1, 0]),
  },
};

onStoreHosts('timers that no longer matter', (host) => {
  test.each(Object.entries(cases))('[RN25] nothing is armed for %s', async (_, { definition, end }) => {
    const t = await host.open(scripted);
    const run = await launch(t, definition);
    await end(t, run);
    await t.settle();
    expect((await run.summary()).nextTimerAt ?? null).toBe(null);
    expect(t.clock.nextAt).toBe(null);
  });

  test('[RN25] what is left is armed: the next timer of any run, and none before it', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('nap', [{ id: 'a', wait: { seconds: 'input.seconds' } }]));
    const start = async (seconds: number) => t.engine.start('nap', { seconds });
    const runs = [await start(20), await start(10), await start(30)];
    await t.settle();
    const begun = t.clock.now();
    expect(t.clock.nextAt).toBe(begun + 10_000);
    await runs[1]?.cancel();
    await t.settle();
    expect(t.clock.nextAt).toBe(begun + 20_000);
    await t.advance(20_000);
    expect([await runs[0]?.status(), t.clock.nextAt]).toEqual(['completed', begun + 30_000]);
    await runs[2]?.cancel();
    await t.settle();
    expect(t.clock.nextAt).toBe(null);
  });

  test('[RN25] nothing is armed for a schedule that was switched off or removed', async () => {
    const t = await host.open();
    await register(t.engine, workflow('w', ['a']));
    const schedule = { type: 'schedule', cron: '0 * * * *', workflow: 'w' };
    for (const id of ['s', 'r']) await t.engine.triggers.create({ ...schedule, id });
    expect(t.clock.nextAt).not.toBe(null);
    await t.engine.triggers.disable('s');
    await t.settle();
    expect(t.clock.nextAt).not.toBe(null);
    await t.engine.triggers.remove('r');
    await t.settle();
    expect(t.clock.nextAt).toBe(null);
  });

  test('[KP3] nothing is armed for retention once its last rule is removed', async () => {
    const t = await host.open();
    await t.engine.retention.set('*', { days: 1 });
    await t.engine.retention.sweep();
    expect(t.clock.nextAt).not.toBe(null);
    await t.engine.retention.remove('*');
    expect(t.clock.nextAt).toBe(null);
  });
});
