import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../base/hash.ts';
import type { Event, EventOf } from '../core/events.ts';
import type { TimedEvent } from '../core/views/tokens.ts';
import { writeOtlp } from './otlp.ts';
import { makeTraceId, runSpanId, type Span, tokenSpanId } from './span.ts';
import { spansOf } from './spans-of.ts';

const started: EventOf<'workflow.started'> = {
  type: 'workflow.started',
  at: 1_000,
  runId: 'R',
  workflow: 'flow',
  version: 3,
  hash: '',
  input: { secret: 'planted-input' },
  rootRunId: 'R',
  parent: null,
  depth: 0,
  nodeBudget: 100,
  descendantBudget: 100,
  deadline: null,
  keyRunId: 'R',
  retryOf: null,
  tags: { tag: 'planted-tag' },
  trace: false,
  countsNodes: false,
};

const error = { code: 'BUSY', message: 'planted-message' };
const branch = [0, 0] as const;

const facts = { actionOf: (node: string) => (node === 'a' ? 'work' : null), retriedRootRunId: null };

const at = (time: number, ...events: Event[]): TimedEvent[] => events.map((event) => ({ at: time, event }));

/** A retry, a lost worker, a failure. */
const story: TimedEvent[] = [
  ...at(1_000, started, { type: 'token.created', token: 1, node: 'a', branch }),
  ...at(1_000, { type: 'task.dispatched', token: 1, attempt: 1, dispatch: 1, input: 'planted-input' }),
  ...at(1_200, { type: 'task.attempt_failed', token: 1, attempt: 1, error, retryAt: 1_700 }),
  ...at(1_700, { type: 'task.dispatched', token: 1, attempt: 2, dispatch: 2 }),
  ...at(1_800, { type: 'tasks.lost', tokens: [1] }),
  ...at(1_900, { type: 'task.dispatched', token: 1, attempt: 2, dispatch: 3 }),
  ...at(
    2_000,
    { type: 'task.completed', token: 1, output: 'planted-output' },
    { type: 'token.completed', token: 1 },
    { type: 'token.created', token: 2, node: 'b', from: 1, via: 't', branch },
    { type: 'task.failed', token: 2, error },
    { type: 'workflow.failed', at: 2_000, error },
  ),
];

const short = ({ spanId, parentSpanId, name, startAt, endAt, events, error: code }: Span) => ({
  spanId,
  parentSpanId,
  name,
  from: [startAt, endAt],
  events: events.map((event) => `${event.at} ${event.name} ${Object.values(event.attributes).join(' ')}`),
  code,
});

describe('the spans of a run', () => {
  test('[OT1][OT2][OT3] are one for the run and one for every token; attempts are events of them', () => {
    const spans = spansOf(story, facts);
    expect(spans.map(short)).toEqual([
      { spanId: runSpanId('R'), parentSpanId: null, name: 'flow', from: [1_000, 2_000], events: [], code: 'BUSY' },
      {
        spanId: tokenSpanId('R', 1),
        parentSpanId: runSpanId('R'),
        name: 'a',
        from: [1_000, 2_000],
        events: [
          '1000 task.dispatched 1 1',
          '1200 task.attempt_failed 1 BUSY 500',
          '1700 task.dispatched 2 2',
          '1800 task.lost ',
          '1900 task.dispatched 2 3',
        ],
        code: null,
      },
      {
        spanId: tokenSpanId('R', 2),
        parentSpanId: runSpanId('R'),
        name: 'b',
        from: [2_000, 2_000],
        events: [],
        code: 'BUSY',
      },
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([sha256Hex('R').slice(0, 32)]));
    expect(spans[1]?.attributes).toEqual({
      'heddle.run.id': 'R',
      'heddle.workflow.id': 'flow',
      'heddle.workflow.version': 3,
      'heddle.node.id': 'a',
      'heddle.token.id': 1,
      'heddle.token.status': 'completed',
      'heddle.action': 'work',
      'heddle.attempts': 2,
    });
    expect(spansOf(story, facts)).toEqual(spans);
  });

  test('[OT4] lie below the token that called the run, and are linked to the run that is retried', () => {
    const parent = { runId: 'P', token: 7 };
    const [span] = spansOf(at(1_000, { ...started, rootRunId: 'P', parent, retryOf: 'O' }), {
      ...facts,
      retriedRootRunId: 'ROOT',
    });
    expect([span?.traceId, span?.parentSpanId]).toEqual([makeTraceId('P'), tokenSpanId('P', 7)]);
    expect(span?.links).toEqual([{ traceId: makeTraceId('ROOT'), spanId: runSpanId('O') }]);
  });

  test('[OT6] are those of the first 10,000 tokens, and how many are left out', () => {
    const spans = spansOf(
      at(1_000, started, { type: 'token.created', token: 1, node: 'a', branch, count: 12_000 }),
      facts,
    );
    expect([spans.length, spans[0]?.attributes['heddle.spans_left_out']]).toEqual([10_001, 2_000]);
  });

  test('[OT2] have nothing in them that the run was given, wrote or answered', () => {
    expect(JSON.stringify(writeOtlp(spansOf(story, facts), {}))).not.toContain('planted');
  });

  test('are written as OTLP/JSON has it: hex ids, numbers for enumerations, texts for large numbers', () => {
    const [run, token] = spansOf(story, facts);
    const written = writeOtlp([run, token] as Span[], { 'service.name': 'x' });
    expect(written).toMatchObject({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'x' } }] },
          scopeSpans: [
            {
              scope: { name: 'heddle' },
              spans: [
                {
                  traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
                  spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
                  kind: 1,
                  startTimeUnixNano: '1000000000',
                  endTimeUnixNano: '2000000000',
                  status: { code: 2, message: 'BUSY' },
                },
                {
                  parentSpanId: run?.spanId,
                  events: expect.arrayContaining([
                    {
                      timeUnixNano: '1000000000',
                      name: 'task.dispatched',
                      attributes: [
                        { key: 'heddle.attempt', value: { intValue: '1' } },
                        { key: 'heddle.dispatch', value: { intValue: '1' } },
                      ],
                    },
                  ]) as object[],
                  status: { code: 0 },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
