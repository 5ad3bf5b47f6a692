// Bugs that the proof found (docs/RELIABILITY.md), each as the shortest story that shows it.

import { expect, test } from 'vitest';
import { onEveryHost } from './hosts.testsuite.ts';
import { eventsOf } from './token-engine.testsuite.ts';

onEveryHost('found by the simulator', ({ open, restart }) => {
  test.each([
    ['its journal', {}],
    ['a snapshot', { snapshotEveryBytes: 1 }],
  ])(
    '[TS1][AP2] a run that is loaded from %s hands out in the same order as one that never left memory',
    async (_, limits) => {
      const options = { scripted: ['work'], limits: { dispatchWindow: 1, ...limits } };
      const first = await open(options);
      await first.engine.register({
        id: 'w',
        initialNode: 's',
        nodes: [{ id: 's' }, { id: 'a', action: 'work' }, { id: 'j' }],
        transitions: [
          { from: 's', to: 'a', spawnCount: 3, siblingGroup: 'g' },
          { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
        ],
      });
      await first.engine.start('w');
      await first.settle();
      expect(first.script.calls.map(({ tokenId }) => tokenId)).toEqual([2]);
      // The task is lost: it goes to the end of the line, as it does in memory.
      const second = await restart(first, options);
      await second.settle();
      for (let call = 0; call < 3; call++) {
        second.script.next('work').complete();
        await second.settle();
      }
      expect(second.script.calls.map(({ tokenId }) => tokenId)).toEqual([3, 4, 2]);
    },
  );

  const branches = (b: object, more: object = {}) => ({
    id: 'w',
    initialNode: 's',
    nodes: [{ id: 's' }, { id: 'a' }, { id: 'b', ...b }, { id: 'done', outputMapping: { 'output.done': 'true' } }],
    transitions: [
      { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g', ...more },
      { from: 'a', to: 'b' },
      { from: 'b', to: 'done', synchronization: { siblingGroup: 'g', strategy: 'all' as const } },
    ],
  });

  test('[PL4][FL4] a node that fails as soon as it is entered, in a branch, fails the run', async () => {
    const { engine } = await open();
    await engine.register(branches({ outputMapping: { 'state.x': '1 / 0' } }));
    const { status, error } = await (await engine.start('w')).result();
    expect([status, error?.code, error?.nodeId]).toEqual(['failed', 'MAPPING_FAILED', 'b']);
  });

  test('[PL4][BR4] where the group tolerates it, its branch has failed, and counts', async () => {
    const { engine } = await open();
    const failing = { outputMapping: { 'state.x': '1 / _branch.index' } };
    await engine.register(branches(failing, { onBranchFailure: 'end', maxFailures: 1 }));
    const run = await engine.start('w');
    expect(await run.result()).toMatchObject({ status: 'completed', output: { done: true } });
    const ended = (await eventsOf(run, 'branch.ended')).map(({ branch, how }) => [branch[1], how]);
    expect(ended).toEqual([[0, 'failed']]);
  });

  test('[PL4][FL4] a condition that cannot be evaluated behind such a node fails the run too', async () => {
    const { engine } = await open();
    const definition = branches({});
    const [first, second, last] = definition.transitions;
    await engine.register({
      ...definition,
      transitions: [first, second, { ...last, condition: '1 / 0 > 1' }],
    } as object);
    const { status, error } = await (await engine.start('w')).result();
    expect([status, error?.code, error?.nodeId]).toEqual(['failed', 'CONDITION_FAILED', 'b']);
  });

  test('[PL4][BA6] a slice whose first node fails at once has failed', async () => {
    const { engine } = await open();
    await engine.register({
      id: 'w',
      initialNode: 'b',
      nodes: [
        { id: 'b', batch: { items: 'input.list', batchSize: 1 } },
        { id: 'p' },
        { id: 'c', outputMapping: { 'state.x': '1 / 0' } },
      ],
      transitions: [
        { from: 'b', to: 'p', on: 'slice' },
        { from: 'p', to: 'c' },
      ],
    } as object);
    const { status, error } = await (await engine.start('w', { list: [1, 2] })).result();
    expect([status, error?.code]).toEqual(['failed', 'MAPPING_FAILED']);
  });

  test('[EW12] a paused run keeps an event once, however often the engine starts anew', async () => {
    let t = await open();
    await t.engine.register({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', wait: { event: 'paid' } }] });
    const { id } = await t.engine.start('w');
    await t.engine.run(id).pause();
    await t.engine.publish('paid', { total: 12 }, { id: 'p1' });
    for (let times = 0; times < 3; times++) {
      t = await restart(t);
      await t.settle();
    }
    expect(await eventsOf(t.engine.run(id), 'workflow.held')).toHaveLength(1);
    await t.engine.run(id).resume();
    expect(await t.engine.run(id).result()).toMatchObject({ status: 'completed' });
  });

  test('[SY7] a quorum above the number of branches fails before any of them has begun', async () => {
    const { engine, script } = await open({ scripted: ['work'] });
    await engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b', action: 'work' }, { id: 'c' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g', foreach: { collection: 'input.items' } },
        { from: 'b', to: 'c', synchronization: { siblingGroup: 'g', strategy: { mOfN: 3 } } },
      ],
    });
    const { status, error } = await (await engine.start('w', { items: [1, 2] })).result();
    expect([status, error?.code, script.calls.length]).toEqual(['failed', 'FAN_IN_UNREACHABLE', 0]);
  });

  test('[SY7] a quorum that can no longer be met fails at once, whatever other joins the workflow has', async () => {
    const { engine, settle } = await open({ scripted: ['work'] });
    await engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b' }, { id: 'slow', action: 'work' }, { id: 'c' }, { id: 'd' }, { id: 'e' }],
      transitions: [
        { from: 'a', to: 'b', siblingGroup: 'g', spawnCount: 3 },
        { from: 'b', to: 'slow', condition: '_branch.index > 0' },
        { from: 'b', to: 'e', condition: '_branch.index == 0', priority: 2 },
        { from: 'slow', to: 'c', synchronization: { siblingGroup: 'g', strategy: { mOfN: 3 } } },
        // An unrelated fan-out, whose join names no group.
        { from: 'c', to: 'd', spawnCount: 2, siblingGroup: 'h' },
        { from: 'd', to: 'e', synchronization: { strategy: 'all' } },
      ],
    });
    const run = await engine.start('w');
    await settle();
    const { status, error } = await run.summary();
    expect([status, error?.code]).toEqual(['failed', 'FAN_IN_UNREACHABLE']);
  });

  test.each(['stays', 'restarts'])(
    '[CX1] what a join left alone reads what its branch wrote, though that has ended (%s)',
    async (how) => {
      const options = { scripted: ['work'] };
      let t = await open(options);
      await t.engine.register({
        id: 'w',
        initialNode: 's',
        nodes: [
          { id: 's' },
          { id: 'a', outputMapping: { 'state.x': '"of the branch"' } },
          { id: 'fast', action: 'work' },
          { id: 'slow', action: 'work', inputMapping: { x: 'state.x' } },
          { id: 'slower', action: 'work', inputMapping: { x: 'state.x' } },
          { id: 'stop' },
          { id: 'other', action: 'work' },
        ],
        transitions: [
          { from: 's', to: 'a', siblingGroup: 'outer' },
          { from: 's', to: 'other', siblingGroup: 'outer' },
          { from: 'a', to: 'fast', siblingGroup: 'inner' },
          { from: 'a', to: 'slow', siblingGroup: 'inner' },
          {
            from: 'fast',
            to: 'stop',
            synchronization: { siblingGroup: 'inner', strategy: 'any', onEarlyComplete: 'abandon' },
          },
          { from: 'slow', to: 'slower' },
        ],
      });
      await t.engine.start('w');
      await t.settle();
      const answer = async (node: string) => {
        t.script
          .open('work')
          .find(({ nodeId, signal }) => nodeId === node && !signal.aborted)
          ?.complete();
        await t.settle();
      };
      await answer('fast');
      if (how === 'restarts') {
        t = await restart(t, options);
        await t.settle();
      }
      await answer('slow');
      const calls = t.script.calls.filter(({ nodeId }) => nodeId.startsWith('slow'));
      expect(calls.map(({ nodeId, input }) => [nodeId, input])).toEqual([
        ['slow', { x: 'of the branch' }],
        ['slower', { x: 'of the branch' }],
      ]);
    },
  );

  test('[SY11] a loop transition that fans out straight into its join is counted once a round', async () => {
    const { engine } = await open();
    await engine.register({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a', outputMapping: { 'state.n': 'has(state.n) ? state.n + 1 : 1' } }, { id: 'b' }, { id: 'c' }],
      transitions: [
        {
          from: 'a',
          to: 'b',
          spawnCount: 2,
          siblingGroup: 'g',
          loop: { maxIterations: 4 },
          synchronization: { siblingGroup: 'g', strategy: 'all' },
          priority: 1,
        },
        { from: 'a', to: 'c', priority: 2 },
        { from: 'b', to: 'a' },
      ],
      outputMapping: { n: 'state.n' },
    });
    expect(await (await engine.start('w')).result()).toMatchObject({ status: 'completed', output: { n: 5 } });
  });

  test('[EJ4] a branch that ends in the command in which it passes several nodes tells what will never run in it', async () => {
    const { engine, settle, script } = await open({ scripted: ['first', 'work'] });
    await engine.register({
      id: 'w',
      initialNode: 's',
      nodes: [
        { id: 's' },
        { id: 'first', action: 'first' },
        { id: 'a' },
        { id: 'b' },
        { id: 'never' },
        { id: 'task', action: 'work' },
        { id: 'j' },
      ],
      transitions: [
        { from: 's', to: 'first', siblingGroup: 'g' },
        { from: 's', to: 'task', siblingGroup: 'g' },
        { from: 'first', to: 'a' },
        { from: 'a', to: 'b' },
        { from: 'b', to: 'never', on: 'failure', synchronization: { over: 'edges' } },
        { from: 'never', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
        { from: 'task', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
      ],
    });
    const run = await engine.start('w');
    await settle();
    script.next('first').complete();
    await settle();
    const skipped = (await eventsOf(run)).filter(({ type }) => type === 'edges.settled');
    expect(skipped).toContainEqual(expect.objectContaining({ branch: [1, 0], skipped: ['never'] }));
  });
});
