import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from './planning.testsuite.ts';

describe('mappings', () => {
  test('[MP1] a target whose source is missing is not written', () => {
    const trial = new Trial(
      flow([
        task('a', {
          inputMapping: { x: 'input.x', y: 'input.absent' },
          outputMapping: { 'state.p': 'result.p', 'state.q': 'result.q.r' },
        }),
      ]),
      { input: { x: 1 } },
    );
    expect(trial.of('task.dispatched')).toMatchObject([{ input: { x: 1 } }]);
    trial.complete(1, { p: null });
    expect(trial.of('context.updated')).toEqual([
      { type: 'context.updated', branch: [0, 0], writes: [['state.p', null]] },
    ]);
  });

  test('[MP2] a source that cannot be evaluated fails the mapping, and names target and expression', () => {
    const trial = new Trial(flow([task('a', { inputMapping: { x: "input.n + {'a': 1}" } })]), { input: { n: 1 } });
    expect(trial.error).toMatchObject({
      code: 'MAPPING_FAILED',
      nodeId: 'a',
      attempts: 1,
      details: { target: 'x', expression: "input.n + {'a': 1}", cause: 'EXPRESSION_FAILED' },
    });
    expect(trial.of('task.dispatched')).toEqual([]);
  });

  test('[MP3] an input mapping makes an object of its own, with the objects between; none makes an empty one', () => {
    const trial = new Trial(
      flow(
        [task('a', { inputMapping: { 'p.q.r': 'input.n', 'p.s': "'t'", u: '[input.n]' } }), task('b')],
        [{ from: 'a', to: 'b' }],
      ),
      { input: { n: 1 } },
    );
    expect(trial.of('task.dispatched')).toMatchObject([{ input: { p: { q: { r: 1 }, s: 't' }, u: [1] } }]);
    trial.complete(1);
    expect(trial.of('task.dispatched')).toMatchObject([{ input: {} }]);
  });

  test('[MP3] writing a nested path creates the objects between, and keeps what stands beside', () => {
    const trial = new Trial(
      flow([
        task('a', { outputMapping: { 'state.p.q': 'result.q', 'state.p.r.s': 'result.s', 'output.t': 'result.s' } }),
      ]),
    );
    trial.complete(1, { q: 1, s: 2 });
    expect(trial.context).toEqual({ state: { p: { q: 1, r: { s: 2 } } }, output: { t: 2 } });
  });

  test('[MP4] what is written to the state must fit its schema, key by key', () => {
    const typed = flow([task('a', { outputMapping: { 'state.n': 'result.n', 'state.o.p': 'result.p' } })], [], {
      stateSchema: {
        type: 'object',
        required: ['never'],
        properties: { n: { type: 'number' }, o: { type: 'object', properties: { p: { type: 'string' } } } },
      },
    });
    const fits = new Trial(typed);
    fits.complete(1, { n: 1, p: 'x' });
    expect(fits.state.outcome).toBe('completed');
    const wrong = new Trial(typed);
    wrong.complete(1, { n: 1, p: 2 });
    expect(wrong.error).toMatchObject({ code: 'STATE_INVALID', nodeId: 'a' });
    expect(wrong.error?.message).toContain('state.o.p');
    expect(wrong.of('context.updated')).toEqual([]);
  });

  test('[MP5] a value of an expression is bounded, and the error names the limit', () => {
    const trial = new Trial(flow([task('a', { inputMapping: { all: '[input.text, input.text]' } })]), {
      input: { text: 'x'.repeat(60) },
      limits: { payloadBytesMax: 100 },
    });
    expect(trial.error).toMatchObject({ code: 'LIMIT_EXCEEDED', nodeId: 'a' });
    expect(trial.error?.message).toContain('payloadBytesMax');
  });
});
