import { RunFold } from 'heddle/journal';
import { describe, expect, test } from 'vitest';
import { drawGraph } from './drawing.ts';
import { journalOf, pricing, roundsThenFanOut } from './journals.testsuite.ts';
import { barOf, marksOf, markText } from './node-marks.ts';
import { edgeText } from './run-flow.ts';
import { figuresOf, type RunFigures } from './run-source.ts';

const { definition, drawing, events } = await journalOf(roundsThenFanOut, { items: [0, 1, 2, 3] }, pricing);

function figuresWhen(isThere: (fold: RunFold) => boolean): RunFigures {
  const fold = new RunFold({ drawing });
  for (const event of events) {
    fold.add(event);
    if (isThere(fold)) break;
  }
  return figuresOf(fold);
}

const texts = (figures: RunFigures): Record<string, string> =>
  Object.fromEntries([...marksOf(figures, drawing)].map(([node, mark]) => [node, markText(mark)]));

describe('marks of nodes', () => {
  test('[W27] a loop is one node, with its rounds on the edge', () => {
    const figures = figuresWhen(() => false);
    expect(texts(figures)['count']).toBe('completed, 3 visits, 3 done');
    const taken = new Map(figures.edges.map((edge) => [edge.edgeId, edge.taken]));
    const ways = drawGraph(drawing, definition).edges.map((edge) => edgeText(edge, taken.get(edge.id) ?? 0));
    expect(ways).toEqual(['state.n < 3 · ↻ 2×', '', 'for each of input.items · 4×', '3×']);
  });

  test('a fan-out is one node, with its branches as figures; its join says who has come and who may', () => {
    const { open } = texts(figuresWhen((fold) => fold.groups()[0]?.failed === 1));
    expect(open).toMatch(/^completed, \d of 4 branches done(, \d active)?, 1 failed$/);
    const { sum } = texts(figuresWhen((fold) => fold.groups()[0]?.arrived === 1));
    expect(sum).toMatch(/^waiting, 1 arrived, [23] may still come(, 1 gone)?$/);
    expect(texts(figuresWhen(() => false))).toMatchObject({
      open: 'completed, 3 of 4 branches done, 1 failed',
      price: 'completed, 4 visits, 3 done, 1 failed',
      sum: 'completed',
    });
  });

  test('[W24] a join that nobody has come to yet says how many may come, and that it was not reached', () => {
    const { sum } = texts(figuresWhen((fold) => fold.groups().length === 1));
    expect(sum).toBe('not reached, 0 arrived, 4 may still come');
  });

  test('nodes that were not reached say so', () => {
    expect(texts(figuresWhen((fold) => fold.count === 1))).toEqual({
      count: 'not reached',
      open: 'not reached',
      price: 'not reached',
      sum: 'not reached',
    });
  });

  test('the parts of a bar add up to its branches, whatever is told', () => {
    for (const opened of [
      { total: 10, arrived: 3, ended: 2, failed: 1, notBegun: 4 },
      { total: 10, arrived: 10, ended: 0, failed: 0, notBegun: 0 },
      { total: 5, arrived: 0, ended: 5, failed: 5, notBegun: 0 },
      { total: 0, arrived: 0, ended: 0, failed: 0, notBegun: 0 },
    ]) {
      const { done, active, failed, waiting, total } = barOf(opened);
      expect(done + active + failed + waiting).toBe(total);
    }
  });
});
