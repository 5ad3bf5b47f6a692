import { expect, test } from 'vitest';
import { tokenPolicy } from '../../definition/graph.ts';
import { lowerDataflow } from './lower.ts';
import type { NormalDataflow, NormalDataflowEdge, NormalDataflowNode } from './normal.ts';

function graph(nodes: readonly NormalDataflowNode[], edges: readonly string[] = []): NormalDataflow {
  return { dialect: 'dataflow', id: 'g', nodes, edges: edges.map(edge) };
}

/** `a.x->b.y` */
function edge(text: string): NormalDataflowEdge {
  const [, source = '', sourceOutput = '', target = '', targetInput = ''] = /^(.+)\.(.+)->(.+)\.(.+)$/.exec(text) ?? [];
  return { source, sourceOutput, target, targetInput };
}

const node = (id: string, more: Partial<NormalDataflowNode> = {}): NormalDataflowNode => ({
  id,
  type: 'work',
  ...more,
});
const nodes = (ids: string) => ids.split(' ').map((id) => node(id));

const join = { over: 'edges', require: 'all' };
const policy = {
  ...tokenPolicy,
  dialect: 'dataflow',
  unhandledFailure: 'record',
  unknownAction: 'fail',
  keepsOutputs: true,
  charge: 'run',
};

test('[DA22][DA28] a diamond: what meets waits for all, what has one way in does not wait', () => {
  const diamond = graph(nodes('a b c d'), ['a.x->b.p', 'a.x->c.p', 'b.x->d.p', 'c.x->d.q', 'b.y->d.r']);
  expect(lowerDataflow({ ...diamond, version: 2, timeoutMs: 9, limits: { nodesPerRunMax: 5 }, meta: 1 })).toEqual({
    id: 'g',
    version: 2,
    timeoutMs: 9,
    limits: { nodesPerRunMax: 5 },
    meta: 1,
    policy: { ...policy, hiddenNode: null },
    initialNode: 'a',
    nodes: [
      { id: 'a', action: 'work', inputEdits: [] },
      { id: 'b', action: 'work', inputEdits: [{ set: ['p'], to: { path: ['nodes', 'a', 'x'] } }] },
      { id: 'c', action: 'work', inputEdits: [{ set: ['p'], to: { path: ['nodes', 'a', 'x'] } }] },
      {
        id: 'd',
        action: 'work',
        inputEdits: [
          { set: ['p'], to: { path: ['nodes', 'b', 'x'] } },
          { set: ['q'], to: { path: ['nodes', 'c', 'x'] } },
          { set: ['r'], to: { path: ['nodes', 'b', 'y'] } },
        ],
      },
    ],
    transitions: [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'd', synchronization: join },
      { from: 'c', to: 'd', synchronization: join },
    ],
    output: { path: ['nodes'] },
  });
});

test('what a node says of its work is kept', () => {
  const more = { name: 'N', cost: 3, retry: { maxAttempts: 2 }, timeoutMs: 7, meta: { position: 1 } };
  const { nodes: lowered } = lowerDataflow(graph([node('a', { ...more, outputs: [{ name: 'x' }] })]));
  expect(lowered).toEqual([{ id: 'a', action: 'work', ...more, inputEdits: [] }]);
});

test('[DA23] several beginnings, or none: a node that nobody sees, with a name that nobody has', () => {
  const two = lowerDataflow(graph(nodes('start b c'), ['start.x->c.p']));
  expect(two).toMatchObject({ initialNode: 'start_', policy: { hiddenNode: 'start_' } });
  expect(two.nodes[0]).toEqual({ id: 'start_' });
  expect(two.transitions).toEqual([
    { from: 'start_', to: 'start' },
    { from: 'start_', to: 'b' },
    { from: 'start', to: 'c' },
  ]);
  expect(lowerDataflow(graph([]))).toEqual({
    id: 'g',
    policy: { ...policy, hiddenNode: 'start' },
    initialNode: 'start',
    nodes: [{ id: 'start' }],
    transitions: [],
    output: { path: ['nodes'] },
  });
});

test('[DA24] nodes stand in topological order; a list in a right order stays as it is', () => {
  const order = (ids: string, edges: readonly string[]) =>
    lowerDataflow(graph(nodes(ids), edges))
      .nodes.map(({ id }) => id)
      .join(' ');
  expect(order('d c b a', ['a.x->b.p', 'b.x->c.p', 'c.x->d.p'])).toBe('a b c d');
  expect(order('a b c d', ['a.x->d.p'])).toBe('start a b c d');
  expect(order('a b c d e', ['a.x->b.p', 'a.x->c.p', 'c.x->d.q', 'b.x->d.q'])).toBe('start a b c d e');
  expect(order('d c b a', ['a.x->d.p', 'b.x->d.q', 'c.x->a.p'])).toBe('start c b a d');
  expect(order('z y x', ['x.o->y.p', 'ghost.o->z.p'])).toBe('start x y ghost z');
});

test('[DA25] a node of type core.input puts out the fields of the input', () => {
  const { nodes: lowered } = lowerDataflow(graph([node('in', { type: 'core.input', timeoutMs: 5 })]));
  expect(lowered).toEqual([
    { id: 'in', action: 'core.echo', timeoutMs: 5, inputEdits: [{ merge: { path: ['input'] } }] },
  ]);
});

test('[DA26] edges before values; the last edge first; a repeated input gathers, in the order of the edges', () => {
  const inputs = [
    { name: 'both', value: 1 },
    { name: 'static', value: null },
    { name: 'list', repeated: true, value: [0] },
    { name: 'alone', repeated: true, value: 5 },
    { name: 'nothing', type: 'any' },
  ];
  const edges = ['a.x->b.both', 'a.y->b.list', 'a.x->b.list', 'a.x->b.twice', 'a.y->b.twice', 'a.y->b.list'];
  const { nodes: lowered } = lowerDataflow(graph([node('a'), node('b', { inputs })], edges));
  const from = (port: string) => ({ path: ['nodes', 'a', port] });
  expect(lowered[1]?.inputEdits).toEqual([
    { set: ['both'], to: { first: [from('x'), { literal: 1 }] } },
    { set: ['static'], to: { literal: null } },
    { set: ['list'], to: { first: [{ list: [from('y'), from('x'), from('y')] }, { literal: [0] }] } },
    { set: ['alone'], to: { literal: 5 } },
    { set: ['twice'], to: { first: [from('y'), from('x')] } },
  ]);
});

test('[DA27] a node that only edges speak of fails', () => {
  const { nodes: lowered, transitions } = lowerDataflow(graph(nodes('a'), ['a.x->ghost.p']));
  expect(lowered[1]).toEqual({
    id: 'ghost',
    action: 'core.fail',
    inputEdits: [
      { set: ['message'], to: { literal: 'Node not found: ghost' } },
      { set: ['code'], to: { literal: 'NODE_NOT_FOUND' } },
    ],
  });
  expect(transitions).toEqual([{ from: 'a', to: 'ghost' }]);
});
