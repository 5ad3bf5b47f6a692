import { describe, expect, test } from 'vitest';
import { problemsOf } from '../../definition/problems.testsuite.ts';

const start = { id: 's', type: 'start', initialize: [{ path: 'papers' }] };
const thread = (nodes: readonly object[], connectors: readonly string[], more: object = {}) => ({
  dialect: 'thread',
  id: 'w',
  nodes,
  connectors: connectors.map((text) => {
    const [from = '', to = ''] = text.split('>');
    const [id, output] = from.split(':');
    return { from: id, to, ...(output === undefined ? {} : { output }) };
  }),
  ...more,
});
const found = (...args: Parameters<typeof thread>): string[] =>
  problemsOf(thread(...args)).filter((line) => /READS_NOTHING|FIELD_NOT_IN_SCHEMA|CALLS_ITSELF/.test(line));
const brief = (...args: Parameters<typeof thread>): string[] =>
  found(...args).map((line) => line.slice(0, line.indexOf(':')));

const code = (id: string, path: string, expression: string) => ({ id, type: 'code', path, expression });

describe('[DF88] context that nothing has written', () => {
  test('in expressions and in paths, with a remedy', () => {
    const score = { id: 'a', type: 'action', action: 'score', inputs: [{ to: 'p', from: 'paper' }] };
    expect(found([start, score, code('c', 'n', 'size(context.list)')], ['s>a', 'a>c'])).toEqual([
      'warning READS_NOTHING /nodes/1/inputs/0/from: Expected context.paper to be written before it is read, but nothing writes it, in node "a" | Did you mean "papers"?',
      'warning READS_NOTHING /nodes/2/expression: Expected context.list to be written before it is read, but nothing writes it, in node "c" | If it may be absent, ask first: has(context.list).',
    ]);
    const far = { id: 'e', type: 'end', mappings: [{ to: 'x', from: 'verdict' }] };
    expect(found([start, far], ['s>e'])).toEqual([
      expect.stringContaining('| If it may be absent, write "optional": true.'),
    ]);
  });

  test('nothing is said of what may be absent, or of what is unknown', () => {
    const optional = {
      id: 'a',
      type: 'action',
      action: 'score',
      inputs: [
        { to: 'p', from: 'paper', optional: true },
        { to: 'q', expression: 'has(context.q) ? context.q : 1' },
      ],
    };
    expect(found([start, optional], ['s>a'])).toEqual([]);
    expect(found([{ id: 's', type: 'start' }, code('c', 'n', 'context.anything')], ['s>c'])).toEqual([]);
    const merges = [
      { id: 'g', type: 'gosub', workflow: 'other' },
      { id: 'g', type: 'input' },
    ];
    for (const merge of merges) expect(found([start, merge, code('c', 'n', 'context.x')], ['s>g', 'g>c'])).toEqual([]);
  });

  test('what a node writes is there for what it does next, and for the nodes behind it', () => {
    const set = [
      { path: 'a', expression: 'context.b' },
      { path: 'b', expression: 'size(context.papers)' },
      { path: 'c', expression: 'context.b + 1' },
    ];
    const steps = { id: 'c', type: 'code', set };
    expect(brief([start, steps, code('d', 'x', 'context.a + context.c')], ['s>c', 'c>d'])).toEqual([
      'warning READS_NOTHING /nodes/1/set/0/expression',
    ]);
    const edit = { id: 'c', type: 'edit', upserts: [{ path: 'kind', value: 'review' }] };
    expect(brief([start, edit, code('d', 'x', 'context.kind')], ['s>c', 'c>d'])).toEqual([]);
    expect(brief([start, edit, code('d', 'x', 'context.kind')], ['s>d', 'd>c'])).toEqual([
      'warning READS_NOTHING /nodes/2/expression',
    ]);
    const kept = { id: 'c', type: 'action', action: 'score', outputs: [{ to: 'score', from: 'value' }] };
    expect(brief([start, kept, code('d', 'x', 'context.score')], ['s>c', 'c>d'])).toEqual([]);
    expect(brief([start, kept, code('d', 'x', 'context.output')], ['s>c', 'c>d'])).toHaveLength(1);
    const { outputs: _, ...whole } = kept;
    expect(brief([start, whole, code('d', 'x', 'context.output')], ['s>c', 'c>d'])).toEqual([]);
  });

  test('in a switch: entries that are looked at', () => {
    const entries = [
      { name: 'a', expression: 'context.x > 1' },
      { name: 'b', expression: ' ' },
      { name: 'c', expression: 'context.y > 1' },
    ];
    expect(brief([start, { id: 'd', type: 'switch', entries }, { id: 'e', type: 'end' }], ['s>d', 'd:c>e'])).toEqual([
      'warning READS_NOTHING /nodes/1/entries/0/expression',
    ]);
  });

  test('behind a fan-in only the output of its branches is there', () => {
    const nodes = [
      start,
      { id: 'f', type: 'fanOut' },
      code('a', 'n', 'size(context.papers)'),
      code('b', 'output.b', '1'),
      { id: 'm', type: 'fanIn' },
      code('c', 'x', 'context.output.b + context.n'),
    ];
    expect(found(nodes, ['s>f', 'f:1>a', 'f:2>b', 'a>m', 'b>m', 'm>c'])).toEqual([
      'warning READS_NOTHING /nodes/5/expression: Expected context.n to be written before it is read, but what writes it does not do so on a way to node "c", in the same branch or around it, in node "c" | Of what a branch writes only "output" is kept by its fan-in.',
    ]);
  });

  test('slices of a batch, and what follows them', () => {
    const batch = { id: 'b', type: 'batch', items: 'papers' };
    const slice = code('p', 'n', 'size(context.papers)');
    const after = code('c', 'x', 'context.output.sum + context.n');
    expect(brief([start, batch, slice, after], ['s>b', 'b:process>p', 'b:continue>c'])).toEqual([
      'warning READS_NOTHING /nodes/3/expression',
    ]);
    const astray = { ...batch, items: 'paper' };
    expect(brief([start, astray, slice], ['s>b', 'b:process>p'])).toEqual(['warning READS_NOTHING /nodes/1/items']);
    expect(brief([start, astray], ['s>b'])).toEqual([]);
  });
});

describe('[DF88] what is asked of the input and of gosubs', () => {
  const inputSchema = { type: 'object', properties: { papers: {} }, additionalProperties: false };

  test('an entry of the start that a closed input schema lacks', () => {
    const entries = (...initialize: object[]) => [{ id: 's', type: 'start', initialize }];
    expect(found(entries({ path: 'papers' }, { path: 'paper' }), [], { inputSchema })).toEqual([
      'error FIELD_NOT_IN_SCHEMA /nodes/0/initialize/1/path: Expected input.paper to be in the input schema, but there is no "paper" in it (papers), in node "s" | Did you mean "papers"?',
    ]);
    expect(found(entries({ path: 'paper', optional: true }, { path: 'n', default: 1 }), [], { inputSchema })).toEqual(
      [],
    );
  });

  test('the context is the input where the start does not say otherwise', () => {
    const whole = [{ id: 's', type: 'start' }, code('c', 'n', 'context.papers + context.paper')];
    expect(found(whole, ['s>c'], { inputSchema })).toEqual([
      'warning READS_NOTHING /nodes/1/expression: Expected context.paper to be written before it is read, but nothing writes it, in node "c" | Did you mean "papers"?',
    ]);
  });

  test('inputs and outputs of a gosub', () => {
    const gosub = {
      id: 'g',
      type: 'gosub',
      workflow: 'v',
      inputs: [{ to: 'x', from: 'scores' }],
      outputs: [{ to: 'ids', expression: 'context.seen + result.ids' }],
    };
    expect(brief([start, gosub, code('c', 'n', 'context.ids')], ['s>g', 'g>c'])).toEqual([
      'warning READS_NOTHING /nodes/1/inputs/0/from',
      'warning READS_NOTHING /nodes/1/outputs/0/expression',
    ]);
  });

  test('[DF61] a workflow that always calls itself', () => {
    const gosub = { id: 'g', type: 'gosub', workflow: 'w' };
    expect(brief([start, gosub], ['s>g'])).toEqual(['warning CALLS_ITSELF /nodes/1/workflow']);
    const entries = [{ name: 'again', expression: 'size(context.papers) > 0' }, { name: 'done' }];
    const decided = [start, { id: 'd', type: 'switch', entries }, gosub, { id: 'e', type: 'end' }];
    expect(brief(decided, ['s>d', 'd:again>g', 'd:done>e'])).toEqual([]);
  });
});
