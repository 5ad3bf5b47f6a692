import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../base/json.ts';
import type { TransitionDefinition } from '../definition/definition.ts';
import type { EditDefinition, LoweredNode } from '../definition/lowered.ts';
import { dice } from './dice.testsuite.ts';
import { lowered, Trial, task } from './planning/planning.testsuite.ts';

type Draw = (below: number) => number;

const keys = ['a', 'b', 'c.d', 'toString'] as const;
const keyOf = (draw: Draw): string => keys[draw(keys.length)] ?? 'a';
const pathOf = (draw: Draw): string[] => Array.from({ length: 1 + draw(3) }, () => keyOf(draw));

function valueOf(draw: Draw, depth = 2): Json {
  const kind = draw(depth > 0 ? 6 : 3);
  if (kind < 3) return [1, null, 'text'][kind] ?? null;
  if (kind === 3) return [draw(9)];
  return Object.fromEntries(Array.from({ length: draw(3) }, () => [keyOf(draw), valueOf(draw, depth - 1)]));
}

function editOf(draw: Draw): EditDefinition {
  const kind = draw(5);
  if (kind === 0) return { delete: pathOf(draw) };
  if (kind === 1) return { merge: { literal: objectOf(draw) } };
  return { set: pathOf(draw), to: { literal: valueOf(draw) } };
}

const objectOf = (draw: Draw): JsonObject =>
  Object.fromEntries(Array.from({ length: draw(3) }, () => [keyOf(draw), valueOf(draw)]));

// ------------------------------------------------------------------------------------------- on a plain object

type Plain = { [key: string]: Json | Plain };

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function plainly(before: JsonObject, edits: readonly EditDefinition[]): JsonObject {
  const object = structuredClone(before);
  for (const edit of edits) {
    if ('delete' in edit) remove(object, edit.delete);
    else if ('merge' in edit) layOver(object, (edit.merge as { literal: Plain }).literal);
    else write(object, edit.set, (edit.to as { literal: Json }).literal);
  }
  return object;
}

function remove(object: Plain, [key = '', ...rest]: readonly string[]): void {
  if (!Object.hasOwn(object, key)) return;
  const next = object[key];
  if (rest.length === 0) delete object[key];
  else if (isObject(next)) remove(next, rest);
}

function write(object: Plain, [key = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    object[key] = structuredClone(value);
    return;
  }
  const there = Object.hasOwn(object, key) ? object[key] : undefined;
  const next: Plain = isObject(there) ? there : {};
  object[key] = next;
  write(next, rest, value);
}

function layOver(below: Plain, above: Plain): void {
  for (const [key, value] of Object.entries(above)) {
    const there = Object.hasOwn(below, key) ? below[key] : undefined;
    if (isObject(there) && isObject(value)) layOver(there, value);
    else below[key] = structuredClone(value);
  }
}

// ------------------------------------------------------------------------------------------------------ by nodes

/** What a node sees behind nodes that make the edits, `depth` branches deep, the edits spread over those. */
function seen(before: JsonObject, edits: readonly EditDefinition[], depth: number): Json | undefined {
  const nodes: LoweredNode[] = [{ id: 'start', edits: [{ merge: { literal: before } }] }];
  const ways: TransitionDefinition[] = [];
  const share = Math.ceil(edits.length / (depth + 1));
  for (let level = 0; level <= depth; level++) {
    nodes.push({ id: `n${level}`, edits: edits.slice(level * share, (level + 1) * share) });
    const from = nodes[level]?.id ?? '';
    ways.push({ from, to: `n${level}`, ...(level === 0 ? {} : { siblingGroup: `g${level}` }) });
  }
  nodes.push(task('look', { inputMapping: { all: 'state' } }));
  ways.push({ from: `n${depth}`, to: 'look' });
  const trial = new Trial(lowered(nodes, ways));
  const [handedOut] = trial.of('task.dispatched');
  return (handedOut?.input as JsonObject | undefined)?.['all'];
}

describe('edits that nobody thought of', () => {
  // FROM and COUNT widen the search, as in `random-graphs.test.ts`.
  const from = Number(process.env['FROM'] ?? 1);
  const count = Number(process.env['COUNT'] ?? 150);

  test('[ED1][ED3][ED6] they do what they do to a plain object, however deep the branches', () => {
    for (let seed = from; seed < from + count; seed++) {
      const draw = dice(seed);
      const before = objectOf(draw);
      const edits = Array.from({ length: 1 + draw(6) }, () => editOf(draw));
      const expected = plainly(before, edits);
      for (const depth of [0, 1, 2]) expect([seed, depth, seen(before, edits, depth)]).toEqual([seed, depth, expected]);
    }
  });
});
