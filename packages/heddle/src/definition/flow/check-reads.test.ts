import { describe, expect, test } from 'vitest';
import type { ParseOptions } from '../../dialects/parse.ts';
import { defaultLimits } from '../limits.ts';
import { problemsOf } from '../problems.testsuite.ts';

const workflow = (nodes: readonly (string | object)[], transitions: readonly object[] = [], more: object = {}) => ({
  id: 'w',
  initialNode: 'a',
  nodes: nodes.map((node) => (typeof node === 'string' ? { id: node } : node)),
  transitions,
  ...more,
});

const codes = ['READS_NOTHING', 'FIELD_NOT_IN_SCHEMA', 'OUTPUT_DISCARDED'];
const found = (source: object, options: Partial<ParseOptions> = {}): string[] =>
  problemsOf(source, options).filter((line) => codes.some((code) => line.includes(code)));
/** Severity, code and pointer alone. */
const brief = (source: object, options: Partial<ParseOptions> = {}): string[] =>
  found(source, options).map((line) => line.slice(0, line.indexOf(':')));

const work = (id: string, inputMapping: object = {}, outputMapping: object = {}) => ({
  id,
  action: 'work',
  inputMapping,
  outputMapping,
});
const go = (from: string, to: string, more: object = {}) => ({ from, to, ...more });
const each = (from: string, to: string) => go(from, to, { foreach: { collection: 'input.list', itemVar: 'item' } });
const join = (from: string, to: string, merge?: object) =>
  go(from, to, { synchronization: { strategy: 'all', ...(merge === undefined ? {} : { merge }) } });

describe('[DF67] fields of the input', () => {
  const inputSchema = {
    type: 'object',
    properties: { url: { type: 'string' }, options: { $ref: '#/$defs/options' }, items: { type: 'array', items: {} } },
    additionalProperties: false,
    $defs: { options: { type: ['object', 'null'], properties: { depth: {} }, additionalProperties: false } },
  };
  const reading = (x: string, schema: object = inputSchema) =>
    found(workflow([work('a', { x })], [], { inputSchema: schema }));

  test('that a closed schema lacks', () => {
    expect(reading('input.urls')).toEqual([
      'error FIELD_NOT_IN_SCHEMA /nodes/0/inputMapping/x: Expected input.urls to be in the input schema, but there is no "urls" in it (url, options, items), in the input mapping of node "a" | Did you mean "url"?',
    ]);
    expect(reading('input.options.dept + 1')).toEqual([expect.stringContaining('Expected input.options.dept to be')]);
    expect(reading('input.url.host')).toEqual([expect.stringContaining('there is no "host" in it (none)')]);
  });

  test('a read that is not always made is a warning', () => {
    expect(reading('input.url == "" ? input.uri : input.url')).toEqual([
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA \/nodes\/0\/inputMapping\/x: Expected input.uri /),
    ]);
  });

  test.each(['input', 'input.url', 'input.options.depth', 'input.items[0].anything', 'has(input.urls)', 'input.?urls'])(
    'nothing is said of %s',
    (x) => {
      expect(reading(x)).toEqual([]);
    },
  );

  test('nothing is said where a schema leaves it open', () => {
    const schemas = [
      { type: 'object', properties: { url: {} } },
      { type: 'object', patternProperties: { '^u': {} }, additionalProperties: false },
      { properties: { urls: {} }, additionalProperties: false },
      { type: 'object', additionalProperties: { type: 'string' } },
    ];
    for (const schema of schemas) expect(reading('input.urls', schema)).toEqual([]);
    expect(reading('input.urls.x', schemas[3])).toEqual([expect.stringContaining('input.urls.x')]);
  });
});

describe('[DF66] state that nothing has written', () => {
  test('at all', () => {
    expect(found(workflow(['a', 'b'], [go('a', 'b', { condition: 'state.count > 3' })]))).toEqual([
      'warning READS_NOTHING /transitions/0/condition: Expected state.count to be written before it is read, but nothing writes it, in the condition of transition "a->b" | If it may be absent, ask first: has(state.count).',
    ]);
    const misspelt = workflow(
      [work('a', {}, { 'state.score': 'result' }), work('b', { x: 'state.scor' })],
      [go('a', 'b')],
    );
    expect(found(misspelt)).toEqual([
      'warning READS_NOTHING /nodes/1/inputMapping/x: Expected state.scor to be written before it is read, but nothing writes it, in the input mapping of node "b" | Did you mean "score"?',
    ]);
  });

  test('only later, and not by itself', () => {
    const chain = (from: string, to: string) =>
      workflow([work('a', {}, { 'state.n': 'result.n' }), work('b', { n: 'state.n' })], [go(from, to)], {
        initialNode: from,
      });
    expect(brief(chain('a', 'b'))).toEqual([]);
    expect(brief(chain('b', 'a'))).toEqual(['warning READS_NOTHING /nodes/1/inputMapping/n']);
    const counted = { 'state.n': 'state.n + 1' };
    expect(brief(workflow([work('a', {}, counted)]))).toEqual(['warning READS_NOTHING /nodes/0/outputMapping/state.n']);
    expect(brief(workflow([work('a', {}, counted)], [go('a', 'a', { loop: { maxIterations: 3 } })]))).toEqual([]);
  });

  test('its own writes are there for the ways out of a node', () => {
    const node = work('a', {}, { 'state.n': 'result.n' });
    expect(brief(workflow([node, 'b'], [go('a', 'b', { condition: 'state.n > 1' })]))).toEqual([]);
    expect(brief(workflow([node, 'b'], [go('a', 'b', { foreach: { collection: 'state.n' } })]))).toEqual([]);
  });

  test('[DF69] in a branch: seen inside, gone behind the join, kept by a merge', () => {
    const merge = { source: 'state.n', target: 'state.all', strategy: 'append' };
    const reader = work('c', { n: 'state.n', all: 'state.all', item: 'item', index: '_branch.index' });
    const nodes = [
      work('a', {}, { 'state.before': 'result' }),
      work('b', { before: 'state.before', item: 'item' }, { 'state.n': 'item' }),
      reader,
    ];
    expect(brief(workflow(nodes, [each('a', 'b'), join('b', 'c', merge)]))).toEqual([
      'warning READS_NOTHING /nodes/2/inputMapping/n',
      'warning READS_NOTHING /nodes/2/inputMapping/item',
      'warning READS_NOTHING /nodes/2/inputMapping/index',
    ]);
    expect(found(workflow(nodes, [each('a', 'b'), join('b', 'c')]))).toContainEqual(
      'warning READS_NOTHING /nodes/2/inputMapping/n: Expected state.n to be written before it is read, but what writes it does not do so on a way to node "c", in the same branch or around it, in the input mapping of node "c" | What a branch writes is kept by the "merge" of its join.',
    );
    expect(brief(workflow(nodes, [each('a', 'b'), go('b', 'c')]))).toEqual([
      'warning READS_NOTHING /nodes/2/inputMapping/all',
    ]);
  });

  test('who is in no branch passes through a join, with all that it wrote', () => {
    const nodes = ['a', work('b', {}, { 'state.n': 'result' }), work('c', { n: 'state.n' }), 'd'];
    const ways = [each('a', 'd'), join('d', 'c'), go('a', 'b', { priority: 2 }), join('b', 'c')];
    expect(brief(workflow(nodes, ways))).toEqual([]);
  });

  test('inner branches see what outer ones wrote', () => {
    const nodes = [
      'a',
      work('b', {}, { 'state.n': 'item' }),
      work('c', { n: 'state.n' }),
      'd',
      work('e', { n: 'state.n' }),
    ];
    const ways = [
      each('a', 'b'),
      go('b', 'c', { spawnCount: 2, siblingGroup: 'inner' }),
      join('c', 'd'),
      join('d', 'e'),
    ];
    expect(brief(workflow(nodes, ways))).toEqual(['warning READS_NOTHING /nodes/4/inputMapping/n']);
  });

  test('what runs beside may have written it: only time can tell', () => {
    const nodes = [
      'a',
      work('b', {}, { 'state.n': 'result' }),
      { id: 'c', wait: { seconds: 60 } },
      work('d', { n: 'state.n' }),
    ];
    expect(brief(workflow(nodes, [go('a', 'b'), go('a', 'c'), go('c', 'd')]))).toEqual([]);
    expect(
      brief(workflow(nodes, [go('a', 'b', { priority: 1 }), go('a', 'c', { priority: 2 }), go('c', 'd')])),
    ).toEqual(['warning READS_NOTHING /nodes/3/inputMapping/n']);
  });

  test('slices of a batch', () => {
    const nodes = [
      work('a', {}, { 'state.list': 'result' }),
      { id: 'b', batch: { items: 'state.list', merge: { target: 'state.sums', strategy: 'append' } } },
      work('s', { list: 'state.list', at: '_batch.index' }, { 'state.sum': 'result' }),
      work('c', { sums: 'state.sums', sum: 'state.sum', at: '_batch.index' }),
    ];
    expect(brief(workflow(nodes, [go('a', 'b'), go('b', 's', { on: 'slice' }), go('b', 'c')]))).toEqual([
      'warning READS_NOTHING /nodes/3/inputMapping/sum',
      'warning READS_NOTHING /nodes/3/inputMapping/at',
    ]);
    expect(brief(workflow([{ id: 'a', batch: { items: 'input.with-dash' } }]))).toEqual([]);
    expect(brief(workflow([{ id: 'a', batch: { items: 'state.list' } }]))).toEqual([
      'warning READS_NOTHING /nodes/0/batch/items',
    ]);
  });

  test('at the end of a run', () => {
    const nodes = ['a', work('b', {}, { 'state.n': 'result', 'output.n': 'result' })];
    const outputMapping = { n: 'state.n', o: 'output.n' };
    expect(brief(workflow(nodes, [go('a', 'b')], { outputMapping }))).toEqual([]);
    expect(brief(workflow(nodes, [each('a', 'b')], { outputMapping: { ...outputMapping, i: 'item' } }))).toEqual([
      'warning READS_NOTHING /outputMapping/n',
      'warning READS_NOTHING /outputMapping/o',
      'warning READS_NOTHING /outputMapping/i',
    ]);
  });

  test("the last error is the engine's", () => {
    expect(
      brief(workflow(['a', 'b'], [go('a', 'b', { on: 'failure', condition: 'state._last_error.code == "X"' })])),
    ).toEqual([]);
  });

  test('what is below a value that is known', () => {
    const read = (value: string, x: string) =>
      brief(workflow([work('a', {}, { 'state.o': value }), work('b', { x })], [go('a', 'b')]));
    expect(read(`{'a': {'b': 1}}`, 'state.o.a.b')).toEqual([]);
    expect(read(`{'a': {'b': 1}}`, 'state.o.a.c')).toHaveLength(1);
    expect(read(`{'a': result}`, 'state.o.a.c')).toEqual([]);
    expect(read(`[{'a': 1}]`, 'state.o[3].a')).toEqual([]);
    expect(read(`[{'a': 1}]`, 'state.o[3].b')).toHaveLength(1);
    expect(read(`3`, 'state.o.a')).toHaveLength(1);
    expect(read('state.o', 'state.o.a.b')).toEqual(['warning READS_NOTHING /nodes/0/outputMapping/state.o']);
  });

  test('one that no way leads to is told of elsewhere', () => {
    expect(brief(workflow(['a', work('b', { n: 'state.n' })]))).toEqual([]);
  });
});

describe('[DF68] fields of a result', () => {
  const schemas = (name: string) =>
    name === 'work'
      ? { output: { type: 'object', properties: { score: {} }, additionalProperties: false } }
      : undefined;

  test('that the output schema of an action lacks, through state too', () => {
    const nodes = [
      work('a', {}, { 'state.s': 'result.scores', 'state.whole': 'result' }),
      work('b', { x: 'state.whole.scores', y: 'state.whole.score' }),
    ];
    expect(found(workflow(nodes, [go('a', 'b', { condition: 'result.scor > 1' })]), { schemas })).toEqual([
      'warning FIELD_NOT_IN_SCHEMA /nodes/0/outputMapping/state.s: Expected result.scores to be in a result by the output schema of action "work", but there is no "scores" in it (score), in the output mapping of node "a" | Did you mean "score"?',
      expect.stringMatching(/^warning READS_NOTHING \/nodes\/1\/inputMapping\/x: /),
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA \/transitions\/0\/condition: .*"scor"/),
    ]);
    expect(found(workflow(nodes, [go('a', 'b')]))).toEqual([]);
  });

  test('of an answer, and of nodes that have none', () => {
    const schema = { type: 'object', properties: { ok: {} }, additionalProperties: false };
    const asked = workflow([{ id: 'a', input: { schema } }, 'b'], [go('a', 'b', { condition: 'result.okay' })]);
    expect(brief(asked)).toEqual(['error FIELD_NOT_IN_SCHEMA /transitions/0/condition']);
    const idle = (node: object) => workflow([{ id: 'a', ...node }, 'b'], [go('a', 'b', { condition: 'result.x' })]);
    expect(brief(idle({}))).toEqual(['warning FIELD_NOT_IN_SCHEMA /transitions/0/condition']);
    expect(brief(idle({ wait: { seconds: 1 } }))).toEqual(['warning FIELD_NOT_IN_SCHEMA /transitions/0/condition']);
    for (const open of [{ wait: { event: 'e' } }, { workflow: 'v' }, { input: true }, { action: 'other' }])
      expect(brief(idle(open), { schemas })).toEqual([]);
  });
});

describe('[DF70] output that is discarded', () => {
  const nodes = [work('a', {}, { 'output.x': 'result.x', 'output.y.z': 'result.y' })];

  test('is told where the definition has an output mapping that leaves it out', () => {
    expect(found(workflow(nodes, [], { outputMapping: { x: 'output.x' } }))).toEqual([
      'warning OUTPUT_DISCARDED /nodes/0/outputMapping/output.y.z: Expected output.y.z of node "a" to be read, since the definition has an output mapping, but nothing reads it: it is not in the output of a run | Add it to the output mapping of the definition: "y.z": "output.y.z".',
    ]);
  });

  test('not without one, nor if anything reads it', () => {
    expect(found(workflow(nodes))).toEqual([]);
    for (const y of ['output', 'output.y', 'has(output.y.z) ? 1 : 2', 'output.?y'])
      expect(found(workflow(nodes, [], { outputMapping: { x: 'output.x', y } }))).toEqual([]);
  });
});

test('[DF73] a definition that takes too long to trace is registered without a word', () => {
  const many = Array.from({ length: 300 }, (_, i) => work(`n${i}`, { x: `state.k${i}` }));
  const source = workflow(
    ['a', ...many],
    many.map(({ id }, i) => go(i === 0 ? 'a' : `n${i - 1}`, id)),
  );
  expect(brief(source)).toHaveLength(300);
  const parsed = problemsOf(source, { limits: { ...defaultLimits, definitionAnalysisMax: 700 } });
  expect(parsed).toEqual([]);
});
