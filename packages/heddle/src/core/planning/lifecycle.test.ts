import { describe, expect, test } from 'vitest';
import { copyJson } from '../../base/copy-json.ts';
import type { JsonObject } from '../../base/json.ts';
import { encodeState } from '../apply/snapshot.ts';
import { refuseInput } from './lifecycle.ts';
import { compile, flow, startOf, Trial, task } from './planning.testsuite.ts';

describe('the start', () => {
  test('[LC1] input that does not fit the schema starts nothing', () => {
    const graph = compile(
      flow(['a'], [], { inputSchema: { type: 'object', required: ['url'], properties: { url: { type: 'string' } } } }),
    );
    const meter = { stepsLeft: 1_000_000 };
    expect(refuseInput(graph, { url: 'x' }, meter)).toBeNull();
    expect(refuseInput(graph, { url: 1 }, meter)).toMatchObject({
      code: 'INPUT_INVALID',
      details: [{ pointer: '/url' }],
    });
    expect(refuseInput(graph, {}, meter)?.message).toContain('workflow trial');
    expect(refuseInput(compile(flow(['a'])), 'anything', meter)).toBeNull();
  });

  test('[LC15] nor does one whose check takes more steps than there are', () => {
    const slow = { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'number' }] } };
    const graph = compile(flow(['a'], [], { inputSchema: slow }), { commandCostMax: 1_000 });
    const meter = { stepsLeft: 1_000 };
    expect(refuseInput(graph, [1], meter)).toBeNull();
    expect(meter.stepsLeft).toBeLessThan(1_000);
    const many = Array.from({ length: 500 }, (_, index) => index);
    expect(refuseInput(graph, many, meter)).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'commandCostMax' });
  });

  test('[LC2] starting twice is starting once', () => {
    const trial = new Trial(flow([task('a')]));
    trial.send({ type: 'start', start: startOf(trial.graph, 1_000) });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'already started' }, []]);
  });

  test('[LC3] a run begins with one token at its initial node', () => {
    const trial = new Trial(flow(['b', task('a')], [], { initialNode: 'a' }));
    expect(trial.events).toMatchObject([
      { type: 'workflow.started', at: 1_000, runId: 'RUN0000001', workflow: 'trial', version: 1 },
      { type: 'token.created', token: 1, node: 'a', branch: [0, 0] },
      { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: {} },
    ]);
  });
});

describe('the end', () => {
  const two = flow(
    ['s', task('a', { outputMapping: { 'state.n': 'result', 'output.m': 'result' } }), task('b')],
    [
      { from: 's', to: 'a' },
      { from: 's', to: 'b' },
    ],
  );

  test('[LC4] a run is complete when its last token has ended; without a mapping its output is the output section', () => {
    const trial = new Trial(two);
    trial.complete(3);
    expect(trial.state.outcome).toBeNull();
    trial.complete(2, 5);
    expect(trial.events.at(-1)).toEqual({ type: 'workflow.completed', at: 1_000, output: { m: 5 } });
  });

  test('[LC4] its output is mapped and checked then; what fails there fails the run', () => {
    const ended = (more: object) => {
      const trial = new Trial({ ...two, ...more });
      trial.complete(2, 5);
      trial.complete(3);
      return trial.events.at(-1);
    };
    expect(ended({ outputMapping: { 'x.y': 'state.n', z: 'state.absent' } })).toMatchObject({
      output: { x: { y: 5 } },
    });
    expect(ended({ outputMapping: { x: 'state.n + {}' } })).toMatchObject({
      type: 'workflow.failed',
      error: { code: 'MAPPING_FAILED' },
    });
    expect(ended({ outputSchema: { properties: { m: { type: 'string' } } } })).toMatchObject({
      type: 'workflow.failed',
      error: { code: 'OUTPUT_INVALID', details: [{ pointer: '/m' }] },
    });
  });

  test('[LC5] a run that takes longer than it may is timed out, counted from its start', () => {
    const trial = new Trial({ ...two, timeoutMs: 500 });
    trial.at = 1_400;
    trial.complete(2);
    trial.alarmAt(1_499);
    expect(trial.reply.applied).toBe(false);
    trial.alarmAt(1_500);
    expect(trial.events).toEqual([
      { type: 'tokens.cancelled', tokens: [3], reason: 'the run has ended' },
      {
        type: 'workflow.timed_out',
        at: 1_500,
        error: { code: 'RUN_TIMED_OUT', message: 'Expected the run to end within 500 ms, but it did not' },
      },
    ]);
    expect(trial.effects).toEqual([{ type: 'abort', token: 3 }]);
  });

  test('[LC7] a run that ends calls off its tokens, tells its sub-runs, and tells its parent', () => {
    const trial = new Trial(
      flow(
        ['s', task('a'), { id: 'sub', workflow: 'other' }],
        [
          { from: 's', to: 'a' },
          { from: 's', to: 'sub' },
        ],
      ),
      { start: { parent: { runId: 'PARENT', token: 7 } } },
    );
    const childRunId = trial.tokensAt('sub')[0]?.childRunId ?? '';
    trial.fail(2, 'BAD');
    expect(trial.told).toEqual(['2 task.failed', '3 cancelled', 'workflow.failed']);
    expect(trial.effects).toEqual([
      { type: 'send', to: childRunId, message: { type: 'cancel', reason: 'the run has ended' } },
      {
        type: 'send',
        to: 'PARENT',
        message: {
          type: 'child.ended',
          token: 7,
          childRunId: 'RUN0000001',
          status: 'failed',
          error: { code: 'BAD', message: 'BAD it is', nodeId: 'a', attempts: 1 },
          nodesUsed: 3,
          descendantsUsed: 1,
        },
      },
    ]);
  });

  test('[LC7] one that completes tells its parent its output', () => {
    const trial = new Trial(flow([task('a', { outputMapping: { 'output.r': 'result' } })]), {
      start: { parent: { runId: 'PARENT', token: 7 } },
    });
    trial.complete(1, 3);
    expect(trial.effects).toMatchObject([
      { to: 'PARENT', message: { status: 'completed', output: { r: 3 }, nodesUsed: 1 } },
    ]);
  });

  test('[LC10] terminal is final: whatever comes then changes nothing and is told so', () => {
    const trial = new Trial(two);
    trial.send({ type: 'cancel', reason: 'enough' });
    const ended = encodeState(trial.state);
    for (const command of [
      { type: 'cancel', reason: 'again' },
      { type: 'pause' },
      { type: 'resume' },
      { type: 'alarm' },
      { type: 'recover' },
      { type: 'task.result', token: 2, dispatch: 1, outcome: { type: 'completed', output: {} } },
    ] as const) {
      trial.send(command);
      expect([trial.reply, trial.events, trial.effects]).toEqual([
        { applied: false, reason: 'run has ended: cancelled' },
        [],
        [],
      ]);
    }
    expect(encodeState(trial.state)).toEqual(ended);
  });

  test('[LC12] cancelling ends the run as cancelled, with its reason', () => {
    const trial = new Trial(two);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.events).toEqual([
      { type: 'tokens.cancelled', tokens: [2, 3], reason: 'enough' },
      { type: 'workflow.cancelled', at: 1_000, reason: 'enough' },
    ]);
    expect(trial.error).toEqual({ code: 'CANCELLED', message: 'enough' });
  });
});

describe('a pause', () => {
  const line = flow(
    ['s', task('a'), task('b'), { id: 'sub', workflow: 'other' }],
    [
      { from: 's', to: 'a' },
      { from: 's', to: 'sub' },
      { from: 'a', to: 'b' },
    ],
  );

  test('[LC6] a paused run hands out nothing', () => {
    const trial = new Trial(line);
    trial.send({ type: 'pause' });
    trial.send({ type: 'recover' });
    expect(trial.told).toEqual(['2 lost']);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual(['workflow.unpaused', '2 handed out 1.2']);
  });

  test('[LC11] what comes meanwhile is kept, moves no token, and has its turn when the run goes on, in its order', () => {
    const trial = new Trial(line);
    trial.send({ type: 'pause' });
    trial.complete(2, { x: 1 });
    expect(trial.reply).toEqual({ applied: true, reason: 'held while paused' });
    expect(trial.events).toEqual([
      {
        type: 'workflow.held',
        command: {
          type: 'task.result',
          token: 2,
          dispatch: 1,
          outcome: { type: 'completed', output: { x: 1 } },
          at: 1_000,
        },
      },
    ]);
    expect(trial.tokens).toEqual(['2 a dispatched', '3 sub waiting_for_subworkflow']);
    trial.childEnded(3);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '2 task.completed',
      '2 completed',
      '4 created at b',
      'held.taken',
      '3 subworkflow.completed',
      '3 completed',
      '4 handed out 1.1',
    ]);
  });

  test('[LC11][TS3] a result of a hand-out that is not the newest is not kept: it would pass for an answer', () => {
    const trial = new Trial(line);
    trial.send({ type: 'pause' });
    const outcome = { type: 'completed', output: {} } as const;
    for (const [token, dispatch] of [
      [2, 0],
      [2, 2],
      [3, 1],
      [9, 1],
    ] as const) {
      trial.send({ type: 'task.result', token, dispatch, outcome });
      expect([trial.events, trial.reply.applied]).toEqual([[], false]);
    }
    trial.send({ type: 'recover' });
    expect(trial.told).toEqual(['2 lost']);
  });

  test('[LC11] a result that was kept is not lost with the host', () => {
    const trial = new Trial(line);
    trial.send({ type: 'pause' });
    trial.complete(2, { x: 1 });
    trial.send({ type: 'recover' });
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '2 task.completed',
      '2 completed',
      '4 created at b',
      '4 handed out 1.1',
    ]);
  });

  describe('with much that came meanwhile', () => {
    const mapped = { outputMapping: { 'state.text': 'result.text' } };
    const fan = flow(
      ['a', { id: 'work', action: 'act', ...mapped }, { id: 'timer', wait: { seconds: 5 } }],
      [
        { from: 'a', to: 'work', spawnCount: 4, siblingGroup: 'g' },
        { from: 'a', to: 'timer' },
      ],
    );
    const resumed = () => {
      const trial = new Trial(fan, { limits: { commandBytesMax: 40_000 } });
      trial.send({ type: 'pause' });
      const [first, ...others] = trial.tokensAt('work').map(({ id }) => id);
      for (const id of [first, ...others].slice(0, 3)) trial.complete(id as number, { text: 'x'.repeat(3_000) });
      return { trial, last: others.at(-1) as number };
    };
    const taken = (trial: Trial) => trial.told.filter((told) => /held|unpaused|task.completed|timer/.test(told));

    test('[LC16][PL7] it has its turn over several commands, in its order, and the run does not fail', () => {
      const { trial } = resumed();
      expect(trial.send({ type: 'resume' }).isUnfinished).toBe(true);
      expect(taken(trial)).toEqual(['workflow.unpaused', 'held.taken', '2 task.completed']);
      expect(trial.state.held).toHaveLength(2);
      trial.send({ type: 'continue' });
      expect(taken(trial)).toEqual(['held.taken', '3 task.completed']);
      expect(trial.send({ type: 'continue' }).isUnfinished).toBe(false);
      expect(taken(trial)).toEqual(['held.taken', '4 task.completed']);
      expect([trial.state.held, trial.state.outcome]).toEqual([[], null]);
    });

    test('[LC16] timers wait until it is done, and what comes waits behind it', () => {
      const { trial, last } = resumed();
      trial.send({ type: 'resume', at: 9_000 });
      trial.send({ type: 'alarm' });
      expect(trial.told).toEqual([]);
      trial.complete(last, { text: 'last' });
      expect(trial.told).toEqual(['workflow.held']);
      for (const told of ['3 task.completed', '4 task.completed']) {
        trial.send({ type: 'continue' });
        expect(taken(trial).slice(0, 2)).toEqual(['held.taken', told]);
      }
      while (trial.state.held.length > 0) trial.send({ type: 'continue' });
      trial.send({ type: 'alarm' });
      expect(trial.told).toContain('6 timer.fired');
    });

    test('[LC16] a run that is paused again keeps what is left', () => {
      const { trial } = resumed();
      trial.send({ type: 'resume' });
      trial.send({ type: 'pause' });
      trial.send({ type: 'continue' });
      expect([trial.reply.applied, trial.state.held.length]).toEqual([false, 2]);
      trial.send({ type: 'resume' });
      expect(taken(trial)).toEqual(['workflow.unpaused', 'held.taken', '3 task.completed']);
    });
  });

  test('[LC8] pausing and going on reach the sub-runs; doing it twice is doing it once', () => {
    const trial = new Trial(line);
    const to = trial.tokensAt('sub')[0]?.childRunId;
    trial.send({ type: 'pause' });
    expect([trial.events, trial.effects]).toEqual([
      [{ type: 'workflow.paused', at: 1_000 }],
      [{ type: 'send', to, message: { type: 'pause' } }],
    ]);
    trial.send({ type: 'pause' });
    expect(trial.reply).toEqual({ applied: false, reason: 'already paused' });
    trial.send({ type: 'resume' });
    expect(trial.effects).toEqual([{ type: 'send', to, message: { type: 'resume' } }]);
    trial.send({ type: 'resume' });
    expect(trial.reply).toEqual({ applied: false, reason: 'not paused' });
  });
});

describe('a retry', () => {
  test('[LC9] it goes on from the tokens and the state that its run had just before it failed', () => {
    const definition = flow(
      [
        task('a', { outputMapping: { 'state.n': 'result' } }),
        task('b', { inputMapping: { n: 'state.n' } }),
        { id: 'w', wait: { seconds: 9 } },
      ],
      [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'w' },
      ],
    );
    const failing = new Trial(definition);
    failing.complete(1, 5);
    const before = copyJson(encodeState(failing.state) as unknown as JsonObject);
    const tokens = (before['tokens'] as JsonObject[]).map((token) =>
      token['status'] === 'dispatched' ? { ...token, status: 'ready', dispatch: 0 } : token,
    );
    const retry = new Trial(definition, {
      restore: { ...before, tokens, ready: [2] },
      start: { runId: 'RETRY00001', retryOf: 'RUN0000001' },
    });
    expect(retry.told).toEqual(['workflow.started', 'workflow.restored', '2 handed out 1.1']);
    expect(retry.tokens).toEqual(['2 b dispatched', '3 w waiting_for_timer']);
    expect(retry.context.state).toEqual({ n: 5 });
    retry.complete(2);
    retry.alarmAt(10_000);
    expect(retry.state.outcome).toBe('completed');
  });
});
