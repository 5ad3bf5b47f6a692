import { describe, expect, test } from 'vitest';
import { apply, type Event, emptyState, plan } from '../../packages/heddle/src/testing.ts';
import { deepFreeze, encoded, flow, go, PlannedRun, replayed, task } from './planning.testsuite.ts';
import { scenario, scenarioNames } from './planning-scenarios.testsuite.ts';

describe.each(scenarioNames)('planning is pure: %s', (name) => {
  test('[T295] it changes nothing and answers with events (what happened) and effects (what to do)', () => {
    const { graph, steps } = scenario(name);
    for (const { command, before, planned } of steps) {
      const seen = encoded(before);
      const again = plan(graph, before, command);
      expect(encoded(before)).toEqual(seen);
      expect(Object.keys(again).toSorted()).toEqual([
        'cost',
        'effects',
        'events',
        'isUnfinished',
        'reply',
        'state',
        'trace',
      ]);
      expect(again.state).not.toBe(before);
      expect(planned.events.every(({ type }) => /^[a-z_]+\.[a-z_]+$/.test(type))).toBe(true);
      expect(planned.effects.every(({ type }) => effectTypes.has(type))).toBe(true);
    }
  });

  test('[T296] the same graph, state and command give the same answer', () => {
    const { graph, steps } = scenario(name);
    for (const { command, before, planned } of steps) {
      const { state, ...answer } = planned;
      const { state: stateAgain, ...again } = plan(graph, before, command);
      expect(again).toEqual(answer);
      expect(encoded(stateAgain)).toEqual(encoded(state));
    }
  });

  test('[T297] inputs that cannot be changed are planned all the same', () => {
    const { graph, steps } = scenario(name);
    deepFreeze(graph);
    for (const { command, before, planned } of steps) {
      const { events, effects, reply } = plan(graph, deepFreeze(before), deepFreeze(command));
      expect({ events, effects, reply }).toEqual({
        events: planned.events,
        effects: planned.effects,
        reply: planned.reply,
      });
    }
  });

  test('[T298] events, effects, traces and replies survive JSON', () => {
    for (const { planned } of scenario(name).steps) {
      const { events, effects, trace, reply } = planned;
      const answer = { events, effects, trace, reply };
      expect(JSON.parse(JSON.stringify(answer))).toStrictEqual(answer);
    }
  });

  test('[T300] the recorded events replay to the same state, after every command', () => {
    const run = scenario(name);
    run.steps.forEach(({ planned }, i) => {
      const rows = run.rows.slice(0, run.steps.slice(0, i + 1).filter((s) => s.planned.events.length > 0).length);
      expect(replayed(rows)).toEqual(encoded(planned.state));
    });
  });
});

describe('recorded events', () => {
  test('[T300] a command that changes nothing leaves nothing that a replay would miss', () => {
    const run = PlannedRun.started(flow([task('a'), task('b')], [go('a', 'b')]));
    const before = encoded(run.state);
    expect(run.advance(5)).toMatchObject({ events: [], effects: [], reply: { applied: false } });
    expect(encoded(run.state)).toEqual(before);
    expect(replayed(run.rows)).toEqual(encoded(run.state));
  });

  test('[T301] every type of event comes up, and is applied', () => {
    const applied = new Set<string>();
    for (const name of scenarioNames) {
      const state = emptyState();
      for (const { at, events } of scenario(name).rows) {
        state.at = at;
        for (const event of events) {
          apply(state, event);
          applied.add(event.type);
        }
      }
    }
    expect([...applied].toSorted()).toEqual(Object.keys(eventTypes).toSorted());
  });
});

const effectTypes: ReadonlySet<string> = new Set(['dispatch', 'abort', 'send', 'note', 'listen', 'charge']);

/** All of them: a missing one does not compile. */
const eventTypes: Readonly<Record<Event['type'], true>> = {
  'workflow.started': true,
  'workflow.restored': true,
  'workflow.completed': true,
  'workflow.failed': true,
  'workflow.cancelled': true,
  'workflow.timed_out': true,
  'workflow.exhausted': true,
  'workflow.suspended': true,
  'workflow.resumed': true,
  'workflow.result_set': true,
  'handle.unmatched': true,
  'control.ignored': true,
  'batch.completed': true,
  'input.queued': true,
  'input.requested': true,
  'input.resumed': true,
  'input.expired': true,
  'input_queue.joined': true,
  'input_queue.left': true,
  'event.awaited': true,
  'event.received': true,
  'credits.requested': true,
  'credits.granted': true,
  'subworkflow.suspended': true,
  'subworkflow.resumed': true,
  'workflow.paused': true,
  'workflow.unpaused': true,
  'held.taken': true,
  'workflow.held': true,
  'token.created': true,
  'token.waiting': true,
  'token.completed': true,
  'tokens.completed': true,
  'tokens.timed_out': true,
  'tokens.cancelled': true,
  'task.dispatched': true,
  'step.completed': true,
  'task.completed': true,
  'task.attempt_failed': true,
  'tasks.lost': true,
  'tasks.offered': true,
  'task.failed': true,
  'timer.fired': true,
  'fan_out.started': true,
  'fan_in.completed': true,
  'fan_in.failed': true,
  'branches.merged': true,
  'branch.ended': true,
  'branches.detached': true,
  'branch.abandoned_failed': true,
  'branch.discarded': true,
  'group.closed': true,
  'edges.settled': true,
  'edge_join.completed': true,
  'subworkflow.dispatched': true,
  'subworkflow.completed': true,
  'subworkflow.timed_out': true,
  'subworkflow.ended_late': true,
  'context.updated': true,
};
