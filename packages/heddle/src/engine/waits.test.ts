import { expect, test } from 'vitest';
import { openEngine } from './engine.testsuite.ts';

const fan = {
  id: 'w',
  initialNode: 's',
  nodes: [{ id: 's' }, { id: 'a', action: 'work' }, { id: 'j', action: 'elsewhere' }],
  transitions: [
    { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
    { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
  ],
};

test('[VW19][VW20] an engine knows what is executing, since when, and which worker is missing', async () => {
  const { engine, script, settle, clock } = await openEngine({ scripted: ['work'], workers: true });
  await engine.register(fan);
  const startedAt = clock.now();
  const run = await engine.start('w');
  await settle();
  script.next('work').complete();
  await settle();
  expect(await run.waits()).toMatchObject([
    { kind: 'task', node: 'a', token: 3, action: 'work', since: startedAt, text: 'runs "a"' },
    { kind: 'join', node: 'j', join: { arrived: 1, stillPossible: 1, missing: [{ branch: 1, token: 3 }] } },
  ]);
  script.next('work').complete();
  await settle();
  const lack = 'waits at "j" for a worker that does "elsewhere"; none has asked for it yet';
  expect(await run.waits()).toMatchObject([{ kind: 'worker', node: 'j', action: 'elsewhere', text: lack }]);
});

test('[VW19] entries are read a page at a time', async () => {
  const { engine, settle } = await openEngine({ scripted: ['work'] });
  await engine.register({ ...fan, transitions: [{ ...fan.transitions[0], spawnCount: 5 }] });
  const run = await engine.start('w');
  await settle();
  const { runId } = await run.summary();
  const first = await engine.call('listWaits', { runId, limit: 2 });
  expect([first.items.map(({ token }) => token), first.next]).toEqual([[2, 3], '2']);
  const last = await engine.call('listWaits', { runId, limit: 3, after: '2' });
  expect([last.items.map(({ token }) => token), last.next]).toEqual([[4, 5, 6], null]);
  await expect(engine.call('listWaits', { runId, after: 'x' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
});
