import { describe, expect, test } from 'vitest';
import type { ParseOptions } from '../../dialects/parse.ts';
import { problemsOf } from '../problems.testsuite.ts';

const input = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    depth: { type: 'integer', minimum: 1 },
    mode: { enum: ['fast', 'deep'] },
    options: { $ref: '#/$defs/options' },
  },
  required: ['url'],
  additionalProperties: false,
  $defs: {
    options: {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    },
  },
};
const output = { type: 'object', properties: { score: {} }, additionalProperties: false };
const known = (name: string) => (name === 'fetch' ? { input, output } : undefined);
const options: Partial<ParseOptions> = { schemas: known, workflows: ({ id }) => known(id) };

const found = (source: object): string[] =>
  problemsOf(source, options).filter((line) => /FIELD_NOT_IN_SCHEMA|INPUT_MISSING|INPUT_WRONG_KIND/.test(line));
const mapping = (inputMapping: object | undefined, work: object = { action: 'fetch' }) =>
  found({
    id: 'w',
    initialNode: 'a',
    nodes: [{ id: 'a', ...work, ...(inputMapping === undefined ? {} : { inputMapping }) }],
  });

describe('the input of an action whose input schema is known', () => {
  test('[DF89] has no field that a closed schema lacks', () => {
    expect(mapping({ url: 'input.url', detph: 'input.n' })).toEqual([
      'warning FIELD_NOT_IN_SCHEMA /nodes/0/inputMapping/detph: Expected "detph" to be in the input schema of action "fetch", but there is no "detph" in it (url, depth, mode, options), in the input mapping of node "a" | Did you mean "depth"?',
    ]);
    expect(mapping({ url: 'input.url', 'options.tag': 'input.tag' })).toEqual([
      expect.stringContaining('there is no "tag" in it (tags)'),
    ]);
  });

  test('[DF90] has the fields that the schema requires', () => {
    expect(mapping({ depth: 'input.n' })).toEqual([
      'warning INPUT_MISSING /nodes/0/inputMapping: Expected "url" in the input mapping of node "a", since the input schema of action "fetch" requires it, but nothing is mapped to it | Add it to the mapping: "url": "<expression>".',
    ]);
    expect(mapping(undefined)).toEqual([expect.stringMatching(/^warning INPUT_MISSING \/nodes\/0: /)]);
    expect(mapping({ url: 'input.maybe' })).toEqual([]);
  });

  test('[DF91] has fields of the right kind where they are written out', () => {
    expect(mapping({ url: '5' })).toEqual([
      'warning INPUT_WRONG_KIND /nodes/0/inputMapping/url: Expected /url to be of type string, but found 5, by the input schema of action "fetch", in the input mapping of node "a"',
    ]);
    const wrong = { url: '"x"', depth: '0', mode: "'fats'", options: "{'tags': ['a', 1]}" };
    expect(mapping(wrong).map((line) => line.slice(0, line.indexOf(':')))).toEqual(
      ['depth', 'mode', 'options'].map((key) => `warning INPUT_WRONG_KIND /nodes/0/inputMapping/${key}`),
    );
    const right = { url: 'input.url', depth: '3', mode: "'deep'", options: "{'tags': ['a', input.tag]}" };
    expect(mapping(right)).toEqual([]);
  });

  test('nothing is said where nothing is known', () => {
    expect(mapping({ x: '1' }, { action: 'other' })).toEqual([]);
    expect(mapping({ x: '1' }, { workflow: 'other' })).toEqual([]);
    expect(mapping(undefined, { wait: { seconds: 1 } })).toEqual([]);
  });
});

describe('[DF92] a workflow that is called', () => {
  test('gets the input that it takes', () => {
    expect(mapping({ url: '1', x: 'input.x' }, { workflow: 'fetch' })).toEqual([
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA .* the input schema of workflow "fetch"/),
      expect.stringMatching(/^warning INPUT_WRONG_KIND /),
    ]);
  });

  test('has a result as its output schema says', () => {
    const calling = (workflow: object | string) =>
      mapping({ url: "'x'" }, { workflow, outputMapping: { 'state.s': 'result.scores' } });
    expect(calling('fetch')).toEqual([
      'warning FIELD_NOT_IN_SCHEMA /nodes/0/outputMapping/state.s: Expected result.scores to be in a result by the output schema of workflow "fetch", but there is no "scores" in it (score), in the output mapping of node "a" | Did you mean "score"?',
    ]);
    expect(calling({ id: 'fetch', onFailure: 'catch' })).toEqual([]);
  });
});

describe('in the thread dialect', () => {
  const thread = (node: object) =>
    found({
      dialect: 'thread',
      id: 'w',
      nodes: [
        { id: 's', type: 'start' },
        { id: 'a', ...node },
      ],
      connectors: [{ from: 's', to: 'a' }],
    });

  test.each([
    { type: 'action', action: 'fetch' },
    { type: 'gosub', workflow: 'fetch' },
  ])('[DF89][DF90][DF91] inputs and outputs of $type', (work) => {
    expect(
      thread({
        ...work,
        inputs: [
          { to: 'depth', value: 'x' },
          { to: 'n', from: 'n' },
        ],
      }),
    ).toEqual([
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA \/nodes\/1\/inputs\/1\/to: /),
      expect.stringMatching(/^warning INPUT_MISSING \/nodes\/1\/inputs: Expected "url" in the inputs of node "a"/),
      expect.stringMatching(/^warning INPUT_WRONG_KIND \/nodes\/1\/inputs\/0\/to: /),
    ]);
    expect(thread({ ...work, outputs: [{ to: 'x', from: 'scores' }] })).toEqual([
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA \/nodes\/1\/outputs\/0\/from: /),
    ]);
  });
});
