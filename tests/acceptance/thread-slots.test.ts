import { expect, test } from 'vitest';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { say } from './prompts.testsuite.ts';
import {
  ask,
  batch,
  end,
  fanIn,
  fanOut,
  gosub,
  meeting,
  row,
  standing,
  start,
  thread,
  work,
} from './thread.testsuite.ts';
import { answer, callsAt, launch, register, scripted } from './token-engine.testsuite.ts';

const ids = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

const open = (t: TestEngine): string[] =>
  t.script.calls.filter(({ isAnswered }) => !isAnswered).map(({ nodeId }) => nodeId);

onEveryHost('slots', (host) => {
  test('[T137] with a cap of K at most K nodes execute at once, in all runs together', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 3 } });
    for (const prefix of ['a', 'b']) await launch(t, meeting(ids(5, prefix).map((id) => work(id))));
    let [answered, peak] = [0, 0];
    for (let calls = open(t); calls.length > 0; calls = open(t)) {
      peak = Math.max(peak, calls.length);
      await answer(t, String(calls[0]));
      answered++;
    }
    expect([peak, answered]).toEqual([3, 10]);
    const runs = await t.engine.runs({ subRuns: true });
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  test('[T137] so too in the slices of a batch, whatever it asks for', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 2 } });
    const nodes = [start(), batch('slices', 'list', 1, 5), work('process')];
    const run = await launch(t, thread('w', nodes, ['start->slices:process->process']), { list: [1, 2, 3, 4, 5] });
    const peaks: number[] = [];
    for (let calls = callsAt(t, 'process'); calls.length > 0; calls = callsAt(t, 'process')) {
      peaks.push(calls.length);
      await answer(t, 'process');
    }
    expect([peaks, await standing(run)]).toEqual([[2, 2, 2, 2, 1], 'Success']);
  });

  test('[T135][T136][T138] threads that wait hold no slot: with many more of them than slots, work goes on', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    await register(t.engine, row('child', start(), ask('inner')));
    const waiting = [...ids(5, 'ask').map((id) => ask(id)), ...ids(5, 'call').map((id) => gosub(id, 'child'))];
    const definition = thread(
      'w',
      [start(), fanOut('fan'), ...waiting, work('a'), work('b'), work('c'), fanIn('meet'), end()],
      [
        'start->fan',
        ...waiting.map((node) => `fan:${node.id}->${node.id}->meet`),
        'fan:work->a->b->c->meet',
        'meet->end',
      ],
    );
    const run = await launch(t, definition);
    const seen: unknown[] = [];
    for (const node of ['a', 'b', 'c']) {
      seen.push([open(t), await standing(run)]);
      await answer(t, node);
    }
    expect(seen).toEqual([
      [['a'], 'Running'],
      [['b'], 'Running'],
      [['c'], 'Running'],
    ]);
    expect(await standing(run)).toBe('Suspended');
    for (let prompts = await run.prompts(); prompts.length > 0; prompts = await run.prompts()) {
      await say(t, run, String(prompts[0]?.nodeId), null);
    }
    expect(await standing(run)).toBe('Success');
  });

  test('[T135] many runs that wait leave the only slot to the one that works', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    await register(t.engine, row('asks', start(), ask('who')));
    for (let count = 0; count < 20; count++) await t.engine.start('asks');
    await t.settle();
    const run = await launch(t, row('w', start(), work('a'), work('b')));
    await answer(t, 'a');
    await answer(t, 'b');
    expect([await standing(run), (await t.engine.prompts()).length]).toEqual(['Success', 20]);
  });

  test('[T136] a child at work has the slot, not the parent that waits for it', async () => {
    const t = await host.open({ ...scripted, limits: { concurrencyPerProcess: 1 } });
    await register(
      t.engine,
      row('grand', start(), work('deep')),
      row('child', start(), gosub('down', 'grand'), work('up')),
    );
    const run = await launch(t, row('w', start(), gosub('call', 'child'), work('last')));
    const seen: string[][] = [];
    for (const node of ['deep', 'up', 'last']) {
      seen.push(open(t));
      await answer(t, node);
    }
    expect([seen, await standing(run)]).toEqual([[['deep'], ['up'], ['last']], 'Success']);
  });
});
