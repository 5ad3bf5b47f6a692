import { describe, expect, test } from 'vitest';
import { isTerminal, type RunStatus } from '../../packages/heddle/src/exports.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, callsAt, journalOf, journalTypes, openWith, refuse, startRun } from './managers.testsuite.ts';
import { flow, go, task } from './planning.testsuite.ts';

const twoSteps = flow([task('a'), task('b')], [go('a', 'b')]);
const timed = { ...flow([task('a')], [], { timeoutMs: 1_000 }), id: 'timed' };
const terminalTypes = new Set(['workflow.completed', 'workflow.failed', 'workflow.cancelled', 'workflow.timed_out']);

describe('terminal statuses', () => {
  test('[T402] completed, failed, timed_out, cancelled and exhausted are terminal, and no other', () => {
    const expected: Readonly<Record<RunStatus, boolean>> = {
      submitted: false,
      running: false,
      waiting: false,
      suspended: false,
      paused: false,
      completed: true,
      failed: true,
      cancelled: true,
      timed_out: true,
      exhausted: true,
    };
    expect(Object.fromEntries(Object.keys(expected).map((status) => [status, isTerminal(status)]))).toEqual(expected);
  });
});

onEveryHost('status', (host) => {
  test('[T400] a run that has started is running', async () => {
    const engine = await openWith(host, [twoSteps]);
    const run = await engine.engine.start('w');
    expect(await run.status()).toBe('running');
    expect((await run.state()).status).toBe('running');
  });

  test('[T401] a run that is not there has no status', async () => {
    const engine = await openWith(host, [twoSteps]);
    const unknown = engine.engine.run('nobody');
    for (const ask of [() => unknown.status(), () => unknown.state(), () => unknown.result(), () => unknown.cancel()]) {
      await expect(ask()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    }
    expect(await engine.engine.runs({ subRuns: true })).toEqual([]);
  });

  /** Ends that a run can come to, each brought about once. */
  const ends = {
    completed: async (engine: Awaited<ReturnType<typeof openWith>>) => {
      const run = await startRun(engine, 'timed');
      await answer(engine, 'a');
      return run;
    },
    failed: async (engine: Awaited<ReturnType<typeof openWith>>) => {
      const run = await startRun(engine, 'timed');
      await refuse(engine, 'a');
      return run;
    },
    timed_out: async (engine: Awaited<ReturnType<typeof openWith>>) => {
      const run = await startRun(engine, 'timed');
      await engine.advance(1_000);
      return run;
    },
    cancelled: async (engine: Awaited<ReturnType<typeof openWith>>) => {
      const run = await startRun(engine, 'timed');
      expect(await run.cancel('enough')).toEqual({ applied: true });
      return run;
    },
  } as const;

  test.each(['completed', 'failed', 'timed_out', 'cancelled'] as const)(
    '[T403][T404][T405] a run that is %s stays so: nothing changes it, nothing more is told',
    async (status) => {
      const engine = await openWith(host, [timed]);
      const run = await ends[status](engine);
      const summary = await run.summary();
      const journal = await journalOf(run);
      expect(summary.status).toBe(status);
      expect(isTerminal(summary.status)).toBe(true);
      expect(journal.at(-1)?.type).toBe(`workflow.${status}`);

      const refusal = { applied: false, reason: `run has ended: ${status}` };
      for (const end of [() => run.cancel('again'), () => run.pause(), () => run.resume()])
        expect(await end()).toEqual(refusal);
      for (const call of callsAt(engine, 'a')) call.complete({ late: true });
      await engine.advance(10_000);
      expect(await run.summary()).toEqual(summary);
      expect(await journalOf(run)).toEqual(journal);
    },
  );

  test('[T404] each end is reached once', async () => {
    const engine = await openWith(host, [timed]);
    for (const status of ['completed', 'failed', 'timed_out', 'cancelled'] as const) {
      const run = await ends[status](engine);
      const types = await journalTypes(run);
      expect(types.filter((type) => terminalTypes.has(type))).toEqual([`workflow.${status}`]);
    }
  });

  test('[T405] of two ends at the same moment the first counts', async () => {
    const engine = await openWith(host, [timed]);
    const told: string[] = [];
    const run = await startRun(engine, 'timed');
    const [first, second] = await Promise.all([run.cancel('one'), run.cancel('two')]);
    callsAt(engine, 'a')[0]?.complete();
    await engine.settle();
    told.push(...(await journalTypes(run)));
    // Of requests that are on their way at once either may come first.
    expect(first.applied).not.toBe(second.applied);
    expect(told.filter((type) => terminalTypes.has(type))).toEqual(['workflow.cancelled']);
    const message = first.applied ? 'one' : 'two';
    expect((await run.summary()).error).toMatchObject({ code: 'CANCELLED', message });

    const raced = await startRun(engine, 'timed');
    const call = callsAt(engine, 'a').find(({ runId }) => runId === raced.id);
    call?.complete();
    await raced.cancel();
    await engine.settle();
    const ended = (await journalTypes(raced)).filter((type) => terminalTypes.has(type));
    expect(ended).toHaveLength(1);
  });
});
