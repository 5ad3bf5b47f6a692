import { describe, expect, test } from 'vitest';
import { allOf, openEngine } from './engine.testsuite.ts';

const fan = {
  id: 'w',
  initialNode: 's',
  nodes: [{ id: 's' }, { id: 'a', action: 'work' }, { id: 'j', action: 'work' }, { id: 'mend' }],
  transitions: [
    { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
    { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all', timeoutMs: 500 } },
    { from: 'a', to: 'mend', on: 'failure' },
  ],
};
const halfway = async () => {
  const opened = await openEngine({ scripted: ['work'] });
  await opened.engine.register(fan);
  const run = await opened.engine.start('w');
  await opened.settle();
  opened.script.next('work').complete();
  await opened.settle();
  return { ...opened, run };
};

describe('looking ahead', () => {
  test('[VW4] what a result would lead to is shown, and the run is not touched', async () => {
    const { engine, run, script, settle } = await halfway();
    const before = await allOf(run.events({ follow: false }));
    const done = await engine.introspection.simulateRouting(run.id, 3, { output: { ok: true } });
    expect(done.events.map(({ type }) => type)).toContain('fan_in.completed');
    expect(done.effects).toMatchObject([{ type: 'dispatch', node: 'j' }]);
    expect(done.trace.map(({ type }) => type)).toContain('decision.routing.start');
    const broken = await engine.introspection.simulateRouting(run.id, 3, { error: { code: 'X', message: 'x' } });
    expect(broken.events.find(({ type }) => type === 'token.created')).toMatchObject({ node: 'mend' });
    await expect(engine.introspection.simulateRouting(run.id, 99, { output: {} })).rejects.toMatchObject({
      code: 'TOKEN_NOT_FOUND',
    });
    expect(await allOf(run.events({ follow: false }))).toEqual(before);
    expect(script.open('work')).toHaveLength(1);
    script.next('work').complete();
    await settle();
    expect(script.open('work')).toMatchObject([{ nodeId: 'j' }]);
  });

  test('[VW4] tokens that wait can be asked about too, without harm', async () => {
    const { engine, run } = await halfway();
    const tokens = await engine.introspection.introspectTokens(run.id);
    for (const { id, status } of tokens) {
      if (status === 'completed') continue;
      await engine.introspection.simulateRouting(run.id, id, { output: {} });
      await engine.introspection.simulateRouting(run.id, id, { error: { code: 'X', message: 'x' } });
    }
    expect((await run.summary()).quarantine).toBeNull();
    expect(tokens.map(({ node, status }) => `${node} ${status}`)).toEqual([
      's completed',
      'a completed',
      'a dispatched',
      'j waiting_for_siblings',
    ]);
  });

  test('[VW7] every open group tells who has come, who is missing and when it gives up; and what would happen then', async () => {
    const { engine, run, clock } = await halfway();
    const at = clock.now();
    const { groups, ifTimeWere } = await engine.introspection.simulateSynchronization(run.id, at + 500);
    expect(groups).toEqual([
      {
        group: 'g',
        instance: 1,
        node: 's',
        total: 2,
        arrived: 1,
        ended: 0,
        failed: 0,
        underWay: 1,
        join: 'j/g',
        required: 'all',
        firstArrivalAt: at,
        deadline: at + 500,
      },
    ]);
    expect(ifTimeWere?.events.map(({ type }) => type)).toEqual([
      'tokens.timed_out',
      'tokens.cancelled',
      'workflow.failed',
    ]);
    expect((await engine.introspection.simulateSynchronization(run.id)).ifTimeWere).toBeNull();
    expect(await run.status()).toBe('running');
  });
});

describe('reading events', () => {
  test('[VW6] from the beginning, or after the id of an event, then what comes, until the run has ended', async () => {
    const { run, script, settle } = await halfway();
    const so = await allOf(run.events({ follow: false }));
    const all = allOf(run.events());
    const rest = allOf(run.events({ after: so.at(-2)?.id ?? '' }));
    for (let n = 0; n < 2; n++) {
      script.next('work').complete();
      await settle();
    }
    const events = await all;
    expect(events.slice(0, so.length)).toEqual(so);
    expect(events.at(-1)).toMatchObject({ type: 'workflow.completed' });
    expect(await rest).toEqual(events.slice(so.length - 1));
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    await expect(allOf(run.events({ after: 'x' }))).rejects.toMatchObject({ code: 'EVENT_ID_INVALID' });
  });
});
