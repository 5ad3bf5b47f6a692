import { expect, test } from 'vitest';
import { compileGraph } from '../dialects/compile-graph.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { defaultLimits, limitOrigin } from './limits.ts';
import { problemsOf } from './problems.testsuite.ts';

const node = (parts: object): string[] => problemsOf({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', ...parts }] });

test('[DF74] what is no definition at all', () => {
  const refused = (found: string, hint: string) => [
    `error WRONG_TYPE : Expected a workflow definition (an object), but found ${found} | ${hint}`,
  ];
  const itself = 'Hand in the definition itself, such as { id, initialNode, nodes, transitions }.';
  expect(problemsOf(undefined)).toEqual(refused('undefined', itself));
  expect(problemsOf(null)).toEqual(refused('null', itself));
  expect(problemsOf(3)).toEqual(refused('3', itself));
  expect(problemsOf([{}])).toEqual(refused('a list', 'Definitions are handed in one at a time.'));
  expect(problemsOf(' {"id":"w"}')).toEqual(
    refused('the text " {\\"id\\":\\"w\\"}"', 'It is JSON text: hand in JSON.parse(text).'),
  );
  expect(problemsOf('w.json')).toEqual(
    refused(
      'the text "w.json"',
      'Hand in what the file holds, not its name: JSON.parse(await readFile(name, "utf8")).',
    ),
  );
});

test('[DF75] of several forms all are named', () => {
  const join = (strategy: unknown) =>
    problemsOf({
      id: 'w',
      initialNode: 'a',
      nodes: [{ id: 'a' }, { id: 'b' }],
      transitions: [{ from: 'a', to: 'b', spawnCount: 2, synchronization: { strategy } }],
    });
  const expected =
    'Expected "strategy" of transition "a->b" to be "any" or "all" or a quorum {"mOfN": n} (an object), but found';
  expect(join('most')).toContainEqual(
    `error UNKNOWN_VALUE /transitions/0/synchronization/strategy: ${expected} the text "most"`,
  );
  expect(join(2)).toContainEqual(`error WRONG_TYPE /transitions/0/synchronization/strategy: ${expected} 2`);
});

test('[DF64] a wait that is told something of another kind', () => {
  const kind = (field: string, what: string, found: string) =>
    `error WRONG_TYPE /nodes/0/wait/${field}: Expected "${field}" to give ${what}, but it gives ${found}, in the wait of node "a"`;
  expect(node({ wait: { seconds: "'ten'" } })).toEqual([kind('seconds', 'a number of seconds', 'the text "ten"')]);
  expect(node({ wait: { seconds: '[1]' } })).toEqual([kind('seconds', 'a number of seconds', 'a list')]);
  expect(node({ wait: { until: "'soon'" } })).toEqual([
    kind('until', 'milliseconds since 1970 or an ISO 8601 text', 'the text "soon"'),
  ]);
  expect(node({ wait: { seconds: '2 * 60' } })).toEqual([]);
  expect(node({ wait: { until: "'2030-01-01T00:00:00Z'" } })).toEqual([]);
  expect(node({ wait: { event: 'paid', correlation: "'all'" } })).toEqual([]);
});

test('[DF64] a wait that is written as in other tools', () => {
  const number = 'Write the number of seconds, such as 600 for ten minutes.';
  for (const seconds of ['10s', '10 minutes', 'PT5M'])
    expect(node({ wait: { seconds } })).toEqual([expect.stringContaining(` | ${number}`)]);
  expect(node({ wait: 10 })).toEqual([
    'error WRONG_TYPE /nodes/0/wait: Expected "wait" of node "a" to be a wait (an object), but found 10 | Write {"seconds": 10}, {"until": "input.due"} or {"event": "payment.received"}.',
  ]);
});

test('[DF25] paths as other tools write them', () => {
  const hintOf = (x: string) => node({ action: 'score', inputMapping: { x } })[0]?.split(' | ')[1];
  const dollar = 'Write the path without the $: input.x, state.list[0].name.';
  expect(['$.input.x', '$input.x', '$.x', '$["x"]'].map(hintOf)).toEqual([dollar, dollar, dollar, dollar]);
  const braces = 'Write the path as it is, such as state.x; there is no ${…} or {{…}}.';
  expect(['{{ input.x }}', '${input.x}', '{{ $.x }}'].map(hintOf)).toEqual([braces, braces, braces]);
});

test('[DF65] a limit says where it was set', () => {
  const source = { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], limits: { tokensAliveMax: 5, nestingMax: 32 } };
  const limits = { ...defaultLimits, branchDepthMax: 8 };
  const { definition } = parseDefinition(source, { limits });
  const graph = compileGraph(definition!, { version: 1, limits });
  expect(limitOrigin('tokensAliveMax', graph)).toBe('"limits" of workflow w sets it, raise it there');
  expect(limitOrigin('nestingMax', graph)).toBe(
    'it is the default, raise it with createEngine({ limits: { nestingMax: … } })',
  );
  expect(limitOrigin('branchDepthMax', graph)).toBe(
    'the engine was made with it, raise it with createEngine({ limits: { branchDepthMax: … } })',
  );
});
