import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('nodes', () => {
  test('[ND1] a token that was called off within the command that made it enters nothing', () => {
    const trial = new Trial(
      flow(
        ['s', 'x', task('b'), 'j'],
        [
          { from: 's', to: 'x', siblingGroup: 'g' },
          { from: 's', to: 'b', siblingGroup: 'g' },
          { from: 'x', to: 'b', condition: 'false' },
          { from: 'x', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'any' } },
          { from: 'b', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'any' } },
        ],
      ),
    );
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at s',
      '1 completed',
      'group 1 fan_out.started',
      '2 created at x in 1:0',
      '3 created at b in 1:1',
      '2 completed',
      '4 created at j in 1:0',
      '4 waits for siblings',
      'group 1 fan_in.completed',
      '4 completed',
      '3 cancelled',
      'group 1 group.closed',
      '5 created at j',
      '5 completed',
      'workflow.completed',
    ]);
    expect(trial.effects).toEqual([]);
  });

  test('[ND2] a node without work completes at once with an empty output', () => {
    const trial = new Trial(flow([{ id: 'a', outputMapping: { 'state.all': 'result', 'state.one': 'result.x' } }]));
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at a',
      '0:0 state.all={}',
      '1 completed',
      'workflow.completed',
    ]);
  });

  test('[ND3] a task waits for its turn to be handed out', () => {
    const trial = new Trial(flow(['s', task('a')], [{ from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' }]), {
      limits: { dispatchWindow: 1 },
    });
    expect(trial.tokens).toEqual(['2 a dispatched', '3 a ready']);
  });

  test('[ND4] an output mapping that fails, or does not fit the state schema, fails the node', () => {
    const broken = flow(
      [task('a', { outputMapping: { 'state.n': 'result.n' }, retry: { maxAttempts: 3 } }), task('mend')],
      [{ from: 'a', to: 'mend', on: 'failure' }],
      { stateSchema: { properties: { n: { type: 'number' } } } },
    );
    const trial = new Trial(broken);
    trial.complete(1, { n: 'x' });
    expect(trial.told).toEqual(['1 task.failed', '2 created at mend', '2 handed out 1.1']);
    expect(trial.of('task.failed')).toMatchObject([{ error: { code: 'STATE_INVALID', nodeId: 'a', attempts: 1 } }]);
  });

  test('[ND5] routing comes after the output was written, so that conditions see it', () => {
    const trial = new Trial(
      flow(
        [task('a', { outputMapping: { 'state.n': 'result.n' } }), task('b')],
        [{ from: 'a', to: 'b', condition: 'state.n == 3 && result.n == 3' }],
      ),
    );
    trial.complete(1, { n: 3 });
    expect(trial.told).toEqual([
      '1 task.completed',
      '0:0 state.n=3',
      '1 completed',
      '2 created at b',
      '2 handed out 1.1',
    ]);
  });

  test('[FL1] a node that has failed for good sets the last error and tries its failure transitions', () => {
    const trial = new Trial(
      flow(
        [task('a', { retry: { maxAttempts: 2, initialDelayMs: 1 } }), task('b'), 'c'],
        [
          { from: 'a', to: 'c' },
          { from: 'a', to: 'b', on: 'failure' },
        ],
      ),
    );
    trial.fail(1);
    expect(trial.told).toEqual(['1 task.attempt_failed']);
    trial.alarmAt(1_001);
    trial.fail(1, 'TWICE');
    const error = { code: 'TWICE', message: 'TWICE it is', nodeId: 'a', attempts: 2 };
    expect(trial.events.slice(0, 2)).toEqual([
      { type: 'task.failed', token: 1, error },
      { type: 'token.created', token: 2, node: 'b', from: 1, via: 'a->b', branch: [0, 0], lastError: error },
    ]);
  });
});

describe('tokens', () => {
  test('[TK1] a token is one visit: its id is the next number, and what it fires are new tokens', () => {
    const trial = new Trial(
      flow(
        ['a', 'b', 'c'],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'c' },
        ],
      ),
    );
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at a',
      '1 completed',
      '2 created at b',
      '2 completed',
      '3 created at c',
      '3 completed',
      'workflow.completed',
    ]);
  });

  test('[TK2] a run that would exceed its tokens alive fails, and names the limit', () => {
    const fan = flow(['s', task('a')], [{ from: 's', to: 'a', spawnCount: 4, siblingGroup: 'g' }]);
    expect(new Trial(fan, { limits: { tokensAliveMax: 4 } }).state.outcome).toBeNull();
    const trial = new Trial(fan, { limits: { tokensAliveMax: 3 } });
    expect(trial.told).toEqual([
      'workflow.started',
      '1 created at s',
      '1 completed',
      'group 1 fan_out.started',
      'workflow.failed',
    ]);
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'tokensAliveMax' });
  });

  test('[TK2] a loop that nobody bounded ends at the number of node visits', () => {
    const trial = new Trial(
      flow(
        ['a', 'b'],
        [
          { from: 'a', to: 'b' },
          { from: 'b', to: 'a' },
        ],
      ),
      { limits: { nodesPerRunMax: 50 } },
    );
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'nodesPerRunMax' });
    expect(trial.state.lastToken).toBe(50);
  });

  test('[TK2] the visits of sub-runs count', () => {
    const trial = new Trial(flow([{ id: 'sub', workflow: 'other' }, 'end'], [{ from: 'sub', to: 'end' }]), {
      start: { nodeBudget: 10 },
    });
    trial.childEnded(1, { nodesUsed: 9 });
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'nodesPerRunMax' });
  });

  test('[TK3] whoever is called off is told so: an action is aborted, a sub-run cancelled', () => {
    const trial = new Trial(
      flow(
        ['s', task('a'), { id: 'sub', workflow: 'other' }, { id: 'w', wait: { seconds: 1 } }],
        [
          { from: 's', to: 'a' },
          { from: 's', to: 'sub' },
          { from: 's', to: 'w' },
        ],
      ),
    );
    const to = trial.tokensAt('sub')[0]?.childRunId;
    trial.send({ type: 'cancel', reason: 'why not' });
    expect(trial.effects).toEqual([
      { type: 'abort', token: 2 },
      { type: 'send', to, message: { type: 'cancel', reason: 'why not' } },
    ]);
    expect(trial.events[0]).toEqual({ type: 'tokens.cancelled', tokens: [2, 3, 4], reason: 'why not' });
  });
});
