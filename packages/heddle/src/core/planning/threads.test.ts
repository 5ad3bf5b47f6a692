import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { ThreadNode } from '../../dialects/thread/thread.ts';
import { Trial } from './planning.testsuite.ts';

type Way = readonly [from: string, to: string, output?: string];

function run(nodes: readonly ThreadNode[], ways: readonly Way[], input: Json = {}): Trial {
  const connectors = ways.map(([from, to, output]) => ({ from, to, ...(output === undefined ? {} : { output }) }));
  return new Trial(
    { dialect: 'thread', id: 'w', nodes: [{ id: 'start', type: 'start' }, ...nodes], connectors },
    { input },
  );
}

const action = (id: string): ThreadNode => ({ id, type: 'action', action: id, outputs: [{ to: 'output', from: 'v' }] });
const set = (id: string, path: string, value: Json): ThreadNode => ({ id, type: 'edit', upserts: [{ path, value }] });

describe('threads', () => {
  test('[TH1] a fan-in that no fan-out leads to fails the run', () => {
    const trial = run([{ id: 'j', type: 'fanIn' }], [['start', 'j']]);
    expect(trial.error).toEqual({
      code: 'FAN_IN_WITHOUT_FAN_OUT',
      message: 'Expected a thread at fan-in j to come from a fan-out, but it comes from none',
      nodeId: 'j',
    });
  });

  test('[TH1][BA5] nor can a slice of a batch come to one that is outside', () => {
    const trial = run(
      [
        { id: 'f', type: 'fanOut' },
        { id: 'b', type: 'batch', items: 'list' },
        { id: 'j', type: 'fanIn' },
      ],
      [
        ['start', 'f'],
        ['f', 'b', 'x'],
        ['b', 'j', 'process'],
      ],
      { list: [1] },
    );
    expect(trial.error).toMatchObject({ code: 'FAN_IN_WITHOUT_FAN_OUT' });
  });

  const split = (...more: readonly Way[]) =>
    run(
      [
        set('before', 'kept', 1),
        { id: 'f', type: 'fanOut' },
        action('a'),
        action('b'),
        set('a2', 'by', 'a'),
        set('b2', 'by', 'b'),
        { id: 'end', type: 'end', mappings: [{ to: 'ended', from: 'by' }] },
      ],
      [['start', 'before'], ['before', 'f'], ['f', 'a', 'x'], ['f', 'b', 'y'], ['a', 'a2'], ['b', 'b2'], ...more],
    );

  test.each([
    [['a', 'b'], { kept: 1, output: 2, by: 'b' }],
    [['b', 'a'], { kept: 1, output: 1, by: 'a' }],
  ])('[TH2] without a fan-in the branch that ends last counts: %j', (order, context) => {
    const trial = split();
    const tokens = { a: 4, b: 5 };
    for (const node of order) trial.complete(tokens[node as 'a' | 'b'], { v: node === 'a' ? 1 : 2 });
    expect([trial.state.outcome, trial.state.output]).toEqual(['completed', context]);
  });

  test('[TH2][ED5] a result that an end made stays, whoever ends last', () => {
    const trial = split(['a2', 'end']);
    trial.complete(4, { v: 1 });
    trial.complete(5, { v: 2 });
    expect(trial.state.output).toEqual({ ended: 'a' });
  });

  test('[MG10][MG12] what was there before is counted once, through merges inside merges', () => {
    const inner = (name: string): [ThreadNode[], Way[]] => [
      [
        { id: name, type: 'fanOut' },
        set(`${name}1`, `output.${name}`, 1),
        set(`${name}2`, `output.${name}`, 2),
        { id: `${name}j`, type: 'fanIn' },
      ],
      [
        ['f', name, name],
        [name, `${name}1`, 'x'],
        [name, `${name}2`, 'y'],
        [`${name}1`, `${name}j`],
        [`${name}2`, `${name}j`],
        [`${name}j`, 'j'],
      ],
    ];
    const [left, leftWays] = inner('l');
    const [right, rightWays] = inner('r');
    const trial = run(
      [set('before', 'output.before', 0), { id: 'f', type: 'fanOut' }, ...left, ...right, { id: 'j', type: 'fanIn' }],
      [['start', 'before'], ['before', 'f'], ...leftWays, ...rightWays],
    );
    expect(trial.state.output).toEqual({ output: { before: 0, l: [1, 2], r: [1, 2] } });
  });

  test('[MG10][ED3] what a sub-run gives back is laid over the context without counting what was there', () => {
    const trial = run(
      [
        set('before', 'output.before', 0),
        { id: 'f', type: 'fanOut' },
        { id: 'a', type: 'gosub', workflow: 'other' },
        { id: 'b', type: 'gosub', workflow: 'other' },
        { id: 'j', type: 'fanIn' },
      ],
      [
        ['start', 'before'],
        ['before', 'f'],
        ['f', 'a', 'x'],
        ['f', 'b', 'y'],
        ['a', 'j'],
        ['b', 'j'],
      ],
    );
    trial.childEnded(4, { status: 'completed', output: { output: { n: 1 }, mine: 'a' } });
    trial.childEnded(5, { status: 'completed', output: { output: { n: 2 }, mine: 'b' } });
    expect(trial.state.output).toEqual({ output: { before: 0, n: [1, 2] } });
  });

  test('what a branch removes is gone for it alone', () => {
    const trial = run(
      [
        { id: 'f', type: 'fanOut' },
        { id: 'a', type: 'edit', deletes: ['list', 'deep.x'] },
        { id: 'seen', type: 'code', path: 'output.seen', expression: 'context' },
        { id: 'b', type: 'code', path: 'output.other', expression: 'context.list' },
        { id: 'j', type: 'fanIn' },
      ],
      [
        ['start', 'f'],
        ['f', 'a', 'x'],
        ['a', 'seen'],
        ['seen', 'j'],
        ['f', 'b', 'y'],
        ['b', 'j'],
      ],
      { list: [1], deep: { x: 1, y: 2 } },
    );
    expect(trial.state.output).toEqual({
      list: [1],
      deep: { x: 1, y: 2 },
      output: { seen: { deep: { y: 2 } }, other: [1] },
    });
  });

  test('[TH27] a matched entry of a switch that leads nowhere is passed over; a path without a way on ends', () => {
    const nodes: ThreadNode[] = [
      { id: 's', type: 'switch', entries: [{ name: 'loose', expression: 'true' }, { name: 'rest' }] },
      set('e', 'took', 'rest'),
    ];
    const trial = run(nodes, [
      ['start', 's'],
      ['s', 'e', 'rest'],
    ]);
    expect([trial.state.outcome, trial.state.output]).toEqual(['completed', { took: 'rest' }]);
  });
});
