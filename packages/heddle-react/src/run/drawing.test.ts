import { readFileSync } from 'node:fs';
import type { JsonObject } from 'heddle';
import { createEngine } from 'heddle';
import { describe, expect, test } from 'vitest';
import { drawGraph, isPlaced, placesOf } from './drawing.ts';
import { neighbour } from './run-flow.ts';

const example = (path: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../../examples/${path}`, import.meta.url), 'utf8')) as JsonObject; // of ours

/** As the server answers with it, for a definition of any dialect. */
async function drawn(path: string, input: JsonObject) {
  const engine = await createEngine();
  const { id } = await engine.register(example(path));
  const run = await engine.start(id ?? '', input);
  const { drawing } = await run.view();
  const { definition } = await engine.definition(id ?? '');
  await engine.close();
  return drawGraph(drawing, definition);
}

describe('drawing a definition', () => {
  test('of the token dialect: names, actions, what transitions are taken for', async () => {
    const graph = await drawn('02-branch/workflow.json', { prices: [1] });
    expect(graph.nodes.map(({ id, what }) => [id, what])).toEqual([
      ['price', 'core.echo'],
      ['ask-manager', 'passes on'],
      ['approve', 'passes on'],
      ['archive', 'passes on'],
    ]);
    expect(graph.edges.map(({ from, to, label }) => [from, to, label])[0]).toEqual([
      'price',
      'ask-manager',
      'state.total > 1000',
    ]);
    expect(isPlaced(graph)).toBe(false);
  });

  test('of the thread dialect: types, and the outputs of connectors', async () => {
    const graph = await drawn('10-threads/workflow.json', { customer: 'Ada', items: ['hat'] });
    expect(graph.nodes.find(({ id }) => id === 'speed')?.what).toBe('switch');
    expect(graph.edges.find(({ from, to }) => from === 'both' && to === 'parcels')?.label).toBe('parcels');
  });

  test('of the handle dialect: labels, and the outputs of connections', async () => {
    const graph = await drawn('12-handles/workflow.json', { order: { total: 120 } });
    expect(graph.nodes[0]).toMatchObject({ id: '1', title: 'An order comes in', what: 'MANUAL_TRIGGER' });
    expect(graph.edges.map(({ id, label }) => [id, label]).slice(0, 3)).toEqual([
      ['e1-2', ''],
      ['e2-3', 'true'],
      ['e2-4', 'false'],
    ]);
  });

  test('of the dataflow dialect: the outputs that edges take', async () => {
    const graph = await drawn('09-dataflow/workflow.json', { net: 80 });
    expect(graph.nodes.map(({ what }) => what)).toEqual(['core.input', 'number', 'multiply', 'sum', 'money']);
    expect(graph.edges.map(({ from, to }) => [from, to])).toContainEqual(['total', 'label']);
  });

  test('whatever a definition holds, every node is drawn', () => {
    const drawing = { nodes: ['a'], transitions: [], hiddenNode: null };
    for (const nodes of [null, 'a', [null], [{ id: 7 }], [{ id: 'a', position: 'x', meta: 3, data: [], name: '' }]])
      expect(drawGraph(drawing, { nodes }).nodes).toMatchObject([{ id: 'a', title: 'a', position: null }]);
  });

  test('what lies in a container lies where both say', () => {
    const nodes = [
      { id: 'box', position: { x: 100, y: 50 } },
      { id: 'in', parentId: 'box', position: { x: 10, y: 20 } },
    ];
    const graph = drawGraph({ nodes: ['box', 'in'], transitions: [], hiddenNode: null }, { nodes });
    expect(isPlaced(graph)).toBe(true);
    expect(placesOf(graph).get('in')).toEqual({ x: 110, y: 70 });
  });
});

describe('arrow keys', () => {
  const places = new Map([
    ['a', { x: 0, y: 0 }],
    ['b', { x: 0, y: 100 }],
    ['c', { x: 200, y: 110 }],
  ]);

  test('lead to the nearest node that way, and nowhere if there is none', () => {
    expect([neighbour(places, 'a', 'down'), neighbour(places, 'b', 'right'), neighbour(places, 'c', 'up')]).toEqual([
      'b',
      'c',
      'b',
    ]);
    expect([neighbour(places, 'a', 'up'), neighbour(places, 'nobody', 'up')]).toEqual([null, null]);
  });
});
