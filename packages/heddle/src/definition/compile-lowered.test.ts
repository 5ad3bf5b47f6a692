import { describe, expect, test } from 'vitest';
import { compileGraph } from '../dialects/compile-graph.ts';
import { parseDefinition } from '../dialects/parse.ts';
import type { Definition, SynchronizationDefinition, TransitionDefinition } from './definition.ts';
import { accepted, scorePapers } from './definitions.testsuite.ts';
import type { Graph } from './graph.ts';
import { defaultLimits } from './limits.ts';

function compile(definition: Definition): Graph {
  const parsed = parseDefinition(definition, { limits: defaultLimits });
  expect(parsed.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return compileGraph(parsed.definition as Definition, { version: 7, limits: defaultLimits });
}

/** Nodes are those that the transitions name; the first one is the initial one. */
function graphOf(transitions: readonly TransitionDefinition[]): Graph {
  const ids = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))];
  return compile({ id: 'w', initialNode: ids[0] ?? '', nodes: ids.map((id) => ({ id })), transitions });
}

const all: SynchronizationDefinition = { strategy: 'all' };
const join = (siblingGroup: string): SynchronizationDefinition => ({ strategy: 'all', siblingGroup });

test.each(accepted)('what parses compiles: $name', ({ definition }) => {
  const graph = compile(definition);
  expect(graph.id).toBe(definition.id);
  expect(graph.version).toBe(7);
  expect([...graph.nodes.keys()]).toEqual(definition.nodes.map((node) => node.id));
  expect(graph.initialNodes).toEqual([graph.nodes.get(definition.initialNode)]);
});

test('a whole definition', () => {
  const graph = compile(scorePapers);
  const fetch = graph.nodes.get('fetch');
  expect(fetch?.work).toEqual({ type: 'action', name: 'fetch', version: null });
  expect(fetch?.onSuccess.map((tier) => tier.transitions.map(({ id }) => id))).toEqual([['fetch->score']]);
  expect(fetch?.onFailure.map((tier) => tier.transitions.map(({ id }) => id))).toEqual([['fetch->done']]);
  expect(graph.nodes.get('approve')?.work).toEqual({ type: 'action', name: 'approve', version: 2 });
  expect(graph.nodes.get('cool-off')?.work).toEqual({ type: 'wait', kind: 'seconds', value: 3600 });
  expect(graph.nodes.get('done')?.work).toEqual({ type: 'pass' });
  expect(graph.nodes.get('publish')?.work).toEqual({
    type: 'workflow',
    id: 'publish',
    version: 3,
    onFailure: 'catch',
    timeoutMs: 60_000,
    inheritArtifacts: false,
  });
  const papers = graph.joins.get('approve/papers');
  expect(papers).toMatchObject({ node: 'approve', group: 'papers', strategy: { type: 'all' }, timeoutMs: 600_000 });
  expect(papers?.merges).toMatchObject([{ target: 'state.scores', existing: 'replace', include: 'arrived' }]);
  expect(graph.transitionsById.get('fetch->score')?.opens).toEqual({
    name: 'papers',
    tolerateFailures: false,
    maxFailures: null,
    homeJoin: papers,
    isOnlyJoin: true,
  });
  expect(graph.transitionsById.get('score->approve')?.join).toBe(papers);
  expect(graph.outputMapping?.map(({ target, path }) => ({ target, path }))).toEqual([
    { target: 'scores', path: ['scores'] },
  ]);
});

test('tiers are in order of priority, and keep the order of definition; any counts for both outcomes', () => {
  const graph = graphOf([
    { id: 'p3', from: 'a', to: 'b', priority: 3 },
    { id: 'p1a', from: 'a', to: 'b', on: 'any' },
    { id: 'p-1', from: 'a', to: 'b', priority: -1, on: 'failure' },
    { id: 'p1b', from: 'a', to: 'b', condition: false },
  ]);
  const idsOf = (outcome: 'onSuccess' | 'onFailure') =>
    graph.nodes.get('a')?.[outcome].map(({ priority, transitions }) => [priority, ...transitions.map(({ id }) => id)]);
  expect(idsOf('onSuccess')).toEqual([
    [1, 'p1a', 'p1b'],
    [3, 'p3'],
  ]);
  expect(idsOf('onFailure')).toEqual([
    [-1, 'p-1'],
    [1, 'p1a'],
  ]);
  expect(graph.transitionsById.get('p1a')?.condition).toBeNull();
  expect(graph.transitionsById.get('p1b')?.condition?.evaluate({})).toEqual({ type: 'value', value: false });
});

test('transitions without an id are called after their ends; ids are unique', () => {
  const graph = graphOf([
    { from: 'a', to: 'b' },
    { id: 'a->b#2', from: 'a', to: 'b', priority: 2 },
    { from: 'a', to: 'b', priority: 3 },
    { from: 'a', to: 'b', priority: 4 },
  ]);
  expect(graph.transitions.map(({ id }) => id)).toEqual(['a->b', 'a->b#2', 'a->b#3', 'a->b#4']);
});

test('join ids cannot be mistaken for each other, whatever the node ids', () => {
  const graph = graphOf([
    { from: 'x', to: 'a/g', spawnCount: 2, siblingGroup: 'g', synchronization: all },
    { from: 'x', to: 'a', priority: 2, spawnCount: 2, siblingGroup: 'g', synchronization: join('g') },
  ]);
  expect([...graph.joins.keys()]).toEqual(['a~1g', 'a/g']);
});

test('[DF48] the defaults of a retry policy', () => {
  const policyOf = (retry: NonNullable<Definition['nodes'][number]['retry']>) =>
    compile({ id: 'w', initialNode: 'a', nodes: [{ id: 'a', action: 'x', retry }] }).initialNodes[0]?.retry;
  const rest = { jitter: 0, retryableErrors: null };
  expect(policyOf({ maxAttempts: 3 })).toEqual({
    maxAttempts: 3,
    backoff: 'none',
    initialDelayMs: 0,
    maxDelayMs: 300_000,
    ...rest,
  });
  expect(policyOf({ maxAttempts: 2, backoff: 'linear' })).toEqual({
    maxAttempts: 2,
    backoff: 'linear',
    initialDelayMs: 1_000,
    maxDelayMs: 300_000,
    ...rest,
  });
  expect(policyOf({ maxAttempts: 2, initialDelayMs: 900_000 })).toMatchObject({ maxDelayMs: 900_000 });
});

test('[DF49] the schema of the state says nothing of the object as a whole', () => {
  const stateSchema = { required: ['a', 'b'], minProperties: 2, properties: { a: { type: 'number' } } };
  const graph = compile({ id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], stateSchema });
  expect(graph.stateSchema?.({ a: 1 })).toEqual([]);
  expect(graph.stateSchema?.({ a: 'x' }).map(({ pointer }) => pointer)).toEqual(['/a']);
});

test('limits are lowered by those of the definition, and never raised', () => {
  const definition: Definition = { id: 'w', initialNode: 'a', nodes: [{ id: 'a' }], limits: { nestingMax: 20 } };
  expect(compileGraph(definition, { version: 1, limits: defaultLimits }).limits.nestingMax).toBe(20);
  const limits = { ...defaultLimits, nestingMax: 5 };
  expect(compileGraph(definition, { version: 1, limits }).limits.nestingMax).toBe(5);
});

describe('[DF40] home joins', () => {
  const homeOf = (graph: Graph, id: string) => graph.transitionsById.get(id)?.opens?.homeJoin?.id ?? null;

  test('the join over the group, by name or as the innermost', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c', synchronization: all },
      { from: 'c', to: 'd', foreach: { collection: 'input.x' }, siblingGroup: 'items' },
      { from: 'd', to: 'e', synchronization: join('items') },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('c');
    expect(homeOf(graph, 'c->d')).toBe('e/items');
  });

  test('a nested group is closed by its own join first', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'c', spawnCount: 2 },
      { from: 'c', to: 'd', synchronization: all },
      { from: 'd', to: 'e', synchronization: all },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('e');
    expect(homeOf(graph, 'b->c')).toBe('d');
  });

  test('a join over an outer group closes those between unjoined', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'outer' },
      { from: 'b', to: 'c', spawnCount: 2, siblingGroup: 'inner' },
      { from: 'c', to: 'd', synchronization: join('outer') },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('d/outer');
    expect(homeOf(graph, 'b->c')).toBeNull();
  });

  test('a join over a group that cannot be around is passed through', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2, siblingGroup: 'g' },
      { from: 'b', to: 'c', synchronization: join('other') },
      { from: 'c', to: 'd', synchronization: join('g') },
      { from: 'd', to: 'e', spawnCount: 2, siblingGroup: 'other' },
      { from: 'e', to: 'f', synchronization: join('other') },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('d/g');
    expect(homeOf(graph, 'd->e')).toBe('f/other');
  });

  test('a join right on the opening transition', () => {
    const graph = graphOf([{ from: 'a', to: 'b', spawnCount: 2, synchronization: all }]);
    expect(homeOf(graph, 'a->b')).toBe('b');
  });

  test('several transitions of one tier share one opening', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', siblingGroup: 'g' },
      { from: 'a', to: 'c', siblingGroup: 'g', onBranchFailure: 'end', maxFailures: 2 },
      { from: 'b', to: 'd', synchronization: join('g') },
      { from: 'c', to: 'd', synchronization: join('g') },
      { from: 'a', to: 'd', priority: 2, siblingGroup: 'g', synchronization: join('g') },
    ]);
    const opening = graph.transitionsById.get('a->b')?.opens;
    expect(opening).toMatchObject({ name: 'g', tolerateFailures: true, maxFailures: 2, homeJoin: { id: 'd/g' } });
    expect(graph.transitionsById.get('a->c')?.opens).toBe(opening);
    expect(graph.transitionsById.get('a->d')?.opens).not.toBe(opening);
  });

  test('emptyJoin decides between several', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2, emptyJoin: 'd' },
      { from: 'b', to: 'c', condition: 'state.x', synchronization: all },
      { from: 'b', to: 'd', priority: 2, synchronization: all },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('d');
  });

  test('a loop inside the branch, and one around the fan-out', () => {
    const graph = graphOf([
      { from: 'start', to: 'a' },
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'b', condition: 'state.again', loop: { maxIterations: 2 } },
      { from: 'b', to: 'c', priority: 2, synchronization: all },
      { from: 'c', to: 'a', condition: 'state.more', loop: { maxIterations: 2 } },
      { from: 'c', to: 'd', priority: 2 },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('c');
  });

  test('a group that is opened again inside itself', () => {
    const graph = graphOf([
      { from: 'a', to: 'b', spawnCount: 2 },
      { from: 'b', to: 'a', condition: 'state.deeper', loop: { maxIterations: 2 } },
      { from: 'b', to: 'c', priority: 2, synchronization: all },
    ]);
    expect(homeOf(graph, 'a->b')).toBe('c');
  });
});

describe('[DF41] loop resets', () => {
  const resetsOf = (transitions: readonly TransitionDefinition[]) =>
    Object.fromEntries(
      graphOf(transitions).transitions.flatMap(({ id, loop }) => (loop === null ? [] : [[id, loop.resets]])),
    );
  const loop = { maxIterations: 3 };

  test('the outer loop resets the inner one', () => {
    expect(
      resetsOf([
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
        { id: 'inner', from: 'c', to: 'b', loop },
        { from: 'c', to: 'd', priority: 2 },
        { id: 'outer', from: 'd', to: 'a', loop },
      ]),
    ).toEqual({ inner: [], outer: ['inner'] });
  });

  test('three levels and a loop on one node', () => {
    expect(
      resetsOf([
        { id: 'self', from: 'c', to: 'c', loop },
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
        { id: 'inner', from: 'c', to: 'b', priority: 2, loop },
        { id: 'outer', from: 'c', to: 'a', priority: 3, loop },
      ]),
    ).toEqual({ self: [], inner: ['self'], outer: ['self', 'inner'] });
  });

  test('two loops on one header: the longer way resets the shorter', () => {
    expect(
      resetsOf([
        { from: 'h', to: 'x' },
        { id: 'short', from: 'x', to: 'h', loop },
        { from: 'x', to: 'y', priority: 2 },
        { id: 'long', from: 'y', to: 'h', loop },
      ]),
    ).toEqual({ short: [], long: ['short'] });
  });

  test('two equal ways back do not reset each other, nor do loops side by side', () => {
    expect(
      resetsOf([
        { from: 'h', to: 'x' },
        { id: 'one', from: 'x', to: 'h', condition: 'state.one', loop },
        { id: 'two', from: 'x', to: 'h', priority: 2, loop },
        { from: 'x', to: 'y', priority: 3 },
        { id: 'later', from: 'y', to: 'y', loop },
      ]),
    ).toEqual({ one: [], two: [], later: [] });
  });

  test('a cycle with two entries: what lies before it is no part of it', () => {
    expect(
      resetsOf([
        { from: 'start', to: 'h', condition: 'state.x' },
        { from: 'start', to: 'n', priority: 2 },
        { id: 'before', from: 'start', to: 'start', priority: 3, loop },
        { from: 'h', to: 'n' },
        { id: 'back', from: 'n', to: 'h', loop },
      ]),
    ).toEqual({ before: [], back: [] });
  });

  test('a loop limit on a way that leads nowhere back', () => {
    expect(resetsOf([{ id: 'once', from: 'a', to: 'b', loop }])).toEqual({ once: [] });
  });
});

describe('edge graphs', () => {
  const edges: SynchronizationDefinition = { over: 'edges' };

  test('regions, their links and the joins', () => {
    const graph = graphOf([
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'b', condition: 'state.again', loop: { maxIterations: 2 } },
      { from: 'a', to: 'd', synchronization: edges },
      { from: 'c', to: 'd', priority: 2, synchronization: edges },
    ]);
    const edgeGraph = graph.edges!;
    const origin = { starts: ['a'], group: null };
    const { regionOf, regions, joins } = edgeGraph.graphOf(origin);
    const [a, b, d] = ['a', 'b', 'd'].map((id) => regionOf.get(id) as number) as [number, number, number];
    expect(regionOf.get('c')).toBe(b);
    expect(regions[b]).toMatchObject({ members: ['b', 'c'], next: [d], previous: [a], join: null });
    expect(regions[b]?.edges).toEqual([{ id: 'c->d', join: joins[0] }]);
    expect(regions[a]?.next.toSorted((left, right) => left - right)).toEqual([d, b]);
    expect(regions[d]?.join).toMatchObject({
      node: 'd',
      region: d,
      sources: new Map([
        ['a->d', a],
        ['c->d', b],
      ]),
    });
    expect(edgeGraph.graphOf({ ...origin })).toBe(edgeGraph.graphOf(origin));
    expect(edgeGraph.graphOf({ starts: ['c'], group: null }).regionOf.has('a')).toBe(false);
    expect(edgeGraph.joins.get('d')).toMatchObject({
      node: 'd',
      require: 'some',
      inbound: [graph.transitionsById.get('a->d'), graph.transitionsById.get('c->d')],
    });
  });

  test('none where nothing is joined over edges', () => {
    expect(graphOf([{ from: 'a', to: 'b' }]).edges).toBeNull();
  });
});
