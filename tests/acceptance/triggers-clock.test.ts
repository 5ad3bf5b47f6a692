import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { register, workflow } from './token-engine.testsuite.ts';
import { keysOf } from './triggers.testsuite.ts';

const minute = 60_000;

onEveryHost('schedules and a clock that was wrong', (host) => {
  test('[TR24] a schedule that fired in a year to come goes on from the time of the next engine', async () => {
    const first = await host.open();
    await register(first.engine, workflow('tick', ['a']));
    await first.engine.triggers.create({ id: 's', type: 'schedule', cron: '* * * * *', workflow: 'tick' });
    // What the store has then: the trigger, noted as fired a year ahead.
    const row = await first.store.readRecord('trigger', 's');
    const ahead = first.clock.now() + 365 * 24 * 60 * minute;
    const noted = { ...(JSON.parse(row?.value ?? '{}') as object), since: ahead };
    await first.engine.close();
    const second = await host.restart(first);
    await second.store.commit({
      runs: [],
      journal: [],
      outboxAdded: [],
      outboxDone: [],
      keys: [],
      records: [{ kind: 'trigger', key: 's', value: JSON.stringify(noted), dueAt: ahead }],
    });
    expect(await keysOf(second.store, 'trigger')).toEqual(['s']);
    const third = await host.restart(second);
    await third.advance(3 * minute);
    expect(await third.engine.runs({ subRuns: true, workflow: 'tick' })).toHaveLength(3);
  });
});
