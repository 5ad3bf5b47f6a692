import { describe, expect, test } from 'vitest';
import type { NodeDefinition, PromptDefinition, TransitionDefinition } from '../../definition/definition.ts';
import type { ParentLink } from '../events.ts';
import { makeCorrelationId } from './input.ts';
import { flow, Trial, task } from './planning.testsuite.ts';

const serial = { inputPolicy: 'serial' } as const;
const prompt = (id: string, input: PromptDefinition | true = true): NodeDefinition => ({ id, input });

/** Three prompts at once; `quit` may end the branch of one. */
const three = (input: PromptDefinition | true = true, more: Partial<TransitionDefinition> = {}) =>
  new Trial(flow(['split', prompt('ask', input)], [{ from: 'split', to: 'ask', spawnCount: 3, ...more }], serial));

const queue = (trial: Trial): string[] =>
  [...trial.state.queue.values()].map(({ askingRunId, token }) => `${askingRunId}/${token}`);
const asked = (trial: Trial): number[] =>
  [...trial.state.tokens.values()].filter((token) => token.asked).map(({ id }) => id);

describe('serial prompts of one run', () => {
  test('[IN3][IN4] they wait in one queue, and only the first is asked', () => {
    const trial = three();
    expect(trial.told.slice(3)).toEqual([
      'group 1 fan_out.started',
      '2-4 created at ask in 1:0',
      '2 input.queued',
      '2 input_queue.joined',
      '2 input.requested',
      '3 input.queued',
      '3 input_queue.joined',
      '4 input.queued',
      '4 input_queue.joined',
      'workflow.suspended',
    ]);
    expect(trial.requested).toEqual([
      'note prompt queued',
      'note prompt active',
      'note open-prompt active',
      'note prompt queued',
      'note prompt queued',
    ]);
    expect(trial.of('input_queue.joined')[1]).toEqual({
      type: 'input_queue.joined',
      askingRunId: 'RUN0000001',
      token: 3,
      correlationId: makeCorrelationId('RUN0000001', 3),
    });
  });

  test('[IN4] when it is answered it leaves the queue, and the next is asked', () => {
    const trial = three();
    trial.respond(2, 'a');
    expect(trial.told).toEqual([
      '2 input.resumed',
      '2 input_queue.left',
      '3 input.requested',
      '2 completed',
      'branch 1:0 ended completed',
    ]);
    expect([queue(trial), asked(trial)]).toEqual([['RUN0000001/3', 'RUN0000001/4'], [3]]);
    trial.respond(3);
    trial.respond(4);
    expect([queue(trial), trial.state.outcome]).toEqual([[], 'completed']);
  });

  test('[IN4][IN6] one that waits for its turn cannot be answered', () => {
    const trial = three();
    trial.respond(3, 'too early');
    const message = `Expected prompt ${makeCorrelationId('RUN0000001', 3)} to be asked, but it waits for its turn`;
    expect([trial.events, trial.effects, trial.reply]).toEqual([
      [],
      [],
      { applied: false, reason: message, refusal: { code: 'PROMPT_NOT_ACTIVE', message } },
    ]);
  });

  test('[IN4][IN8] when it expires the next is asked, and its own deadline counts from then', () => {
    const trial = three({ deadlineMs: 500 }, { onBranchFailure: 'end' });
    expect(trial.state.tokens.get(3)?.dueAt).toBeNull();
    trial.alarmAt(1_700);
    expect(trial.told).toEqual([
      '2 input.expired',
      '2 input_queue.left',
      '3 input.requested',
      '2 task.failed',
      'branch 1:0 ended failed',
    ]);
    expect(trial.of('input.requested')[0]?.deadline).toBe(2_200);
    trial.alarmAt(2_199);
    expect(trial.events).toEqual([]);
    trial.respond(3);
    expect(trial.of('input.requested')).toEqual([
      {
        type: 'input.requested',
        token: 4,
        correlationId: makeCorrelationId('RUN0000001', 4),
        at: 2_199,
        deadline: 2_699,
      },
    ]);
  });

  test('[IN8] deadlines that are long past fail one after another, each after its own time', () => {
    const trial = three({ deadlineMs: 500 }, { onBranchFailure: 'end' });
    for (const at of [9_000, 9_500, 10_000]) trial.alarmAt(at);
    expect(trial.journal.filter(({ type }) => type === 'input.expired')).toHaveLength(3);
    expect(trial.state.outcome).toBe('completed');
  });

  test('[IN4][LC11] while the run is paused the answer is kept, and the next is asked when it goes on', () => {
    const trial = three();
    trial.send({ type: 'pause' });
    trial.respond(2, 'a');
    expect([trial.told, queue(trial), asked(trial)]).toEqual([
      ['workflow.held'],
      ['RUN0000001/2', 'RUN0000001/3', 'RUN0000001/4'],
      [2],
    ]);
    trial.respond(3);
    expect(trial.reply.refusal?.code).toBe('PROMPT_NOT_ACTIVE');
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '2 input.resumed',
      '2 input_queue.left',
      '3 input.requested',
      '2 completed',
      'branch 1:0 ended completed',
    ]);
  });

  test('[IN4] a loop that asks again joins the queue at its end', () => {
    const trial = new Trial(
      flow(
        ['split', prompt('ask')],
        [
          { from: 'split', to: 'ask', spawnCount: 2 },
          { from: 'ask', to: 'ask', condition: 'result == "again"', loop: { maxIterations: 5 } },
          { from: 'ask', to: 'end', priority: 2 },
        ],
        { ...serial, nodes: [{ id: 'split' }, prompt('ask'), { id: 'end' }] },
      ),
    );
    trial.respond(2, 'again');
    expect([queue(trial), asked(trial)]).toEqual([['RUN0000001/3', 'RUN0000001/4'], [3]]);
  });
});

describe('prompts that are called off', () => {
  /** Two branches of two prompts each and a task that can fail; a failure ends its branch. */
  const branches = () =>
    new Trial(
      flow(
        ['split', 'both', prompt('ask'), task('work')],
        [
          { from: 'split', to: 'both', spawnCount: 2, onBranchFailure: 'end' },
          { from: 'both', to: 'ask' },
          { from: 'both', to: 'ask' },
          { from: 'both', to: 'work' },
        ],
        serial,
      ),
    );

  test('[IN4] the one that is asked: the next that is left is asked', () => {
    const trial = branches();
    // 4 and 5 ask in the first branch, 7 and 8 in the second; 6 and 9 work.
    expect([queue(trial), asked(trial)]).toEqual([
      ['RUN0000001/4', 'RUN0000001/5', 'RUN0000001/7', 'RUN0000001/8'],
      [4],
    ]);
    trial.fail(6);
    expect(trial.told).toEqual([
      '6 task.failed',
      '4,5 cancelled',
      '5 input_queue.left',
      '4 input_queue.left',
      '7 input.requested',
      'branch 1:0 ended failed',
    ]);
    expect([queue(trial), asked(trial)]).toEqual([['RUN0000001/7', 'RUN0000001/8'], [7]]);
    expect(trial.requested).toEqual([
      'note prompt cancelled',
      'note open-prompt removed',
      'note prompt cancelled',
      'note open-prompt removed',
      'note prompt active',
      'note open-prompt active',
    ]);
  });

  test('[IN4] those that wait for their turn: the one that is asked stays so', () => {
    const trial = branches();
    trial.fail(9);
    expect([queue(trial), asked(trial)]).toEqual([['RUN0000001/4', 'RUN0000001/5'], [4]]);
    expect(trial.of('input.requested')).toEqual([]);
    trial.respond(4);
    expect(asked(trial)).toEqual([5]);
  });

  test('[IN4][LC7] the end of the run asks nobody', () => {
    const trial = branches();
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.of('input.requested')).toEqual([]);
    expect([queue(trial), trial.state.outcome]).toEqual([[], 'cancelled']);
    expect(trial.told.at(-1)).toBe('workflow.cancelled');
  });
});

describe('one queue for a tree of runs', () => {
  const parent: ParentLink = { runId: 'PARENT', token: 7 };
  const child = (input: PromptDefinition | true = true) =>
    new Trial(flow([prompt('ask', input), task('after')], [{ from: 'ask', to: 'after' }], serial), {
      start: { runId: 'CHILD', rootRunId: 'ROOT', parent, depth: 2 },
    });
  const childId = makeCorrelationId('CHILD', 1);

  test('[IN3] a sub-run asks its root for a turn, and waits', () => {
    const trial = child();
    expect(trial.told).toEqual(['workflow.started', '1 created at ask', '1 input.queued', 'workflow.suspended']);
    expect(trial.effects.filter(({ type }) => type === 'send')).toEqual([
      {
        type: 'send',
        to: 'ROOT',
        message: { type: 'input.enqueue', askingRunId: 'CHILD', token: 1, correlationId: childId },
      },
      { type: 'send', to: 'PARENT', message: { type: 'child.suspended', token: 7, childRunId: 'CHILD' } },
    ]);
    expect(trial.effects[0]).toMatchObject({
      type: 'note',
      kind: 'prompt',
      value: { runId: 'CHILD', rootRunId: 'ROOT', status: 'queued', deadline: null },
    });
  });

  test('[IN3][IN4] its turn comes, it is answered, and it gives its place back', () => {
    const trial = child({ deadlineMs: 500 });
    trial.send({ type: 'input.grant', token: 1, at: 3_000 });
    expect(trial.told).toEqual(['1 input.requested', 'workflow.resumed']);
    expect(trial.of('input.requested')[0]?.deadline).toBe(3_500);
    expect(trial.requested.slice(0, 2)).toEqual(['note prompt active', 'note open-prompt active']);
    trial.respond(1, 'yes');
    expect(trial.requested).toEqual([
      'note prompt answered',
      'note open-prompt removed',
      'send ROOT input.release 1',
      'dispatch 2',
    ]);
  });

  test.each([
    ['queued', false],
    ['asked', true],
  ])('[IN4] a sub-run that ends gives its place back: %s', (_, isAsked) => {
    const trial = child();
    if (isAsked) trial.send({ type: 'input.grant', token: 1 });
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.requested).toEqual([
      'note prompt cancelled',
      'note open-prompt removed',
      'send ROOT input.release 1',
      'send PARENT child.ended cancelled',
    ]);
  });

  test('[IN9] a turn that comes for a prompt which is over, or is asked already, is not taken', () => {
    const trial = child();
    const notTaken = { applied: false, reason: 'prompt does not wait' };
    trial.send({ type: 'input.grant', token: 1 });
    expect(trial.send({ type: 'input.grant', token: 1 })).toMatchObject({ events: [], effects: [], reply: notTaken });
    trial.respond(1);
    expect(trial.send({ type: 'input.grant', token: 1 })).toMatchObject({ events: [], effects: [], reply: notTaken });
    expect(trial.send({ type: 'input.grant', token: 2 })).toMatchObject({ events: [], effects: [], reply: notTaken });
  });

  /** A root with a prompt of its own, a sub-run and a task. */
  const root = (more: object = serial) =>
    new Trial(
      flow(
        [{ id: 'start' }, { id: 'sub', workflow: 'other' }, prompt('ask'), task('work')],
        [
          { from: 'start', to: 'sub' },
          { from: 'start', to: 'ask' },
          { from: 'start', to: 'work' },
        ],
        more,
      ),
    );
  const theirs = (token: number) => ({ askingRunId: 'CHILD', token, correlationId: makeCorrelationId('CHILD', token) });

  test('[IN3][IN4] root and sub-runs share it: first come, first asked', () => {
    const trial = root();
    trial.send({ type: 'input.enqueue', ...theirs(1) });
    expect([trial.told, trial.requested]).toEqual([['1 input_queue.joined'], []]);
    trial.send({ type: 'input.enqueue', ...theirs(2) });
    expect(queue(trial)).toEqual(['RUN0000001/3', 'CHILD/1', 'CHILD/2']);
    trial.respond(3);
    expect(trial.told).toEqual(['3 input.resumed', '3 input_queue.left', '3 completed']);
    expect(trial.requested).toEqual(['note prompt answered', 'note open-prompt removed', 'send CHILD input.grant 1']);
    trial.send({ type: 'input.release', ...theirs(1) });
    expect([trial.told, trial.requested]).toEqual([['1 input_queue.left'], ['send CHILD input.grant 2']]);
  });

  test('[IN4] a place that is given back in the middle, or twice, gives nobody a turn', () => {
    const trial = root();
    trial.send({ type: 'input.enqueue', ...theirs(1) });
    trial.send({ type: 'input.enqueue', ...theirs(2) });
    trial.send({ type: 'input.release', ...theirs(1) });
    expect([trial.told, trial.requested]).toEqual([['1 input_queue.left'], []]);
    trial.send({ type: 'input.release', ...theirs(1) });
    expect([trial.told, trial.requested]).toEqual([[], []]);
    expect(queue(trial)).toEqual(['RUN0000001/3', 'CHILD/2']);
  });

  test('[IN4] the turn of a prompt of the root comes when a sub-run gives its place back', () => {
    const trial = new Trial(flow([task('work'), prompt('ask')], [{ from: 'work', to: 'ask' }], serial));
    trial.send({ type: 'input.enqueue', ...theirs(1) });
    expect([trial.told, trial.requested]).toEqual([['1 input_queue.joined'], ['send CHILD input.grant 1']]);
    trial.complete(1);
    expect(trial.told.slice(2)).toEqual([
      '2 created at ask',
      '2 input.queued',
      '2 input_queue.joined',
      'workflow.suspended',
    ]);
    trial.send({ type: 'input.release', ...theirs(1) });
    expect(trial.told).toEqual(['1 input_queue.left', '2 input.requested']);
  });

  test('[IN2][IN3] a root with open prompts keeps the queue for sub-runs that are serial', () => {
    const trial = root({});
    expect(asked(trial)).toEqual([3]);
    trial.send({ type: 'input.enqueue', ...theirs(1) });
    expect(trial.requested).toEqual(['send CHILD input.grant 1']);
    trial.respond(3);
    expect(queue(trial)).toEqual(['CHILD/1']);
  });
});
