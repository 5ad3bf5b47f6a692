// Problem place: what a problem is about: a node, an edge or the definition itself, and the field in it.

import type { JsonObject } from 'heddle';
import type { Problem } from 'heddle/wire';
import type { DialectAdapter } from './adapter.ts';
import { drawEdges, nodesOf } from './graph.ts';
import { type Place, readPointer, textOf } from './places.ts';

export type ProblemPlace =
  | { readonly type: 'node'; readonly id: string; readonly field: Place }
  | { readonly type: 'edge'; readonly key: string; readonly field: Place }
  | { readonly type: 'definition'; readonly field: Place };

export interface PlacedProblem extends Problem {
  readonly place: ProblemPlace;
}

export function placeProblems(
  problems: readonly Problem[],
  definition: JsonObject,
  adapter: DialectAdapter,
): readonly PlacedProblem[] {
  const nodes = nodesOf(definition);
  const edges = drawEdges(definition, adapter);
  const edgesField = adapter.edgesField(definition);
  return problems.map((problem) => {
    const [list, index, ...field] = readPointer(problem.pointer);
    const node = list === 'nodes' ? nodes[Number(index)] : undefined;
    if (node !== undefined) return { ...problem, place: { type: 'node', id: textOf(node['id']), field } };
    const edge = list === edgesField ? edges[Number(index)] : undefined;
    if (edge !== undefined) return { ...problem, place: { type: 'edge', key: edge.key, field } };
    return { ...problem, place: { type: 'definition', field: readPointer(problem.pointer) } };
  });
}

/** What is told at a field: problems there and deeper, and those that lie between this field and the whole. */
export const isAtField = (place: ProblemPlace, field: Place): boolean =>
  field.length <= place.field.length && field.every((key, index) => String(key) === String(place.field[index]));
