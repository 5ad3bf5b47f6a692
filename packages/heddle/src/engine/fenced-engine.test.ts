import { describe, expect, test } from 'vitest';
import { type Fate, fencedStore } from '../actor/fenced-store.testsuite.ts';
import type { RunRow } from '../actor/ports.ts';
import { openEngine } from './local-engine.ts';

const line = {
  id: 'line',
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'work', outputMapping: { 'state.a': 'result.n' } },
    { id: 'b', action: 'work', outputMapping: { 'output.b': 'result.n + state.a' } },
  ],
  transitions: [{ from: 'a', to: 'b' }],
};
const actions = { work: () => ({ n: 1 }) };

/** Registering, the start, two results. */
const writes = 4;

describe('an engine on a store with a fence', () => {
  const fates: readonly Fate[] = ['lost-answer', 'lost', 'late', 'failed'];
  const cases = fates.flatMap((fate) => Array.from({ length: writes }, (_, at) => [fate, at] as const));

  test.each(cases)('[WR3] %s at write %i: the run completes, is not set aside, and is answered', async (fate, at) => {
    const { store, inner, fates: next, late } = fencedStore();
    next.push(...Array.from({ length: at }, (): Fate => 'answered'), fate);
    const errors: Error[] = [];
    const engine = await openEngine(store, { actions, onError: (error) => void errors.push(error) });
    const again = async <T>(ask: () => Promise<T>): Promise<T> => ask().catch(ask);
    await again(() => engine.register(line));
    const run = await again(() => engine.start('line', {}, { idempotencyKey: 'one' }));
    expect(await run.result()).toMatchObject({ status: 'completed', output: { b: 2 } });
    for (const arrive of late) arrive();
    expect(await engine.runs()).toMatchObject([{ runId: run.id, status: 'completed', quarantine: null }]);
    expect(errors).toEqual([]);
    await engine.close();
    expect((inner.readRun(run.id) as RunRow).status).toBe('completed'); // a store in memory answers at once
  });

  test('[WR5] one that was replaced stores and answers nothing more; its actions are aborted, and the other goes on', async () => {
    const { store } = fencedStore();
    const errors: Error[] = [];
    const begun: { signal: AbortSignal; finish: (output: { n: number }) => void }[] = [];
    const work = ({ signal }: { signal: AbortSignal }) =>
      new Promise<{ n: number }>((finish) => void begun.push({ signal, finish }));
    const old = await openEngine(store, { actions: { work }, onError: (error) => void errors.push(error) });
    await old.register(line);
    const run = await old.start('line');
    await expect.poll(() => begun.length).toBe(1);
    const result = expect(run.result()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    const next = await openEngine(store, { actions });
    begun[0]?.finish({ n: 5 });
    await result;
    expect(errors).toMatchObject([{ code: 'STORE_FENCED' }]);
    await expect(old.start('line')).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
    await expect(old.run(run.id).summary()).rejects.toMatchObject({ code: 'STORE_FENCED' });
    expect(await next.run(run.id).result()).toMatchObject({ status: 'completed', output: { b: 2 } });
    await old.close();
    await next.close();
  });

  test('[WR5] the signals of its actions are aborted when it learns that it was replaced', async () => {
    const { store } = fencedStore();
    const signals: AbortSignal[] = [];
    const work = ({ signal }: { signal: AbortSignal }) =>
      new Promise<{ n: number }>((resolve) => {
        signals.push(signal);
        signal.addEventListener('abort', () => resolve({ n: 0 }));
      });
    const old = await openEngine(store, { actions: { work } });
    await old.register(line);
    await old.start('line');
    await expect.poll(() => signals.length).toBe(1);
    const next = await openEngine(store, { readOnly: true }); // who only looks takes nothing
    expect(signals[0]?.aborted).toBe(false);
    await next.close();
    const owner = await openEngine(store, {});
    await expect(old.start('line')).rejects.toMatchObject({ code: 'STORE_FENCED' });
    await expect.poll(() => signals[0]?.aborted).toBe(true);
    await old.close();
    await owner.close();
  });
});
