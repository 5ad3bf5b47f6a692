import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Definition } from '../definition/definition.ts';
import { defaultLimits } from '../definition/limits.ts';
import { parseDefinition } from '../dialects/parse.ts';
import { type ActionContext, defineAction } from '../executor/action.ts';
import { workflow } from './builder.ts';

const papers = workflow('score-papers', { initialNode: 'fetch', timeoutMs: 60_000 })
  .node('fetch', { action: 'fetch', outputMapping: { 'state.papers': 'result' } })
  .node('score', { action: 'score', inputMapping: { paper: 'paper' }, outputMapping: { 'state.score': 'result' } })
  .node('done')
  .transition('fetch', 'score', { foreach: { collection: 'state.papers', itemVar: 'paper' } })
  .transition('score', 'done', {
    synchronization: { strategy: 'all', merge: { target: 'state.scores', strategy: 'append' } },
  })
  .output({ scores: 'state.scores' });

test('builds the definition that one would write by hand', () => {
  const definition = papers.build();
  expectTypeOf(definition).toEqualTypeOf<Definition>();
  expect(definition).toEqual({
    id: 'score-papers',
    initialNode: 'fetch',
    timeoutMs: 60_000,
    nodes: [
      { id: 'fetch', action: 'fetch', outputMapping: { 'state.papers': 'result' } },
      { id: 'score', action: 'score', inputMapping: { paper: 'paper' }, outputMapping: { 'state.score': 'result' } },
      { id: 'done' },
    ],
    transitions: [
      { from: 'fetch', to: 'score', foreach: { collection: 'state.papers', itemVar: 'paper' } },
      {
        from: 'score',
        to: 'done',
        synchronization: { strategy: 'all', merge: { target: 'state.scores', strategy: 'append' } },
      },
    ],
    outputMapping: { scores: 'state.scores' },
  });
  expect(parseDefinition(definition, { limits: defaultLimits }).problems).toEqual([]);
});

test('starts at the first node unless told otherwise', () => {
  expect(workflow('w').node('a').node('b').build().initialNode).toBe('a');
  expect(workflow('w', { initialNode: 'b' }).node('a').node('b').build().initialNode).toBe('b');
});

test('a builder is never altered', () => {
  const base = workflow('w').node('a');
  const longer = base.node('b').transition('a', 'b');
  expect(base.build().nodes).toEqual([{ id: 'a' }]);
  expect(longer.build().nodes).toEqual([{ id: 'a' }, { id: 'b' }]);
});

test('what leads nowhere does not compile', () => {
  const base = workflow('w').node('a').node('b');
  // @ts-expect-error there is no node "c" to lead to
  base.transition('a', 'c');
  // @ts-expect-error there is no node "c" to come from
  base.transition('c', 'a');
  // @ts-expect-error there is no node "c" to be a join
  base.transition('a', 'b', { spawnCount: 2, emptyJoin: 'c' });
  // @ts-expect-error "a" is taken
  base.node('a');
  // @ts-expect-error there is no node "z" to start at
  expect(() => workflow('w', { initialNode: 'z' }).node('a').build()).toThrow('"z" is none of its nodes');
  // @ts-expect-error no such strategy
  base.transition('a', 'b', { synchronization: { strategy: 'most' } });
  expect(base.transition('a', 'b').build().transitions).toEqual([{ from: 'a', to: 'b' }]);
});

test('ids that are made while running are taken as they come', () => {
  const [start, ...names]: string[] = ['start', 'x', 'y'];
  let builder = workflow('w').node(start ?? '');
  for (const name of names) builder = builder.node(name).transition(start ?? '', name);
  expect(builder.build().nodes.map((node) => node.id)).toEqual(['start', 'x', 'y']);
});

test('[OP20] an initial node that is not there is refused when it is built, with the nodes that are', () => {
  const start: string = 'fetsh';
  const builder = workflow('w', { initialNode: start }).node('fetch').node('score');
  expect(() => builder.build()).toThrow(
    expect.objectContaining({
      code: 'DEFINITION_INVALID',
      pointer: '/initialNode',
      message:
        'Expected initialNode of workflow "w" to be the id of a node, but "fetsh" is none of its nodes ' +
        '("fetch", "score"); did you mean "fetch"?',
    }),
  );
  expect(() => workflow('w', { initialNode: start }).build()).toThrow('none of its nodes (there are none)');
});

test('where the actions are known, what fits them compiles, and builds what it built before', () => {
  const actions = {
    fetch: defineAction({
      input: z.object({ url: z.string(), times: z.number().default(3) }),
      output: z.object({ papers: z.array(z.string()) }),
      run: async ({ input }) => ({ papers: [input.url] }),
    }),
    score: async ({ input }: ActionContext<{ paper: string; by?: { name: string } }>) => ({ n: input.paper.length }),
    pick: { timeoutMs: 5, run: ({ input }: ActionContext<{ from: string[] }>) => input.from },
    either: defineAction((): { ok: true; value: number } | { ok: false; reason: string } => ({ ok: true, value: 1 })),
    raw: ({ input }: ActionContext) => input,
    none: () => undefined,
  };
  const made: Record<string, string> = { paper: 'input.paper' };
  const builder = workflow('w')
    .actions(actions)
    .node('a', {
      action: 'fetch',
      inputMapping: { url: 'input.url' },
      outputMapping: { 'state.p': 'result.papers[0]' },
    })
    .node('b', { action: 'score', inputMapping: { paper: 'input.p', 'by.name': 'input.me' }, timeoutMs: 5 })
    .node('c', { action: 'pick', inputMapping: { from: 'state.p' }, outputMapping: { 'state.c': 'result.size()' } })
    .node('d', { action: 'either', outputMapping: { 'state.d': 'result.value', 'state.e': 'result.?other' } })
    .node('e', { action: 'raw', inputMapping: { anything: '1' }, outputMapping: { 'state.f': 'result.anything' } })
    .node('f', { action: 'none', outputMapping: { 'state.g': 'state.f' } })
    .node('g', { action: 'core.echo', inputMapping: { x: '1' }, outputMapping: { 'state.h': 'result.x' } })
    .node('h', { workflow: 'child', inputMapping: { x: '1' }, outputMapping: { 'state.i': 'result.y' } })
    .node('i', { action: { name: 'score', version: 2 }, inputMapping: made, outputMapping: made })
    .node('j', { wait: { seconds: 1 } })
    .node('k');
  expect(builder.build().nodes.slice(-3)).toEqual([
    { id: 'i', action: { name: 'score', version: 2 }, inputMapping: made, outputMapping: made },
    { id: 'j', wait: { seconds: 1 } },
    { id: 'k' },
  ]);
  // Their types are enough, where the actions are in another program.
  const byType = workflow('w')
    .actions<typeof actions>()
    .node('b', { action: 'score', inputMapping: { paper: 'input.p' } });
  expect(byType.build().nodes).toEqual([{ id: 'b', action: 'score', inputMapping: { paper: 'input.p' } }]);
});
