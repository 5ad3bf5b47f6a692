import { describe, expect, test } from 'vitest';
import type { WorkflowCall } from '../../definition/definition.ts';
import { flow, Trial, type TrialOptions, task } from './planning.testsuite.ts';
import { makeChildId } from './subworkflow.ts';

const call = (more: Partial<WorkflowCall> = {}, node = {}, options: TrialOptions = {}) =>
  new Trial(
    flow(
      [
        {
          id: 'sub',
          workflow: { id: 'other', ...more },
          inputMapping: { x: 'input.x' },
          outputMapping: { 'output.r': 'result' },
          ...node,
        },
        'mend',
      ],
      [{ from: 'sub', to: 'mend', on: 'failure', condition: 'input.mend' }],
    ),
    { input: { x: 1, mend: false }, ...options },
  );
const failure = { status: 'failed', error: { code: 'DEEP', message: 'deep down' } };

describe('the start of a sub-run', () => {
  test.each([
    [{}, undefined],
    [{ inheritArtifacts: true }, ['RUN0000001', 'GRANDPARENT']],
  ])('[SW10] it sees the artifacts of its parent only if the node says so: %j', (more, artifactRuns) => {
    const trial = call(more, {}, { start: { artifactRuns: ['GRANDPARENT'] } });
    const sent = trial.effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
    expect(sent).toEqual([expect.objectContaining({ type: 'start' })]);
    expect(sent.flatMap((message) => (message.type === 'start' ? [message.child.artifactRuns] : []))).toEqual([
      artifactRuns,
    ]);
  });

  test('[SW8] what started the root, and who pays for it, goes down with it', () => {
    const trial = call({}, {}, { start: { trigger: { type: 'manual' }, organization: 'org' } });
    expect(trial.effects).toMatchObject([{ message: { child: { trigger: { type: 'manual' }, organization: 'org' } } }]);
  });

  test('[SW8] it gets the mapped input and nothing else; its token waits and holds no place among the tasks', () => {
    const trial = call({ version: 3 }, {}, { start: { depth: 2, trace: true, tags: { a: 'b' } } });
    const childRunId = makeChildId('RUN0000001', 1, 1);
    expect(trial.events.slice(-1)).toEqual([
      {
        type: 'subworkflow.dispatched',
        token: 1,
        attempt: 1,
        childRunId,
        workflow: 'other',
        version: 3,
        input: { x: 1 },
      },
    ]);
    expect(trial.effects).toEqual([
      {
        type: 'send',
        to: childRunId,
        message: {
          type: 'start',
          child: {
            workflow: 'other',
            version: 3,
            input: { x: 1 },
            parent: { runId: 'RUN0000001', token: 1 },
            rootRunId: 'RUN0000001',
            depth: 3,
            nodeBudget: 999_999,
            descendantBudget: 99_999,
            trace: true,
          },
        },
      },
    ]);
    expect(trial.state.dispatched).toBe(0);
  });

  test('[SW1] its id follows from parent, token and attempt, and sorts by its parent', () => {
    expect(makeChildId('RUN0000001', 1, 1)).toBe(makeChildId('RUN0000001', 1, 1));
    const ids = [
      makeChildId('RUN0000001', 1, 1),
      makeChildId('RUN0000001', 1, 2),
      makeChildId('RUN0000001', 2, 1),
      makeChildId('RUN0000002', 1, 1),
    ];
    expect(new Set(ids).size).toBe(4);
    expect(ids.map((id) => id.slice(0, 10))).toEqual(['RUN0000001', 'RUN0000001', 'RUN0000001', 'RUN0000002']);
  });

  test('[SW2] nesting and the number of descendants are bounded: beyond, the node fails and nothing starts', () => {
    const deep = call({}, {}, { start: { depth: 32 } });
    expect(deep.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'nestingMax', nodeId: 'sub' });
    expect(deep.effects).toEqual([]);
    expect(call({}, {}, { start: { depth: 31 } }).effects).toHaveLength(1);
    const many = call({}, {}, { start: { descendantBudget: 0 } });
    expect(many.error).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 'descendantsMax' });
  });

  test('[SW3] a child gets what is left of the budgets; what it used is counted at its end', () => {
    const trial = new Trial(
      flow(
        [
          { id: 'sub', workflow: 'other' },
          { id: 'two', workflow: 'other' },
        ],
        [{ from: 'sub', to: 'two' }],
      ),
      {
        start: { nodeBudget: 10, descendantBudget: 5 },
      },
    );
    expect(trial.effects).toMatchObject([{ message: { child: { nodeBudget: 9, descendantBudget: 4 } } }]);
    trial.childEnded(1, { nodesUsed: 3, descendantsUsed: 2 });
    expect(trial.effects).toMatchObject([{ message: { child: { nodeBudget: 5, descendantBudget: 1 } } }]);
  });
});

describe('the end of a sub-run', () => {
  test('[SW7] its output is the output of the node', () => {
    const trial = call();
    trial.childEnded(1, { output: { y: 2 } });
    expect(trial.told).toEqual([
      '1 subworkflow.completed',
      '0:0 output.r={"y":2}',
      '1 completed',
      'workflow.completed',
    ]);
  });

  test('[SW7] its failure is the failure of the node, with the code of the child and its error', () => {
    const trial = call();
    const childRunId = trial.tokensAt('sub')[0]?.childRunId;
    trial.childEnded(1, failure);
    expect(trial.error).toEqual({
      code: 'DEEP',
      runs: [childRunId],
      message: `Expected sub-workflow run ${childRunId} to complete, but it failed: deep down`,
      nodeId: 'sub',
      attempts: 1,
      details: { childRunId, error: { code: 'DEEP', message: 'deep down' } },
    });
  });

  test('[SW7] a failure transition of the node may handle it', () => {
    const trial = call({}, {}, { input: { mend: true } });
    trial.childEnded(1, { status: 'cancelled' });
    expect(trial.told).toEqual([
      '1 subworkflow.completed',
      '1 task.failed',
      '2 created at mend',
      '2 completed',
      'workflow.completed',
    ]);
    expect(trial.of('task.failed')).toMatchObject([{ error: { code: 'SUBWORKFLOW_FAILED' } }]);
  });

  test('[SW5] catch turns the failure into the output of the node', () => {
    const trial = call({ onFailure: 'catch' });
    trial.childEnded(1, failure);
    expect(trial.state.outcome).toBe('completed');
    expect(trial.context.output).toMatchObject({ r: { status: 'failed', error: { code: 'DEEP' } } });
  });

  test('[SW5] retries come first, each with a new child', () => {
    const trial = call({ onFailure: 'catch' }, { retry: { maxAttempts: 2, initialDelayMs: 10 } });
    trial.childEnded(1, failure);
    expect(trial.told).toEqual(['1 subworkflow.completed', '1 task.attempt_failed']);
    trial.alarmAt(1_010);
    expect(trial.events).toMatchObject([
      { type: 'timer.fired', token: 1 },
      {
        type: 'subworkflow.dispatched',
        token: 1,
        attempt: 2,
        childRunId: makeChildId('RUN0000001', 1, 2),
        input: { x: 1 },
      },
    ]);
    trial.childEnded(1, failure);
    expect(trial.context.output).toMatchObject({ r: { status: 'failed' } });
  });

  test('[SW6] only the sub-run that the token waits for can end its wait, and once', () => {
    const trial = call({}, { retry: { maxAttempts: 2, initialDelayMs: 10 } });
    trial.childEnded(1, { childRunId: 'SOMEBODY', output: {} });
    expect([trial.reply, trial.events]).toEqual([{ applied: false, reason: 'token does not wait for that run' }, []]);
    const first = trial.tokensAt('sub')[0]?.childRunId ?? '';
    trial.childEnded(1, failure);
    trial.childEnded(1, { ...failure, childRunId: first });
    expect(trial.reply.applied).toBe(false);
    trial.alarmAt(1_010);
    trial.childEnded(1, { childRunId: first });
    expect(trial.reply.applied).toBe(false);
    trial.childEnded(1);
    expect(trial.state.outcome).toBe('completed');
    trial.childEnded(1, { childRunId: first });
    expect(trial.reply).toEqual({ applied: false, reason: 'run has ended: completed' });
  });
});

describe('a sub-run that takes too long', () => {
  test('[SW4] is cancelled, and its node has failed with SUBWORKFLOW_TIMED_OUT', () => {
    const trial = call({ timeoutMs: 500 });
    const childRunId = trial.tokensAt('sub')[0]?.childRunId ?? '';
    expect(trial.of('subworkflow.dispatched')).toMatchObject([{ deadline: 1_500 }]);
    trial.alarmAt(1_700);
    expect(trial.events.slice(0, 1)).toEqual([
      { type: 'subworkflow.timed_out', token: 1, childRunId, timeoutMs: 500, elapsedMs: 700 },
    ]);
    expect(trial.told).toEqual(['1 subworkflow.timed_out', '1 task.failed', 'workflow.failed']);
    expect(trial.error?.code).toBe('SUBWORKFLOW_TIMED_OUT');
    expect(trial.effects).toEqual([
      { type: 'send', to: childRunId, message: { type: 'cancel', reason: 'timed out after 500 ms' } },
    ]);
  });

  test('[SW4][SW9] catch applies to it too; its late end only counts what it used, and once', () => {
    const trial = new Trial(
      flow(
        [
          {
            id: 'sub',
            workflow: { id: 'other', timeoutMs: 500, onFailure: 'catch' },
            outputMapping: { 'output.r': 'result.status' },
          },
          task('next'),
        ],
        [{ from: 'sub', to: 'next' }],
      ),
    );
    const childRunId = trial.tokensAt('sub')[0]?.childRunId ?? '';
    trial.alarmAt(1_500);
    expect(trial.context.output).toEqual({ r: 'timed_out' });
    trial.childEnded(1, { childRunId, nodesUsed: 7 });
    expect([trial.told, trial.state.childNodesUsed]).toEqual([['subworkflow.ended_late'], 7]);
    trial.childEnded(1, { childRunId, nodesUsed: 7 });
    expect(trial.reply).toEqual({ applied: false, reason: 'token does not wait for that run' });
  });
});
