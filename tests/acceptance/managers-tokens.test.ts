import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import {
  answer,
  callsAt,
  journaled,
  journalOf,
  liveTokens,
  openWith,
  refuse,
  startRun,
  tokensAt,
} from './managers.testsuite.ts';
import { fan, flow, go, node, task } from './planning.testsuite.ts';

const items = { items: ['a', 'b', 'c'] };

onEveryHost('tokens', (host) => {
  test('[T368] a new token has an id, by which it is found', async () => {
    const engine = await openWith(host, [
      flow([task('a', { inputMapping: { n: 'input.n' } }), task('b')], [go('a', 'b')]),
    ]);
    const run = await startRun(engine, 'w', { n: 1 });
    const at = engine.clock.now();
    await answer(engine, 'a', { x: 1 });
    const ids = (await journaled(run, 'token.created')).map(({ token }) => token);
    expect(ids).toEqual([1, 2]);
    const tokens = await run.tokens();
    expect(ids.map((id) => tokens.find((token) => token.id === id))).toEqual([
      {
        id: 1,
        node: 'a',
        status: 'completed',
        from: null,
        via: null,
        pathId: 'root',
        siblingGroup: null,
        groupId: null,
        branchIndex: 0,
        branchTotal: 1,
        iterationCounts: {},
        attempt: 1,
        input: { n: 1 },
        output: { x: 1 },
        createdAt: at,
        endedAt: at,
        isExecuting: false,
      },
      {
        id: 2,
        node: 'b',
        status: 'dispatched',
        from: 1,
        via: 'a->b',
        pathId: 'root',
        siblingGroup: null,
        groupId: null,
        branchIndex: 0,
        branchTotal: 1,
        iterationCounts: {},
        attempt: 1,
        input: {},
        createdAt: at,
        endedAt: null,
        isExecuting: true,
      },
    ]);
  });

  test('[T369] the status of a token follows what happens to it', async () => {
    const retry = { maxAttempts: 2, initialDelayMs: 1_000 };
    const engine = await openWith(host, [
      flow([task('a', { retry }), node('w', { wait: { seconds: 1 } }), task('b')], [go('a', 'w'), go('w', 'b')]),
    ]);
    const run = await startRun(engine, 'w');
    const statuses = async () => (await run.tokens()).map((token) => `${token.node} ${token.status}`);
    expect(await statuses()).toEqual(['a dispatched']);
    await refuse(engine, 'a');
    expect(await statuses()).toEqual(['a retrying']);
    await engine.advance(1_000);
    expect(await statuses()).toEqual(['a dispatched']);
    await answer(engine, 'a');
    expect(await statuses()).toEqual(['a completed', 'w waiting_for_timer']);
    await engine.advance(1_000);
    expect(await statuses()).toEqual(['a completed', 'w completed', 'b dispatched']);
    await refuse(engine, 'b');
    expect(await statuses()).toEqual(['a completed', 'w completed', 'b failed']);
  });

  test('[T370][T371] the tokens that have not ended are counted and listed', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all' })]);
    const run = await startRun(engine, 'w', items);
    const other = await startRun(engine, 'w', { items: ['x'] });
    await answer(engine, 'work');
    expect((await liveTokens(run)).map((token) => [token.node, token.status])).toEqual([
      ['work', 'dispatched'],
      ['work', 'dispatched'],
      ['join', 'waiting_for_siblings'],
    ]);
    expect(await liveTokens(other)).toHaveLength(1);
    await run.cancel();
    expect(await liveTokens(run)).toEqual([]);
  });

  test('[T372] a run has one root token; a run that is not there has none', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all' })]);
    const run = await startRun(engine, 'w', items);
    const roots = (await run.tokens()).filter(({ from }) => from === null);
    expect(roots).toMatchObject([{ id: 1, node: 'split', pathId: 'root' }]);
    await expect(engine.engine.run('nobody').tokens()).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  });

  test('[T373] siblings are the tokens of one group instance in one run', async () => {
    const definition = flow(
      [node('s'), task('a'), task('b')],
      [go('s', 'a', { spawnCount: 2, siblingGroup: 'g' }), go('s', 'b', { spawnCount: 3, siblingGroup: 'h' })],
    );
    const engine = await openWith(host, [definition]);
    const first = await startRun(engine, 'w');
    const second = await startRun(engine, 'w');
    for (const run of [first, second]) {
      const siblings = (await run.tokens()).filter(({ siblingGroup }) => siblingGroup === 'g');
      expect(siblings.map(({ id, node: at, groupId, branchIndex }) => [id, at, groupId, branchIndex])).toEqual([
        [2, 'a', 1, 0],
        [3, 'a', 1, 1],
      ]);
    }
    await first.cancel();
    expect((await second.tokens()).every(({ status }) => status !== 'cancelled')).toBe(true);
  });

  test('[T374] siblings are counted by what has become of them', async () => {
    const definition = fan({ strategy: 'all', timeoutMs: 900 }, { split: { onBranchFailure: 'end' } });
    const engine = await openWith(host, [definition]);
    const run = await startRun(engine, 'w', items);
    const groups = async () => (await engine.engine.introspection.simulateSynchronization(run.id)).groups;
    const counts = { group: 'g', instance: 1, node: 'split', total: 3, ended: 0, failed: 0 };
    const unbound = { join: null, required: 'all', firstArrivalAt: null, deadline: null };
    expect(await groups()).toEqual([{ ...counts, ...unbound, arrived: 0, underWay: 3 }]);
    await answer(engine, 'work');
    const at = engine.clock.now();
    const bound = { join: 'join/g', required: 'all', firstArrivalAt: at, deadline: at + 900 };
    expect(await groups()).toEqual([{ ...counts, ...bound, arrived: 1, underWay: 2 }]);
    await refuse(engine, 'work');
    expect(await groups()).toEqual([{ ...counts, ...bound, arrived: 1, ended: 1, failed: 1, underWay: 1 }]);
  });

  test('[T375] a token that waits for siblings has the time of its arrival', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all' })]);
    const run = await startRun(engine, 'w', items);
    await engine.advance(250);
    const at = engine.clock.now();
    await answer(engine, 'work');
    await engine.advance(250);
    expect(await tokensAt(run, 'join')).toMatchObject([{ status: 'waiting_for_siblings', arrivedAt: at }]);
    const later = await host.restart(engine, { scripted: ['work'] });
    expect(await tokensAt(later.engine.run(run.id), 'join')).toMatchObject([{ arrivedAt: at }]);
  });

  test('[T376] a token that waits for a sub-run is linked with it', async () => {
    const parent = flow([node('call', { workflow: 'child' })]);
    const engine = await openWith(host, [{ ...flow([task('a')]), id: 'child' }, parent]);
    const run = await startRun(engine, 'w');
    const [token] = await tokensAt(run, 'call');
    expect(token).toMatchObject({ status: 'waiting_for_subworkflow', childRunId: expect.any(String) as string });
    const child = await engine.engine.run(token!.childRunId!).summary();
    expect(child).toMatchObject({ workflow: 'child', parentRunId: run.id, rootRunId: run.id, status: 'running' });
  });

  test('[T377][T378] who waits for siblings and who for a sub-run can be listed', async () => {
    const parent = flow(
      [node('s'), task('a'), node('call', { workflow: 'child' }), node('j')],
      [
        go('s', 'a', { siblingGroup: 'g', spawnCount: 2 }),
        go('s', 'call', { siblingGroup: 'g' }),
        go('a', 'j', { synchronization: { siblingGroup: 'g', strategy: 'all' } }),
        go('call', 'j', { synchronization: { siblingGroup: 'g', strategy: 'all' } }),
      ],
    );
    const engine = await openWith(host, [{ ...flow([task('c')]), id: 'child' }, parent]);
    const run = await startRun(engine, 'w');
    const listed = async (status: string) =>
      (await run.tokens()).filter((token) => token.status === status).map((token) => [token.id, token.node]);
    await answer(engine, 'a');
    expect(await listed('waiting_for_siblings')).toEqual([[5, 'j']]);
    expect(await listed('waiting_for_subworkflow')).toEqual([[4, 'call']]);
    await answer(engine, 'a');
    expect(await listed('waiting_for_siblings')).toEqual([
      [5, 'j'],
      [6, 'j'],
    ]);
    await answer(engine, 'c');
    expect(await listed('waiting_for_siblings')).toEqual([]);
    expect(await listed('waiting_for_subworkflow')).toEqual([]);
  });

  test('[T379] many tokens are found, completed and cancelled by lists of ids', async () => {
    const engine = await openWith(host, [fan({ strategy: { mOfN: 2 } })]);
    const run = await startRun(engine, 'w', { items: [1, 2, 3, 4] });
    await answer(engine, 'work');
    await answer(engine, 'work');
    const [completed] = await journaled(run, 'tokens.completed');
    const [cancelled] = await journaled(run, 'tokens.cancelled');
    expect(completed?.tokens).toEqual([6, 7]);
    expect(cancelled).toMatchObject({ tokens: [4, 5], reason: 'join join/g has completed' });
    const statuses = Object.fromEntries((await run.tokens()).map(({ id, status }) => [id, status]));
    expect(statuses).toEqual({
      1: 'completed',
      2: 'completed',
      3: 'completed',
      4: 'cancelled',
      5: 'cancelled',
      6: 'completed',
      7: 'completed',
      8: 'dispatched',
    });
  });

  test('[T380][T381] of arrivals at the same moment one opens the join and one activates it', async () => {
    const engine = await openWith(host, [fan({ strategy: { mOfN: 2 }, timeoutMs: 900 })]);
    const run = await startRun(engine, 'w', { items: [1, 2, 3, 4] });
    for (const call of callsAt(engine, 'work')) call.complete();
    await engine.settle();
    const journal = await journalOf(run);
    const arrivals = journal.filter((event) => event.type === 'token.waiting');
    expect(arrivals.map((event) => 'deadline' in event)).toEqual([true, false]);
    expect(journal.filter(({ type }) => type === 'fan_in.completed')).toHaveLength(1);
    expect((await tokensAt(run, 'join')).filter(({ via }) => via === null)).toMatchObject([{ status: 'dispatched' }]);
    expect((await tokensAt(run, 'work')).map(({ status }) => status)).toEqual([
      'completed',
      'completed',
      'cancelled',
      'cancelled',
    ]);
  });

  test('[T382] the record of a join is there while its group is, and not otherwise', async () => {
    const engine = await openWith(host, [fan({ strategy: 'all' })]);
    const run = await startRun(engine, 'w', items);
    const joins = async () => {
      const { groups } = await engine.engine.introspection.simulateSynchronization(run.id);
      return groups.map(({ group, join }) => [group, join]);
    };
    expect(await joins()).toEqual([['g', null]]);
    await answer(engine, 'work');
    expect(await joins()).toEqual([['g', 'join/g']]);
    await answer(engine, 'work');
    await answer(engine, 'work');
    expect(await joins()).toEqual([]);
    expect(await journaled(run, 'fan_in.completed')).toMatchObject([{ group: 1, join: 'join/g', branches: 3 }]);
  });
});
