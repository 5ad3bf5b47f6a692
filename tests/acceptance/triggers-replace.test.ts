import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { answer, register, scripted, work, workflow } from './token-engine.testsuite.ts';

const hour = 3_600_000;

onEveryHost('triggers that are replaced', (host) => {
  test('[TR4] with the same content it can be switched off and on', async () => {
    const t = await host.open();
    await register(t.engine, workflow('w', ['a']));
    const manual = { id: 'm', type: 'manual', workflow: 'w' } as const;
    await t.engine.triggers.create(manual);
    const off = await t.engine.triggers.create({ ...manual, enabled: false }, { replace: true });
    expect(off.trigger?.enabled).toBe(false);
    expect(await t.engine.triggers.create({ ...manual, enabled: false }, { replace: true })).toMatchObject({
      isNew: false,
    });
    const on = await t.engine.triggers.create({ ...manual, enabled: true }, { replace: true });
    expect(on.trigger?.enabled).toBe(true);
  });

  test('[TR4][TR5] what was queued is dropped when it is switched off', async () => {
    const t = await host.open(scripted);
    await register(t.engine, workflow('w', [work('a')]));
    const schedule = { id: 's', type: 'schedule', cron: '0 * * * *', workflow: 'w', overlap: 'queue' } as const;
    await t.engine.triggers.create(schedule);
    await t.advance(3 * hour);
    expect((await t.engine.triggers.get('s')).queued).toHaveLength(2);
    await t.engine.triggers.create({ ...schedule, cron: '30 * * * *', enabled: false }, { replace: true });
    expect((await t.engine.triggers.get('s')).queued).toEqual([]);
    await t.engine.triggers.create({ ...schedule, cron: '15 * * * *', enabled: true }, { replace: true });
    await answer(t, 'a');
    expect(await t.engine.runs({ subRuns: true, workflow: 'w' })).toHaveLength(1);
    await t.advance(hour);
    expect(await t.engine.runs({ subRuns: true, workflow: 'w' })).toHaveLength(2);
  });
});
