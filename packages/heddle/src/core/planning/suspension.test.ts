import { describe, expect, test } from 'vitest';
import type { NodeDefinition, TransitionDefinition } from '../../definition/definition.ts';
import { statusOf } from '../views/status.ts';
import { flow, lowered, Trial, type TrialOptions, task } from './planning.testsuite.ts';

/** Everything that can go on in a run at one time, each from a node of its own. */
const parts = ['task', 'timer', 'retry', 'deadline', 'child', 'credits', 'prompt', 'event', 'idleChild'] as const;
type Part = (typeof parts)[number];

const nodes: Readonly<Record<Part, NodeDefinition>> = {
  task: task('task'),
  timer: { id: 'timer', wait: { seconds: 3_600 } },
  retry: task('retry', { retry: { maxAttempts: 3, initialDelayMs: 3_600_000 } }),
  deadline: { id: 'deadline', input: { deadlineMs: 3_600_000 } },
  child: { id: 'child', workflow: 'other' },
  credits: task('credits', { cost: 1 }),
  prompt: { id: 'prompt', input: true },
  event: { id: 'event', wait: { event: 'paid' } },
  idleChild: { id: 'idleChild', workflow: 'other' },
};

function going(chosen: readonly Part[], options: TrialOptions = {}): Trial {
  const ways = chosen.map((to): TransitionDefinition => ({ from: 'start', to }));
  const trial = new Trial(flow(['start', ...chosen.map((part) => nodes[part])], ways), {
    ...options,
    start: { organization: 'org', ...options.start },
  });
  if (chosen.includes('retry')) trial.fail(at(trial, 'retry'));
  if (chosen.includes('idleChild')) trial.childChanged(at(trial, 'idleChild'), 'child.suspended');
  return trial;
}

const at = (trial: Trial, part: string): number => trial.ids(part)[0] ?? 0;

function expected(chosen: readonly Part[]): string {
  if (chosen.includes('task')) return 'running';
  const wakesByItself: ReadonlySet<Part> = new Set<Part>(['timer', 'retry', 'deadline', 'child', 'credits']);
  return chosen.some((part) => wakesByItself.has(part)) ? 'waiting' : 'suspended';
}

/** All choices of parts but none. */
const subsets = Array.from({ length: 2 ** parts.length - 1 }, (_, bits): readonly Part[] =>
  parts.filter((_part, index) => ((bits + 1) >> index) & 1),
);

describe('the class of a run', () => {
  test('[VW1][SP1] for everything that can go on at one time', () => {
    for (const chosen of subsets) {
      const trial = going(chosen);
      const status = expected(chosen);
      expect([chosen, statusOf(trial.state)]).toEqual([chosen, status]);
      expect([chosen, trial.state.suspended]).toEqual([chosen, status === 'suspended']);
    }
  });

  test('[VW1][SP1] paused is paused; what a run is afterwards is found when it goes on', () => {
    for (const chosen of subsets.filter((set) => set.length < 3)) {
      const trial = going(chosen);
      trial.send({ type: 'pause' });
      expect([chosen, statusOf(trial.state), trial.told]).toEqual([chosen, 'paused', ['workflow.paused']]);
      trial.send({ type: 'resume' });
      expect([chosen, statusOf(trial.state), trial.told]).toEqual([chosen, expected(chosen), ['workflow.unpaused']]);
    }
  });

  test('[VW1] before its start and until its credits are granted a run is submitted; then terminal facts', () => {
    const trial = new Trial(lowered([task('a')], [], { policy: { charge: 'run' } }), {
      start: { organization: 'org', reserve: 3 },
    });
    expect(statusOf(trial.state)).toBe('submitted');
    trial.send({ type: 'pause' });
    expect(statusOf(trial.state)).toBe('paused');
    trial.send({ type: 'resume' });
    trial.credit(3);
    expect(statusOf(trial.state)).toBe('running');
    trial.complete(1);
    expect(statusOf(trial.state)).toBe('completed');
  });

  test('[VW1][TS7] where a wait holds the tasks that are ready, the run waits', () => {
    const ways = ['a', 'b'].map((to): TransitionDefinition => ({ from: 'start', to }));
    const trial = new Trial(
      lowered(['start', task('a', { retry: { maxAttempts: 2, initialDelayMs: 100 } }), task('b')], ways, {
        policy: { oneAtATime: true },
      }),
    );
    trial.fail(2);
    expect([trial.tokens, statusOf(trial.state)]).toEqual([['2 a retrying', '3 b ready'], 'waiting']);
  });

  test('[VW1] tasks that wait for room in the window are work', () => {
    const trial = new Trial(flow(['start', task('a')], [{ from: 'start', to: 'a', spawnCount: 3 }]), {
      limits: { dispatchWindow: 1 },
    });
    trial.send({ type: 'pause' });
    trial.complete(2);
    expect(trial.state.suspended).toBe(false);
    trial.send({ type: 'resume' });
    expect(statusOf(trial.state)).toBe('running');
  });
});

describe('changes of class', () => {
  test('[SP1][SP3] a run says when only people or outside events can wake it, and when no longer so', () => {
    const trial = going(['task', 'prompt']);
    expect(trial.told.at(-1)).toBe('2 handed out 1.1');
    trial.complete(2);
    expect(trial.told).toEqual(['2 task.completed', '2 completed', 'workflow.suspended']);
    expect(trial.of('workflow.suspended')).toEqual([{ type: 'workflow.suspended', at: 1_000 }]);
    trial.respond(3);
    expect(trial.told.at(-1)).toBe('workflow.completed');
    expect(trial.told.slice(-2)).toEqual(['workflow.resumed', 'workflow.completed']);
  });

  test('[SP3] a suspended run that is cancelled was not resumed', () => {
    const trial = going(['prompt']);
    trial.send({ type: 'cancel', reason: 'enough' });
    expect(trial.told.at(-1)).toBe('workflow.cancelled');
    expect(trial.told).not.toContain('workflow.resumed');
  });

  test('[SP1] one of several answers does not resume it if nothing follows', () => {
    const trial = going(['prompt', 'event']);
    trial.respond(at(trial, 'prompt'));
    expect(trial.told).toEqual(['2 input.resumed', '2 completed']);
    expect(trial.state.suspended).toBe(true);
  });

  test('[SP1] what follows from an answer resumes it', () => {
    const trial = new Trial(
      flow(
        [{ id: 'ask', input: true }, task('work'), { id: 'ask2', input: true }],
        [
          { from: 'ask', to: 'work' },
          { from: 'work', to: 'ask2' },
        ],
      ),
    );
    trial.respond(1);
    expect(trial.told.at(-1)).toBe('workflow.resumed');
    trial.complete(2);
    expect(trial.told.at(-1)).toBe('workflow.suspended');
    expect(trial.journal.map(({ type }) => type).filter((type) => /suspended|resumed/.test(type))).toEqual([
      'workflow.suspended',
      'input.resumed',
      'workflow.resumed',
      'workflow.suspended',
    ]);
  });

  test('[SP1] a change while it is paused is told when it goes on', () => {
    const trial = going(['task', 'prompt']);
    trial.send({ type: 'pause' });
    trial.complete(2);
    expect(trial.told).toEqual(['workflow.held']);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual([
      'workflow.unpaused',
      'held.taken',
      '2 task.completed',
      '2 completed',
      'workflow.suspended',
    ]);
  });

  test('[SP1] a sub-run tells its parent', () => {
    const parent = { runId: 'PARENT', token: 7 };
    const trial = going(['prompt', 'event'], { start: { parent, rootRunId: 'PARENT' } });
    expect(trial.effects.at(-1)).toEqual({
      type: 'send',
      to: 'PARENT',
      message: { type: 'child.suspended', token: 7, childRunId: 'RUN0000001' },
    });
    const asking = new Trial(flow([{ id: 'ask', input: true }, task('work')], [{ from: 'ask', to: 'work' }]), {
      start: { parent, rootRunId: 'PARENT' },
    });
    asking.respond(1);
    expect(asking.requested.at(-1)).toBe('send PARENT child.resumed 7');
  });

  test('[SP1] one that ends only tells of its end', () => {
    const trial = going(['prompt'], { start: { parent: { runId: 'PARENT', token: 7 }, rootRunId: 'PARENT' } });
    trial.respond(2);
    expect(trial.requested.filter((line) => line.startsWith('send'))).toEqual(['send PARENT child.ended completed']);
  });
});

describe('what sub-runs tell', () => {
  test('[SP2] it is journaled; a parent is suspended when all its sub-runs are and it has nothing else to do', () => {
    const trial = going(['child', 'idleChild']);
    const child = at(trial, 'child');
    const childRunId = trial.state.tokens.get(child)?.childRunId;
    trial.childChanged(child, 'child.suspended');
    expect(trial.events).toEqual([
      { type: 'subworkflow.suspended', token: child, childRunId },
      { type: 'workflow.suspended', at: 1_000 },
    ]);
    trial.childChanged(child, 'child.resumed');
    expect(trial.events).toEqual([
      { type: 'subworkflow.resumed', token: child, childRunId },
      { type: 'workflow.resumed', at: 1_000 },
    ]);
  });

  test.each([
    ['twice', 'idleChild', 'child.suspended', undefined],
    ['what is so already', 'child', 'child.resumed', undefined],
    ['of a run that nobody waits for', 'child', 'child.suspended', 'OTHER'],
    ['for a token that waits for none', 'prompt', 'child.suspended', 'OTHER'],
  ] as const)('[SP2] %s: nothing changes', (_, part, type, childRunId) => {
    const trial = going(['child', 'idleChild', 'prompt']);
    trial.childChanged(at(trial, part), type, childRunId);
    expect([trial.events, trial.reply]).toEqual([[], { applied: false, reason: 'token does not wait for that run' }]);
  });

  test('[SP2] while the parent is paused it is journaled, and told of when it goes on', () => {
    const trial = going(['child']);
    trial.send({ type: 'pause' });
    trial.childChanged(at(trial, 'child'), 'child.suspended');
    expect(trial.told).toEqual(['2 subworkflow.suspended']);
    trial.send({ type: 'resume' });
    expect(trial.told).toEqual(['workflow.unpaused', 'workflow.suspended']);
  });

  const sub = (more: Partial<NodeDefinition> = {}) => {
    const trial = new Trial(flow([{ id: 'sub', workflow: 'other', ...more }]));
    trial.childChanged(1, 'child.suspended');
    return trial;
  };

  test('[SP2] a suspended sub-run that ends, is tried again or takes too long is none any more', () => {
    const ended = sub();
    ended.childEnded(1);
    expect([ended.told.at(-1), ended.state.childrenSuspended]).toEqual(['workflow.completed', 0]);
    const retried = sub({ retry: { maxAttempts: 2, initialDelayMs: 50 } });
    retried.childEnded(1, { status: 'failed' });
    expect(retried.told).toEqual(['1 subworkflow.completed', '1 task.attempt_failed', 'workflow.resumed']);
    const late = sub({ retry: { maxAttempts: 2, initialDelayMs: 50 }, timeoutMs: 500 });
    expect(statusOf(late.state)).toBe('waiting'); // its time limit is a timer
    late.alarmAt(1_500);
    expect([late.told, late.state.childrenSuspended]).toEqual([
      ['1 subworkflow.timed_out', '1 task.attempt_failed'],
      0,
    ]);
  });
});
