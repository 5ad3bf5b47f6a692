// The overview: figures of runs that virtual time makes exact, and of what is to do.

import { expect, test } from 'vitest';
import type { Overview } from '../../packages/heddle/src/operations/overview.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { onEveryHost } from './hosts.testsuite.ts';

const minuteMs = 60_000;

/** Takes as many seconds as its name says. */
const waiting = (seconds: number) => ({
  id: `takes-${seconds}`,
  initialNode: 'wait',
  nodes: [{ id: 'wait', wait: { seconds } }],
  transitions: [],
});

const failing = {
  id: 'failing',
  initialNode: 'fail',
  nodes: [{ id: 'fail', action: 'core.fail', inputMapping: { message: 'input.message', code: '"BROKEN"' } }],
  transitions: [],
};

const asking = { id: 'asking', initialNode: 'ask', nodes: [{ id: 'ask', input: true }], transitions: [] };

/** Two ways to a join: the visit of the join is one. */
const joining = {
  id: 'joining',
  initialNode: 'split',
  nodes: [{ id: 'split' }, { id: 'work', wait: { seconds: 2 } }, { id: 'gather' }],
  transitions: [
    { from: 'split', to: 'work', spawnCount: 3, siblingGroup: 'g' },
    { from: 'work', to: 'gather', synchronization: { siblingGroup: 'g', strategy: 'all' } },
  ],
};

async function opened(t: TestEngine, definitions: readonly object[]): Promise<TestEngine> {
  for (const definition of definitions) await t.engine.register(definition as never); // each is one
  return t;
}

const filled = ({ buckets, from, bucketMs }: Overview) =>
  buckets.flatMap(({ at, ...figures }, index) => {
    expect(at).toBe(from + index * bucketMs);
    const { started, completed, failed, otherEnds } = figures;
    return started + completed + failed + otherEnds === 0 ? [] : [[index, figures]];
  });

onEveryHost('the overview', (host) => {
  test('[OV1] counts runs where they began and where they ended, with how long they took', async () => {
    const t = await opened(await host.open(), [waiting(1), waiting(120), failing, asking]);
    await t.engine.start('takes-120'); // begins before the window, ends in it
    await t.advance(minuteMs);
    for (let run = 0; run < 3; run++) await t.engine.start('takes-1');
    await t.engine.start('failing', { message: 'no' });
    const asked = await t.engine.start('asking');
    await t.advance(minuteMs + 500);
    await asked.cancel();
    await t.advance(minuteMs - 501);
    const overview = await t.engine.overview({ sinceMs: 2 * minuteMs, buckets: 2 });
    expect(overview).toMatchObject({
      to: overview.from + 2 * minuteMs,
      bucketMs: minuteMs,
      isPartial: false,
      countedFrom: null,
    });
    const none = { started: 0, completed: 0, failed: 0, otherEnds: 0 };
    expect(filled(overview)).toEqual([
      [0, { ...none, started: 5, completed: 3, failed: 1, p50Ms: 1_000, p95Ms: 1_000 }],
      [1, { ...none, completed: 1, otherEnds: 1, p50Ms: minuteMs + 500, p95Ms: 2 * minuteMs }],
    ]);
    const by = new Map(overview.workflows.map((figures) => [figures.workflow, figures]));
    expect([...by.keys()]).toEqual(['takes-1', 'asking', 'failing', 'takes-120']);
    expect(by.get('takes-1')).toMatchObject({ started: 3, completed: 3, successShare: 1, p95Ms: 1_000 });
    expect(by.get('failing')).toMatchObject({ failed: 1, successShare: 0 });
    expect(by.get('asking')).toMatchObject({ otherEnds: 1, successShare: null });
    expect(by.get('takes-120')).toMatchObject({ started: 0, completed: 1 });
    const one = await t.engine.overview({ sinceMs: 2 * minuteMs, workflow: 'failing' });
    expect(one.workflows.map(({ workflow }) => workflow)).toEqual(['failing']);
    expect(one.buckets).toHaveLength(60);
  });

  test('[OV3] tells the commonest errors of its time, each with its newest run', async () => {
    const t = await opened(await host.open(), [failing]);
    await t.engine.start('failing', { message: 'long ago' });
    await t.advance(2 * minuteMs);
    const ids: string[] = [];
    for (const message of ['often', 'once', 'often']) ids.push((await t.engine.start('failing', { message })).id);
    await t.advance(minuteMs / 2);
    const { errors } = await t.engine.overview({ sinceMs: minuteMs });
    expect(errors).toEqual([
      { code: 'BROKEN', message: 'often', count: 2, newestRunId: ids[2] },
      { code: 'BROKEN', message: 'once', count: 1, newestRunId: ids[1] },
    ]);
    await t.advance(2 * minuteMs);
    expect((await t.engine.overview({ sinceMs: minuteMs })).errors).toEqual([]);
  });

  test('[OV4] tells what is to do now', async () => {
    const t = await opened(await host.open(), [asking, waiting(3_600)]);
    for (let run = 0; run < 2; run++) await t.engine.start('asking');
    await t.engine.start('takes-3600');
    await t.settle();
    const { backlog } = await t.engine.overview();
    expect(backlog).toMatchObject({ runs: { suspended: 2, waiting: 1, running: 0 }, quarantined: 0, openPrompts: 2 });
    expect(backlog.runs).not.toHaveProperty('completed');
    const { backlog: ofOne } = await t.engine.overview({ workflow: 'takes-3600' });
    expect(ofOne).toMatchObject({ runs: { suspended: 0, waiting: 1 }, openPrompts: 0 });
  });

  host.testHere('[OV4] tells of actions that nobody has, and of tasks that no worker has taken', async () => {
    const working = {
      id: 'working',
      initialNode: 'work',
      nodes: [{ id: 'work', action: 'remote.work' }],
      transitions: [],
    };
    const alone = await opened(await host.open({ missingActions: 'wait' }), [working]);
    await alone.engine.start('working');
    await alone.settle();
    const { backlog } = await alone.engine.overview();
    expect(backlog).toMatchObject({ waitingTasks: 0, missingActions: ['remote.work'] });
    const served = await opened(await host.open({ workers: true }), [working]);
    for (let run = 0; run < 3; run++) await served.engine.start('working');
    await served.settle();
    expect((await served.engine.overview()).backlog).toMatchObject({ waitingTasks: 3, missingActions: [] });
  });

  test('[OV5] nodes have visits, failures and durations in the newest runs, of all versions or of one', async () => {
    const t = await opened(await host.open(), [joining, failing]);
    for (let run = 0; run < 2; run++) await t.engine.start('joining');
    await t.engine.start('failing', { message: 'no' });
    await t.advance(3_000);
    const { runs, nodes, isPartial } = await t.engine.nodeFigures('joining');
    expect([runs, isPartial]).toEqual([2, false]);
    expect(nodes).toEqual([
      { nodeId: 'split', visits: 2, failures: 0, p50Ms: 0, p95Ms: 0 },
      { nodeId: 'work', visits: 6, failures: 0, p50Ms: 2_000, p95Ms: 2_000 },
      { nodeId: 'gather', visits: 2, failures: 0, p50Ms: 0, p95Ms: 0 },
    ]);
    expect(await t.engine.nodeFigures('joining', { runsMax: 1 })).toMatchObject({
      runs: 1,
      nodes: [{ visits: 1 }, {}, {}],
    });
    expect((await t.engine.nodeFigures('failing')).nodes).toMatchObject([{ nodeId: 'fail', visits: 1, failures: 1 }]);
    await t.engine.register({ ...joining, meta: { drawn: true }, outputMapping: { done: 'true' } } as never); // another version
    expect(await t.engine.nodeFigures('joining', { version: 2 })).toEqual({ runs: 0, nodes: [], isPartial: false });
    await expect(t.engine.nodeFigures('nowhere')).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });

  test('refuses a time and a division that would be too much', async () => {
    const t = await host.open();
    await expect(t.engine.overview({ sinceMs: 8 * 24 * 60 * minuteMs })).rejects.toMatchObject({ pointer: '/sinceMs' });
    await expect(t.engine.overview({ buckets: 201 })).rejects.toMatchObject({ pointer: '/buckets' });
  });
});
