import { expect, expectTypeOf, test } from 'vitest';
import type { Definition } from '../definition/definition.ts';
import { defaultLimits } from '../definition/limits.ts';
import { parseDefinition } from '../definition/parse.ts';
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
  workflow('w', { initialNode: 'z' }).node('a').build();
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
