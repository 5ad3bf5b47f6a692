import { describe, expect, it } from 'vitest';
import { completed, failureOf, makeExecutor, makeTask, runOne } from '../executor.testsuite.ts';

describe('core actions', () => {
  it('[EX16] core.echo returns its input', async () => {
    expect(await runOne({ action: 'core.echo', input: { a: [1] } })).toEqual(completed({ a: [1] }));
  });

  it('[EX16] core.fail fails as it is told', async () => {
    const told = await runOne({ action: 'core.fail', input: { message: 'no', code: 'NO_WAY' } });
    expect(told).toMatchObject({ failure: { code: 'NO_WAY', message: 'no' }, retryable: true });
    expect(failureOf(await runOne({ action: 'core.fail' })).code).toBe('ACTION_FAILED');
    for (const input of [{ message: 1 }, { code: 'not one' }, { code: 3 }]) {
      const outcome = await runOne({ action: 'core.fail', input });
      expect(outcome).toMatchObject({ failure: { code: 'ACTION_INPUT_INVALID' }, retryable: false });
    }
  });

  it('[EX16] core.flaky fails the first attempts', async () => {
    const input = { failures: 2, keep: 1 };
    for (const attempt of [1, 2]) {
      expect(failureOf(await runOne({ action: 'core.flaky', input, attempt })).code).toBe('FLAKY');
    }
    expect(await runOne({ action: 'core.flaky', input, attempt: 3 })).toEqual(completed({ keep: 1 }));
    expect(failureOf(await runOne({ action: 'core.flaky', input: { failures: 'x' } })).code).toBe(
      'ACTION_INPUT_INVALID',
    );
  });

  it('[EX16] core.sleep sleeps by the clock, then returns the rest of its input', async () => {
    const { clock, executor, reports } = makeExecutor();
    executor.dispatch(makeTask({ action: 'core.sleep', input: { ms: 1_000, keep: 1 } }));
    await clock.advance(999);
    expect(reports).toEqual([]);
    await clock.advance(1);
    expect(reports).toEqual([['run-1/1', completed({ keep: 1 })]]);
  });

  it('[EX16] core.sleep stops when it is aborted', async () => {
    const { clock, executor, reports } = makeExecutor();
    executor.dispatch(makeTask({ action: 'core.sleep', input: { ms: 1_000 } }));
    await clock.settle();
    executor.abort('run-1', 1);
    await clock.settle();
    expect([reports, clock.nextAt, executor.counts().zombies]).toEqual([[], null, 0]);
    for (const ms of [-1, 1e10, '5', null]) {
      expect(failureOf(await runOne({ action: 'core.sleep', input: { ms } })).code).toBe('ACTION_INPUT_INVALID');
    }
  });
});
