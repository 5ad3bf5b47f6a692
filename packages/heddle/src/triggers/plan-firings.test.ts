import { describe, expect, test } from 'vitest';
import { atOnce } from '../actor/slices.ts';
import type { Json } from '../base/json.ts';
import { defaultLimits } from '../definition/limits.ts';
import { depthOf } from './depth.ts';
import { finishedOccasion, manualOccasion, scheduleOccasion } from './occasions.ts';
import { type Occasion, planFirings } from './plan-firings.ts';
import type { Trigger } from './trigger.ts';
import { newYear, onPaid, paid, trigger } from './triggers.testsuite.ts';

const plan = (triggers: readonly Trigger[], occasion: Occasion, limits = {}) =>
  atOnce(planFirings(triggers, occasion, { ...defaultLimits, ...limits }));

/** What fires, why the rest does not, and what somebody is told. */
function outcome(triggers: readonly Trigger[], occasion: Occasion, limits = {}) {
  const { firings, skipped, faults } = plan(triggers, occasion, limits);
  return {
    fires: firings.map((firing) => firing.trigger),
    skips: skipped.map((skip) => `${skip.trigger} ${skip.code}`),
    told: faults.map(({ error }) => error.code),
  };
}

const firedAt = '2030-01-01T00:00:00.000Z';

describe('what a run is told', () => {
  test('[TR12] [TR13] by an event', () => {
    expect(plan([onPaid('t', 'w')], paid({ n: 1 }))).toEqual({
      firings: [
        {
          trigger: 't',
          workflow: 'w',
          key: 'trigger/t/e1',
          info: { type: 'event', depth: 1, firedAt, triggerId: 't', event: 'paid', eventId: 'e1' },
        },
      ],
      skipped: [],
      faults: [],
    });
  });

  test('[TR12] by an event of a run', () => {
    expect(plan([onPaid('t', 'w')], paid({}, 1)).firings[0]?.info).toEqual({
      type: 'event',
      depth: 2,
      firedAt,
      triggerId: 't',
      event: 'paid',
      eventId: 'e1',
      sourceRunId: 'r1',
    });
  });

  test('[TR12] [TR13] by a time', () => {
    const nightly = trigger({ id: 'nightly', type: 'schedule', cron: '0 2 * * *', workflow: 'w' });
    const [firing] = plan([nightly], scheduleOccasion(newYear + 7_200_000, newYear + 7_200_500)).firings;
    expect(firing).toEqual({
      trigger: 'nightly',
      workflow: 'w',
      key: 'trigger/nightly/2030-01-01T02:00:00.000Z',
      info: {
        type: 'schedule',
        depth: 1,
        firedAt: '2030-01-01T02:00:00.500Z',
        triggerId: 'nightly',
        scheduledFor: '2030-01-01T02:00:00.000Z',
      },
    });
  });

  test('[TR12] [TR13] by the end of a run', () => {
    const after = trigger({
      id: 'after',
      type: 'workflow_finished',
      source: 'a',
      workflow: 'b',
      filter: 'event.payload.output.ok',
    });
    const message = {
      type: 'finished',
      runId: 'r1',
      workflow: 'a',
      status: 'completed',
      output: { ok: true },
    } as const;
    const occasion = finishedOccasion({ ...message, trigger: { depth: 1 } }, newYear);
    expect(occasion.payload).toEqual({ runId: 'r1', workflow: 'a', status: 'completed', output: { ok: true } });
    expect(plan([after], occasion).firings).toEqual([
      {
        trigger: 'after',
        workflow: 'b',
        key: 'trigger/after/r1',
        info: { type: 'workflow_finished', depth: 2, firedAt, triggerId: 'after', sourceRunId: 'r1' },
      },
    ]);
  });

  test('[TR12] by hand, with tags and who pays', () => {
    const manual = trigger({ id: 'm', type: 'manual', workflow: 'w', organization: 'acme', tags: { by: 'hand' } });
    expect(plan([manual], manualOccasion('once', { n: 1 }, newYear)).firings).toEqual([
      {
        trigger: 'm',
        workflow: 'w',
        key: 'trigger/m/once',
        info: { type: 'manual', depth: 1, firedAt, triggerId: 'm' },
        organization: 'acme',
        tags: { by: 'hand' },
      },
    ]);
  });
});

describe('depth', () => {
  test.each<[number, Json, number]>([
    [0, {}, 0],
    [2, {}, 2],
    [1, { _trigger: { depth: 2 } }, 2],
    [2, { _trigger: { depth: 1 } }, 2],
    [1, { _trigger: { depth: -5 } }, 1],
    [1, { _trigger: { depth: '9' } }, 1],
    [1, { _trigger: null }, 1],
    [1, [1], 1],
    [1, null, 1],
  ])('[TR10] the engine says %j, the payload %j: %j', (engine, payload, expected) => {
    expect(depthOf(engine, payload)).toBe(expected);
  });

  test.each([
    [2, { fires: ['t'], skips: [], told: [] }],
    [3, { fires: [], skips: ['t TOO_DEEP'], told: ['TRIGGER_TOO_DEEP'] }],
    [4, { fires: [], skips: ['t TOO_DEEP'], told: ['TRIGGER_TOO_DEEP'] }],
  ])('[TR11] [T281][T282][T283] at depth %j', (depth, expected) => {
    expect(outcome([onPaid('t', 'w')], paid({}, depth))).toEqual(expected);
    expect(outcome([onPaid('t', 'w')], paid({ _trigger: { depth } }))).toEqual(expected);
  });

  test('[TR11] the limit can be set, and its name is in the reason', () => {
    const { skipped, faults } = plan([onPaid('t', 'w')], paid({}, 1), { triggerDepthMax: 1 });
    expect(skipped.map(({ reason }) => reason)).toEqual([
      'Expected trigger t to fire at a depth below 1 (limit triggerDepthMax), but it is 1: workflows start each other',
    ]);
    expect(faults.map(({ error }) => error.limit)).toEqual(['triggerDepthMax']);
  });
});

describe('one of a workflow', () => {
  test('[TR14] [X27] the first that matches fires', () => {
    const triggers = [
      onPaid('a', 'w', { filter: 'event.payload.n > 5' }),
      onPaid('b', 'w'),
      onPaid('c', 'w'),
      onPaid('d', 'v'),
    ];
    expect(outcome(triggers, paid({ n: 1 }))).toEqual({
      fires: ['b', 'd'],
      skips: ['a FILTER_FALSE', 'c ALREADY_FIRED'],
      told: [],
    });
    expect(outcome(triggers, paid({ n: 9 }))).toEqual({
      fires: ['a', 'd'],
      skips: ['b ALREADY_FIRED', 'c ALREADY_FIRED'],
      told: [],
    });
  });

  test('[TR14] one that could not make its input has not fired', () => {
    const triggers = [onPaid('a', 'w', { input: { n: '1 / event.payload.zero' } }), onPaid('b', 'w')];
    expect(outcome(triggers, paid({ zero: 0 }))).toEqual({
      fires: ['b'],
      skips: ['a INPUT_FAILED'],
      told: ['TRIGGER_INPUT_FAILED'],
    });
  });
});

describe('filters', () => {
  test.each<[string, Json, string[]]>([
    ['event.payload.n > 1', { n: 2 }, []],
    ["event.name == 'paid' && event.correlation == 'o1' && event.id == 'e1'", {}, []],
    ['has(event.payload.n) && event.payload.n > 1', {}, []],
    ['event.payload.n > 1', {}, ['TRIGGER_FILTER_FAILED']],
    ['event.payload.n', { n: 1 }, ['TRIGGER_FILTER_FAILED']],
    ['1 / event.payload.n > 0', { n: 0 }, ['TRIGGER_FILTER_FAILED']],
  ])('[TR15] %s over %j', (filter, payload, told) => {
    const found = outcome([onPaid('t', 'w', { filter })], paid(payload));
    expect(found.told).toEqual(told);
    if (told.length > 0) expect(found).toMatchObject({ fires: [], skips: ['t FILTER_FAILED'] });
  });

  test.each<[Json, Json, string[]]>([
    [{ field: 'event.payload.n', op: '>', value: 1 }, { n: 2 }, []],
    [{ field: 'event.payload.n', op: '>', value: 1 }, { n: 1 }, ['t FILTER_FALSE']],
    [{ field: 'event.payload.n', op: '>', value: 1 }, {}, ['t FILTER_FALSE']],
    [{ not: { field: 'event.name', op: '==', value: 'paid' } }, {}, ['t FILTER_FALSE']],
  ])('[TR15] as data: %j over %j', (filter, payload, skips) => {
    expect(outcome([onPaid('t', 'w', { filter })], paid(payload))).toMatchObject({ skips, told: [] });
  });

  test('[TR15] the reason says what was wrong', () => {
    const { skipped } = plan([onPaid('t', 'w', { filter: 'event.payload.n' })], paid({ n: 3 }));
    expect(skipped).toEqual([
      {
        trigger: 't',
        workflow: 'w',
        code: 'FILTER_FAILED',
        reason: 'Expected the filter of trigger t to be true or false, but it gave 3',
      },
    ]);
  });
});

describe('what triggers may take', () => {
  const pairs = 'event.payload.l.map(x, event.payload.l.map(y, x + y))';
  const l = Array.from({ length: 40 }, (_, index) => index);
  const limits = { commandCostMax: 20_000 };

  test('[TR25] filter and input are counted together; one that takes too much does not fire, and the others do', () => {
    const inputs = (count: number) => Object.fromEntries(l.slice(0, count).map((index) => [`k${index}`, pairs]));
    const triggers = [
      onPaid('few', 'u', { filter: `size(${pairs}) > 0`, input: inputs(1) }),
      onPaid('many', 'v', { filter: `size(${pairs}) > 0`, input: inputs(10) }),
      onPaid('slow', 'w', { filter: Array.from({ length: 10 }, () => `size(${pairs}) > 0`).join(' && ') }),
    ];
    expect(outcome(triggers, paid({ l }), limits)).toEqual({
      fires: ['few'],
      skips: ['many INPUT_FAILED', 'slow FILTER_FAILED'],
      told: ['TRIGGER_INPUT_FAILED', 'TRIGGER_FILTER_FAILED'],
    });
    for (const { error } of plan(triggers, paid({ l }), limits).faults)
      expect([error.limit, error.message]).toEqual(['commandCostMax', expect.stringContaining('at most 20000 steps')]);
  });

  test('[TR26] the inputs of one occasion are bounded together; a payload as it is counts for nobody', () => {
    const copy = { input: { text: 'event.payload.text' } };
    const triggers = [onPaid('a', 'u', copy), onPaid('b', 'v', copy), onPaid('c', 'w', copy), onPaid('d', 'x')];
    expect(outcome(triggers, paid({ text: 'x'.repeat(100) }), { commandBytesMax: 250 })).toEqual({
      fires: ['a', 'b', 'd'],
      skips: ['c INPUT_FAILED'],
      told: ['TRIGGER_INPUT_FAILED'],
    });
  });

  test('[TR25] each says what it took, so that many are looked at in slices', () => {
    const triggers = [onPaid('a', 'v', { filter: `size(${pairs}) > 0` }), onPaid('b', 'w')];
    const steps = [...planFirings(triggers, paid({ l }), defaultLimits)];
    expect(steps).toEqual([expect.any(Number), 100]);
    expect(steps[0]).toBeGreaterThan(1_600);
  });
});

describe('input', () => {
  const inputOf = (input: object, payload: Json) =>
    plan([onPaid('t', 'w', { input })], paid(payload)).firings[0]?.input;

  test('[TR16] what the mapping makes; a missing source writes nothing', () => {
    const input = { 'order.id': 'event.correlation', amount: 'event.payload.amount', note: 'event.payload.note' };
    expect(inputOf(input, { amount: 3 })).toEqual({ order: { id: 'o1' }, amount: 3 });
    expect(inputOf({}, { amount: 3 })).toEqual({});
  });

  test('[TR16] without a mapping the payload as it is, which is not kept twice', () => {
    expect(plan([onPaid('t', 'w')], paid([1, 2])).firings).toEqual([
      expect.not.objectContaining({ input: expect.anything() }),
    ]);
  });

  test('[TR16] one that is too large does not fire', () => {
    const large = onPaid('t', 'w', { input: { text: 'event.payload.text + event.payload.text' } });
    expect(outcome([large], paid({ text: 'x'.repeat(30) }), { payloadBytesMax: 50 })).toEqual({
      fires: [],
      skips: ['t INPUT_FAILED'],
      told: ['TRIGGER_INPUT_FAILED'],
    });
  });
});
