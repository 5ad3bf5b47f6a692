import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../definition/limits.ts';
import { parseTrigger } from './parse-trigger.ts';

const parse = (source: unknown) => parseTrigger(source, { limits: defaultLimits });

const problemsOf = (source: unknown): string[] =>
  parse(source).problems.map(({ code, pointer }) => `${code} ${pointer}`);

const event = { id: 't', type: 'event', event: 'paid', workflow: 'w' };
const schedule = { id: 't', type: 'schedule', cron: '0 2 * * *', workflow: 'w' };

describe('a trigger', () => {
  test.each([
    [event],
    [{ ...event, correlation: 'o1', filter: 'event.payload.n > 1', input: { 'a.b': 'event.payload' }, meta: { x: 1 } }],
    [{ ...event, filter: { and: [{ field: 'event.payload.n', op: '>', value: 1 }] } }],
    [{ ...event, filter: 'true' }],
    [{ ...schedule, timeZone: 'Europe/Berlin', overlap: 'queue', catchUp: 0 }],
    [{ id: 't', type: 'workflow_finished', source: 'a', workflow: 'b', statuses: ['failed', 'timed_out'] }],
    [{ id: 'manual.one', type: 'manual', workflow: 'w', organization: 'acme', tags: { a: 'b' } }],
  ])('%j is read as it is', (source) => {
    expect(parse(source)).toEqual({ problems: [], definition: source, enabled: null });
  });

  test('other spellings are read, and being switched off is no part of it', () => {
    const source = { id: 't', type: 'workflowFinished', source: 'a', workflow_id: 'b', enabled: false };
    const definition = { id: 't', type: 'workflow_finished', source: 'a', workflow: 'b' };
    expect(parse(source)).toEqual({ problems: [], definition, enabled: false });
  });

  test('[TR1] every problem at once, each with its place', () => {
    const source = {
      id: '1',
      type: 'schedule',
      workflow: 'not a name',
      cron: '61 * * * *',
      overlap: 'wait',
      catchUp: 1_001,
      event: 'paid',
      input: { 'a..b': '1 +', c: 'state.n' },
      tags: { a: 1 },
    };
    expect(problemsOf(source)).toEqual([
      'INVALID_NAME /id',
      'INVALID_NAME /workflow',
      'UNKNOWN_VALUE /overlap',
      'LIMIT_EXCEEDED /catchUp',
      'UNKNOWN_FIELD /event',
      'WRONG_TYPE /tags/a',
      'INVALID_TARGET /input/a..b',
      'EXPRESSION_SYNTAX /input/a..b',
      'EXPRESSION_UNKNOWN_NAME /input/c',
      'INVALID_CRON /cron',
    ]);
    expect(parse(source).definition).toBeNull();
  });

  test.each([
    ['no object', 7, ['WRONG_TYPE ']],
    ['no JSON', { ...event, meta: () => 1 }, ['NOT_JSON /meta']],
    ['no type', { id: 't', workflow: 'w' }, ['MISSING_FIELD ']],
    ['an unknown type', { ...event, type: 'evnt' }, ['UNKNOWN_VALUE /type']],
    ['nothing that its type needs', { id: 't', type: 'event' }, ['MISSING_FIELD ', 'MISSING_FIELD ']],
    [
      'no status',
      { id: 't', type: 'workflow_finished', source: 'a', workflow: 'b', statuses: [] },
      ['OUT_OF_RANGE /statuses'],
    ],
  ])('[TR1] %s', (_, source, expected) => {
    expect(problemsOf(source)).toEqual(expected);
  });

  test.each([
    ['filter', { ...event, filter: 'input.n > 1' }, ['EXPRESSION_UNKNOWN_NAME /filter']],
    [
      'filter as data',
      { ...event, filter: { field: 'payload.n', op: '==', value: 1 } },
      ['EXPRESSION_UNKNOWN_NAME /filter'],
    ],
    ['input', { ...event, input: { n: '_trigger.depth' } }, ['EXPRESSION_UNKNOWN_NAME /input/n']],
  ])('[TR2] the %s reads event alone', (_, source, expected) => {
    expect(problemsOf(source)).toEqual(expected);
  });

  test.each<[unknown, string]>([
    [{ or: [{ field: 'event.id', op: 'like', value: 1 }] }, 'INVALID_CONDITION /filter/or/0/op'],
    [{ field: 'event.id' }, 'INVALID_CONDITION /filter'],
    [7, 'WRONG_TYPE /filter'],
    ["{'field': 'event.id', 'op': 'exists'}", 'INVALID_CONDITION /filter'],
    ["'yes'", 'INVALID_CONDITION /filter'],
    ['[]', 'INVALID_CONDITION /filter'],
    ['size([1, 2])', 'INVALID_CONDITION /filter'],
  ])('[TR2] a filter that can be neither true nor false: %j', (filter, expected) => {
    expect(problemsOf({ ...event, filter })).toEqual([expected]);
  });

  test.each([
    [{ ...event, filter: '1 < payload.x.y' }, 'Write event.payload.x.y.'],
    [{ ...event, input: { n: 'payload' } }, 'Write event.payload.'],
    [{ ...event, filter: 'payload.items[0] > 1' }, 'Write event.payload.items.'],
    [{ ...event, filter: 'state.x' }, undefined],
    [{ ...event, filter: '{"a": 1' }, 'A { is not closed; write } where it ends.'],
    [{ ...event, filter: 7 }, undefined],
  ])('the hint for %j: %j', (source, hint) => {
    expect(parse(source).problems.map((problem) => problem.hint)).toEqual([hint]);
  });

  test('[TR3] a pattern that never comes due is refused, and so is a time zone that does not exist', () => {
    expect(problemsOf({ ...schedule, cron: '0 0 30 2 *' })).toEqual(['INVALID_CRON /cron']);
    expect(problemsOf({ ...schedule, time_zone: 'Europe/Atlantis' })).toEqual(['UNKNOWN_TIME_ZONE /time_zone']);
  });
});
