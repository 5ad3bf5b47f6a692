import { describe, expect, test } from 'vitest';
import { contentHash } from '../dialects/version.ts';
import { problemsOf } from './problems.testsuite.ts';

const definition = (summary: unknown, node: object = {}) => ({
  id: 'w',
  summary,
  inputSchema: { type: 'object', properties: { order: { type: 'string' } }, additionalProperties: false },
  initialNode: 'a',
  nodes: [
    { id: 'a', action: 'core.echo', outputMapping: { 'state.total': 'result.total' }, ...node },
    { id: 'b', action: 'core.echo', outputMapping: { 'state.late': 'result', 'output.x': 'result' } },
    { id: 'c', input: { schema: { type: 'object', properties: { ok: true }, additionalProperties: false } } },
    { id: 'd', outputMapping: { 'state.branch': '1' } },
  ],
  transitions: [
    { from: 'a', to: 'b' },
    { from: 'b', to: 'c' },
    { from: 'c', to: 'd', foreach: { collection: '[1, 2]', itemVar: 'item' }, siblingGroup: 'g' },
  ],
});

/** Without what is said of the fan-out that nobody joins. */
const problems = (summary: unknown, node?: object): string[] =>
  problemsOf(definition(summary, node)).filter((line) => !line.includes('UNJOINED') && !line.includes('DROPPED'));

describe('[DF111] a summary', () => {
  test('reads input, state and output of the run, and of a node what it gave', () => {
    const summary = "'Order ' + input.order + ': ' + string(state.total) + string(output.x)";
    expect(problems(summary, { summary: "string(result.total) + string(state.late) + input['order']" })).toEqual([]);
  });

  test.each([
    ['result', 'output'],
    ['_branch', '_branch'],
    ['_trigger', '_trigger'],
    ['item', 'item'],
  ])('reads no %s in a definition, and no %s in a node', (ofRun, ofNode) => {
    const unknown = problems(ofRun, { summary: ofNode });
    expect(unknown.map((line) => line.split(':')[0])).toEqual([
      'error EXPRESSION_UNKNOWN_NAME /summary',
      'error EXPRESSION_UNKNOWN_NAME /nodes/0/summary',
    ]);
  });

  test('that is no expression is found, where it stands', () => {
    expect(problems('state.', { summary: 7 })).toEqual([
      expect.stringMatching(/^error WRONG_TYPE \/nodes\/0\/summary: /),
      expect.stringMatching(/^error EXPRESSION_SYNTAX \/summary: .*, in the summary$/),
    ]);
  });

  test('that finds nothing is a warning: what branches write is not the state of the run', () => {
    expect(problems('state.totl', { summary: 'state.branch' })).toEqual([
      expect.stringMatching(/^warning READS_NOTHING \/nodes\/0\/summary: .* at the end of a run, .*node "a"/),
      expect.stringMatching(
        /^warning READS_NOTHING \/summary: .*nothing writes it, in the summary \| Did you mean "total"\?/,
      ),
    ]);
  });

  test('that reads what a schema lacks is reported', () => {
    const { nodes, ...rest } = definition('input.ordr');
    const asking = nodes.map((node) => (node.id === 'c' ? { ...node, summary: 'result.yes' } : node));
    expect(problemsOf({ ...rest, nodes: asking }).filter((line) => line.includes('FIELD_NOT_IN_SCHEMA'))).toEqual([
      expect.stringMatching(/^warning FIELD_NOT_IN_SCHEMA \/nodes\/2\/summary: .*"yes"/),
      expect.stringMatching(/^error FIELD_NOT_IN_SCHEMA \/summary: .*"ordr"/),
    ]);
  });

  test('makes another version', () => {
    const hashes = ["'a'", "'b'"].map((summary) =>
      contentHash({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], summary }),
    );
    expect(new Set(hashes).size).toBe(2);
  });
});
