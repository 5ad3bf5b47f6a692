import { describe, expect, test } from 'vitest';
import type { Json } from '../../base/json.ts';
import type { EditDefinition, LoweredNode, SourceDefinition } from '../../definition/lowered.ts';
import { lowered, Trial, task } from './planning.testsuite.ts';

const set = (path: string, to: SourceDefinition, required = false): EditDefinition => ({
  set: path.split('.'),
  to,
  required,
});
const literal = (value: Json): SourceDefinition => ({ literal: value });
const remove = (path: string): EditDefinition => ({ delete: path.split('.') });
const fromInput: EditDefinition = { merge: { path: ['input'] } };

/** A run of one node that makes the edits. */
const edited = (edits: readonly EditDefinition[], input: Json = {}): Trial =>
  new Trial(lowered([{ id: 'n', edits }]), { input });

describe('edits', () => {
  test('[ED1] they are made in order, and each sees what those before it have written', () => {
    const trial = edited([
      set('a', literal(1)),
      set('b.c', { expression: 'state.a + 1' }),
      set('a', { path: ['state', 'b', 'c'] }),
      set('d', { expression: 'context.a * 10' }),
      remove('b.c'),
      set('e', { expression: 'has(state.b.c)' }),
    ]);
    expect(trial.told.slice(2)).toEqual([
      '0:0 state.a=1 state.b={"c":2} state.a=2 state.d=20 state.b.c=undefined state.e=false',
      '1 completed',
      'workflow.completed',
    ]);
    expect(trial.context.state).toEqual({ a: 2, b: {}, d: 20, e: false });
  });

  test('[ED6] objects on the way to a value stay when it is removed, in a branch as outside', () => {
    const edits = [set('a.b.c', literal(1)), remove('a.b.c')];
    expect(edited([set('a', literal('text')), ...edits]).context.state).toEqual({ a: { b: {} } });
    const inBranch = new Trial(
      lowered(
        [{ id: 's', edits: [set('a', literal('text'))] }, { id: 'n', edits }, 'm'],
        [
          { from: 's', to: 'n', spawnCount: 2, siblingGroup: 'g' },
          {
            from: 'n',
            to: 'm',
            synchronization: { strategy: 'all', merge: { source: 'state.a', target: 'state.all', strategy: 'append' } },
          },
        ],
      ),
    );
    expect(inBranch.context.state).toEqual({ a: 'text', all: [{ b: {} }, { b: {} }] });
  });

  test('[ED1] if one fails, none is made', () => {
    const trial = edited([set('a', literal(1)), set('b', { expression: 'state.a / 0' }), set('c', literal(1))]);
    expect(trial.told.slice(2)).toEqual(['1 task.failed', 'workflow.failed']);
    expect(trial.context.state).toEqual({});
  });

  test('[ED1][MP4] what is written must fit the state schema', () => {
    const stateSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const edits = [set('n', literal(1)), set('n', literal('one'))];
    const trial = new Trial(lowered([{ id: 'n', edits }], [], { stateSchema }));
    expect(trial.error).toMatchObject({ code: 'STATE_INVALID', nodeId: 'n' });
  });

  test('[ED1] in a branch they are written to the branch alone, deletes too', () => {
    const trial = new Trial(
      lowered(
        [
          { id: 'split', edits: [fromInput] },
          { id: 'edit', edits: [remove('a.b'), set('x', { path: ['state', 'a'] })] },
          task('look', { inputMapping: { all: 'state' } }),
        ],
        [
          { from: 'split', to: 'edit', spawnCount: 2 },
          { from: 'edit', to: 'look' },
        ],
      ),
      { input: { a: { b: 1, c: 2 } } },
    );
    expect(trial.of('task.dispatched').map(({ input }) => input)).toEqual([
      { all: { a: { c: 2 }, x: { c: 2 } } },
      { all: { a: { c: 2 }, x: { c: 2 } } },
    ]);
    expect(trial.context.state).toEqual({ a: { b: 1, c: 2 } });
  });

  test.each([
    ['a whole key', [remove('a')], { k: 1 }],
    ['a nested key', [remove('a.b')], { a: { c: { d: 2 } }, k: 1 }],
    ['what is not there', [remove('x.y'), remove('a.c.x')], { a: { b: 1, c: { d: 2 } }, k: 1 }],
    ['below what is no object', [remove('k.x')], { a: { b: 1, c: { d: 2 } }, k: 1 }],
    ['and writes it again', [remove('a'), set('a.new', literal(1))], { a: { new: 1 }, k: 1 }],
    ['what was just written', [set('a.z', literal(1)), remove('a.z')], { a: { b: 1, c: { d: 2 } }, k: 1 }],
    ['and then its parent', [remove('a.b'), remove('a')], { k: 1 }],
    [
      'the parent, then writes below another',
      [remove('a'), set('a.c', literal(3)), remove('a.b')],
      { a: { c: 3 }, k: 1 },
    ],
  ] as const)('[ED1] a delete removes %s: in the run, in a branch and in a branch of a branch', (_, edits, state) => {
    const input = { a: { b: 1, c: { d: 2 } }, k: 1 };
    const inner = [
      { id: 'start', edits: [fromInput] },
      { id: 'edit', edits },
      task('look', { inputMapping: { all: 'state' } }),
    ];
    const seen = (nodes: readonly (string | LoweredNode)[], ways: readonly [string, string, number][]) =>
      new Trial(
        lowered(
          nodes,
          ways.map(([from, to, spawnCount]) => ({ from, to, spawnCount })),
        ),
        { input },
      ).of('task.dispatched')[0]?.input;
    expect(
      seen(inner, [
        ['start', 'edit', 1],
        ['edit', 'look', 1],
      ]),
    ).toEqual({ all: state });
    expect(
      seen(inner, [
        ['start', 'edit', 2],
        ['edit', 'look', 1],
      ]),
    ).toEqual({ all: state });
    expect(
      seen(inner, [
        ['start', 'edit', 2],
        ['edit', 'look', 2],
      ]),
    ).toEqual({ all: state });
  });

  test('[ED1] keys may hold dots and anything else: each stays one key', () => {
    const edits: EditDefinition[] = [
      { set: ['a.b'], to: literal(1) },
      { set: ['a', 'b.c'], to: literal(2) },
      { set: ['a', '\u0001d'], to: literal(3) },
      { set: [''], to: literal(4) },
      { set: ['x.y'], to: literal({ 'z.': 5 }) },
      { delete: ['x.y', 'z.'] },
      { merge: literal({ 'a.b': { more: 1 }, 'm.n': { 'o.p': 1 } }) },
      { merge: literal({ 'm.n': { 'q.r': 2 } }) },
    ];
    const state = {
      'a.b': { more: 1 },
      a: { 'b.c': 2, '\u0001d': 3 },
      '': 4,
      'x.y': {},
      'm.n': { 'o.p': 1, 'q.r': 2 },
    };
    expect(edited(edits).context.state).toEqual(state);
    const branch = new Trial(
      lowered(
        ['split', { id: 'edit', edits }, task('look', { inputMapping: { all: 'state' } })],
        [
          { from: 'split', to: 'edit', spawnCount: 2 },
          { from: 'edit', to: 'look' },
        ],
      ),
    );
    expect(branch.of('task.dispatched')[0]?.input).toEqual({ all: state });
  });
});

describe('what a set writes', () => {
  test('[ED2] without a value nothing is written; null is a value', () => {
    const trial = edited([set('a', { path: ['input', 'none'] }), set('b', { path: ['input', 'null'] })], {
      null: null,
    });
    expect(trial.context.state).toEqual({ b: null });
  });

  test.each([
    [{ path: ['input', 'x', 'y'] }, 'Expected a value for a.b from input.x.y, but there is none'],
    [{ expression: 'input.x.y' }, expect.stringMatching(/^Expected a value for a\.b, but input\.x.* is missing/)],
    [{ first: [{ path: ['input', 'x'] }] }, 'Expected a value for a.b, but there is none'],
    [{ list: [] }, 'Expected a value for a.b, but there is none'],
  ])('[ED2] where one is required the node fails: %j', (source, message) => {
    expect(edited([set('a.b', source as SourceDefinition, true)]).error).toEqual({
      code: 'VALUE_MISSING',
      message,
      details: { path: 'a.b' },
      nodeId: 'n',
      attempts: 1,
    });
  });
});

describe('what a merge writes', () => {
  test('[ED3] every key, objects key by key over what is there; lists and scalars are replaced', () => {
    const trial = edited([
      { merge: literal({ a: { x: 1, list: [1, 2], deep: { p: 1 } }, b: 1 }) },
      { merge: literal({ a: { y: 2, list: [3], deep: { q: 2 } }, b: { c: 1 }, d: null }) },
    ]);
    expect(trial.of('context.updated')).toEqual([
      {
        type: 'context.updated',
        branch: [0, 0],
        writes: [
          ['state.a', { x: 1, list: [1, 2], deep: { p: 1 } }],
          ['state.b', 1],
          ['state.a.y', 2],
          ['state.a.list', [3]],
          ['state.a.deep.q', 2],
          ['state.b', { c: 1 }],
          ['state.d', null],
        ],
      },
    ]);
    expect(trial.context.state).toEqual({
      a: { x: 1, y: 2, list: [3], deep: { p: 1, q: 2 } },
      b: { c: 1 },
      d: null,
    });
  });

  test.each([null, {}])('[ED3] nothing writes nothing: %j', (value) => {
    const trial = edited([{ merge: literal(value) }, { merge: { path: ['input', 'none'] } }]);
    expect(trial.told.slice(2)).toEqual(['1 completed', 'workflow.completed']);
  });

  test.each([
    [[1], 'Expected an object whose keys can be written, but found a list of 1'],
    ['text', 'Expected an object whose keys can be written, but found string "text"'],
    [
      JSON.parse('{"ok": 1, "__proto__": 1}'),
      'Expected an object whose keys can be written, but found the key __proto__',
    ],
  ])('[ED3] what is no object, or has a key that could reach a prototype, fails the node: %j', (value, message) => {
    const trial = edited([set('a', literal(1)), { merge: literal(value as Json) }]);
    expect(trial.error).toEqual({ code: 'VALUE_INVALID', message, nodeId: 'n', attempts: 1 });
    expect(trial.context.state).toEqual({});
  });

  test('[ED3] keys that every object inherits are keys like others', () => {
    const value = { toString: { a: 1 }, hasOwnProperty: 2, valueOf: [3] };
    expect(edited([{ merge: literal(value) }, { merge: literal({ toString: { b: 2 } }) }]).context.state).toEqual({
      ...value,
      toString: { a: 1, b: 2 },
    });
  });
});

describe('very many keys', () => {
  test('[ED3] a merge of 150,000 keys, in a branch', () => {
    const many = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, i]));
    const trial = new Trial(
      lowered(
        [
          'split',
          { id: 'edit', edits: [{ merge: literal(many) }] },
          task('look', { inputMapping: { last: 'state.k149999' } }),
        ],
        [
          { from: 'split', to: 'edit', siblingGroup: 'g' },
          { from: 'edit', to: 'look' },
        ],
      ),
    );
    trial.send({ type: 'continue' });
    expect(trial.of('task.dispatched').map(({ input }) => input)).toEqual([{ last: 149_999 }]);
  });
});

describe('where values come from', () => {
  const input = { a: 1, list: [10, { x: 20 }], none: null };

  test.each([
    ['a literal', { literal: { any: ['thing'] } }, { any: ['thing'] }],
    ['a path', { path: ['input', 'list', '1', 'x'] }, 20],
    ['a whole name in scope', { path: ['input'] }, input],
    ['a path that leads nowhere', { path: ['input', 'a', 'b'] }, undefined],
    ['a name that is not in scope', { path: ['nobody', 'b'] }, undefined],
    ['a key that objects inherit', { path: ['input', 'toString'] }, undefined],
    ['an expression', { expression: 'input.a + 1' }, 2],
    ['an expression without a value', { expression: 'input.missing' }, undefined],
    [
      'the first that is there',
      { first: [{ path: ['input', 'x'] }, { path: ['input', 'none'] }, { literal: 3 }] },
      null,
    ],
    ['the first of none', { first: [{ path: ['input', 'x'] }] }, undefined],
    [
      'those that are there',
      { list: [{ path: ['input', 'a'] }, { path: ['input', 'x'] }, { literal: null }] },
      [1, null],
    ],
    ['a list of none', { list: [{ path: ['input', 'x'] }] }, undefined],
    [
      'sources in sources',
      { first: [{ list: [{ path: ['input', 'x'] }] }, { list: [{ first: [{ literal: 5 }] }] }] },
      [5],
    ],
  ] as const)('[ED4] %s', (_, source, value) => {
    const trial = edited([set('v', source)], input);
    expect(trial.context.state).toEqual(value === undefined ? {} : { v: value });
  });

  test.each([{ first: [{ expression: '1 / 0' }] }, { list: [{ literal: 1 }, { expression: '1 / 0' }] }])(
    '[ED4] an expression that fails fails the whole: %j',
    (source) => {
      expect(edited([set('v', source as SourceDefinition)]).error).toMatchObject({ nodeId: 'n' });
    },
  );

  test('[ED4] the input of work is built from nothing by edits, and its result is in scope of those after it', () => {
    const trial = new Trial(
      lowered(
        [
          { id: 'start', edits: [fromInput] },
          {
            ...task('work'),
            inputEdits: [
              { merge: { path: ['context'] } },
              set('x.y', { expression: 'state.a + 1' }),
              set('list', literal([])),
              set('absent', { path: ['state', 'absent'] }),
            ],
            edits: [set('out', { path: ['result', 'deep', 'v'] }), { merge: { path: ['result'] } }],
          },
        ],
        [{ from: 'start', to: 'work' }],
      ),
      { input },
    );
    expect(trial.of('task.dispatched')[0]?.input).toEqual({ a: 1, list: [], none: null, x: { y: 2 } });
    trial.complete(2, { deep: { v: 'V' }, a: 2 });
    expect(trial.context.state).toEqual({ ...input, a: 2, out: 'V', deep: { v: 'V' } });
  });

  test('[ED4][ND4] an input that cannot be built fails the node', () => {
    const trial = new Trial(lowered([{ ...task('work'), inputEdits: [set('x', { path: ['state', 'x'] }, true)] }]));
    expect(trial.error).toMatchObject({ code: 'VALUE_MISSING', nodeId: 'work' });
  });
});

describe('the output of the run', () => {
  test('[ED5] a node makes it from nothing; it counts before the output of the definition', () => {
    const trial = new Trial(
      lowered([{ id: 'end', edits: [set('a', literal(1))], resultEdits: [set('done', literal(true))] }], [], {
        output: { path: ['state'] },
      }),
    );
    expect(trial.told.slice(2)).toEqual([
      '0:0 state.a=1',
      '1 workflow.result_set',
      '1 completed',
      'workflow.completed',
    ]);
    expect(trial.state.output).toEqual({ done: true });
  });

  test('[ED5] without one it is where the definition says, or nothing', () => {
    const output = { path: ['state', 'b'] };
    expect(new Trial(lowered([{ id: 'n', edits: [set('b', literal([1]))] }], [], { output })).state.output).toEqual([
      1,
    ]);
    expect(new Trial(lowered(['n'], [], { output })).state.output).toEqual({});
  });

  test('[ED5] the later one replaces it, wherever in the run it stands', () => {
    const trial = new Trial(
      lowered(
        ['split', task('a'), task('b'), { id: 'end', resultEdits: [set('by', { path: ['_branch', 'index'] })] }],
        [
          { from: 'split', to: 'a', siblingGroup: 'g' },
          { from: 'split', to: 'b', siblingGroup: 'g' },
          { from: 'a', to: 'end' },
          { from: 'b', to: 'end' },
        ],
      ),
    );
    trial.complete(3);
    expect(trial.of('workflow.result_set')).toEqual([{ type: 'workflow.result_set', token: 4, output: { by: 1 } }]);
    trial.complete(2);
    expect(trial.state.output).toEqual({ by: 0 });
  });

  test('[ED5] a result that cannot be made fails the node, and nothing of it is written', () => {
    const edits = [set('a', literal(1))];
    const resultEdits = [set('x', { path: ['state', 'missing'] }, true)];
    const trial = new Trial(lowered([{ id: 'end', edits, resultEdits }]));
    expect(trial.told.slice(2)).toEqual(['1 task.failed', 'workflow.failed']);
    expect(trial.error).toMatchObject({ code: 'VALUE_MISSING', nodeId: 'end' });
  });
});
