import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';

onEveryHost('a first run', (host) => {
  test('a retry waits for its time and survives a restart', async () => {
    const first = await host.open({ scripted: ['work'] });
    const definition = { id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'work', retry: { maxAttempts: 3, initialDelayMs: 1000 }, outputMapping: { 'output.x': 'result.x' } }] };
    expect((await first.engine.register(definition)).problems).toEqual([]);
    const run = await first.engine.start('w');
    await first.settle();
    first.script.next('work').fail(new Error('no'));
    await first.settle();
    expect(await run.status()).toBe('waiting');
    const second = await host.restart(first, { scripted: ['work'] });
    await second.advance(1000);
    second.script.next('work').complete({ x: 1 });
    await second.settle();
    expect(await second.engine.run(run.id).result()).toMatchObject({ status: 'completed', output: { x: 1 } });
    expect(second.script.calls.map((c) => [c.attempt, c.idempotencyKey])).toEqual([[2, `${run.id}/1`]]);
  });
});
