// Random drawings in the handle dialect, with ways back, meeting paths and handles that lead nowhere, against a plain
// interpreter that walks them in one go and shares nothing with the engine.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NodeExecutor } from '../../packages/heddle/src/dialects/handle/nodes/node-executor.ts';
import { onEveryHost } from './hosts.testsuite.ts';
import { launch } from './token-engine.testsuite.ts';

interface Drawn {
  /** For each node the handle that it names; null for none. */
  readonly takes: readonly (string | null)[];
  readonly ways: readonly (readonly [from: number, to: number, handle: string | null])[];
}

const handle = fc.constantFrom(null, 'main', 'x', 'y');

const drawn: fc.Arbitrary<Drawn> = fc.integer({ min: 1, max: 12 }).chain((count) => {
  const node = fc.integer({ min: 0, max: count - 1 });
  return fc.record({
    takes: fc.array(handle, { minLength: count, maxLength: count }),
    ways: fc.array(fc.tuple(node, node, handle), { maxLength: 30 }),
  });
});

const nameOf = (index: number) => `n${index}`;

function definitionOf({ takes, ways }: Drawn, id: string) {
  return {
    dialect: 'handle',
    id,
    nodes: takes.map((takesHandle, index) => ({
      id: nameOf(index),
      type: 'STEP',
      data: takesHandle === null ? {} : { takes: takesHandle },
    })),
    connections: ways.map(([from, to, fromOutput]) => ({
      fromNodeId: nameOf(from),
      toNodeId: nameOf(to),
      ...(fromOutput === null ? {} : { fromOutput }),
    })),
  };
}

/** Which nodes run, and after which others each must. */
function interpret({ takes, ways }: Drawn): Map<number, Set<number>> {
  const hasInbound = new Set(ways.map(([, to]) => to));
  const entry = Math.max(
    takes.findIndex((_, index) => !hasInbound.has(index)),
    0,
  );
  const after = new Map<number, Set<number>>([[entry, new Set()]]);
  for (const from of forwardOrder(entry, ways)) {
    if (!after.has(from.node)) continue;
    for (const [to, name] of from.ways) {
      if ((name ?? 'main') !== (takes[from.node] ?? 'main')) continue;
      after.set(to, (after.get(to) ?? new Set()).add(from.node));
    }
  }
  return after;
}

/** Nodes in an order in which all ways but those back lead forward, with those ways. */
function forwardOrder(entry: number, ways: Drawn['ways']) {
  const done: { node: number; ways: [to: number, handle: string | null][] }[] = [];
  const state = new Map<number, 'open' | 'done'>();
  const visit = (node: number): void => {
    state.set(node, 'open');
    const forward: [number, string | null][] = [];
    for (const [from, to, name] of ways) {
      if (from !== node || state.get(to) === 'open') continue;
      forward.push([to, name]);
      if (!state.has(to)) visit(to);
    }
    state.set(node, 'done');
    done.push({ node, ways: forward });
  };
  visit(entry);
  return done.toReversed();
}

onEveryHost('handles: random drawings', (host) => {
  test('[T287][T289][T290][T291] each node that the way leads to runs once, after all that led there, one at a time', async () => {
    let visited: number[] = [];
    let underWay = 0;
    let count = 0;
    const step: NodeExecutor = async ({ nodeId, data, context }) => {
      visited.push(Number(nodeId.slice(1)));
      underWay += 1;
      expect(underWay).toBe(1);
      await Promise.resolve();
      underWay -= 1;
      const by = [...(context['by'] as string[]), nodeId];
      return { by, ...(data['takes'] === undefined ? {} : { _branch: data['takes'] }) };
    };
    const t = await host.open({ executors: { STEP: step } });
    const check = async (drawing: Drawn) => {
      visited = [];
      const run = await launch(t, definitionOf(drawing, `w${++count}`), { by: [] });
      expect(await run.summary()).toMatchObject({ status: 'completed', output: { by: visited.map(nameOf) } });
      const expected = interpret(drawing);
      expect(visited.toSorted((a, b) => a - b)).toEqual([...expected.keys()].toSorted((a, b) => a - b));
      for (const [node, before] of expected) {
        for (const other of before) expect(visited.indexOf(other)).toBeLessThan(visited.indexOf(node));
      }
    };
    const seed = Number(process.env.HEDDLE_SEED ?? 20_260_101);
    await fc.assert(fc.asyncProperty(drawn, check), { seed, numRuns: Number(process.env.HEDDLE_RUNS ?? 300) });
  });
});
