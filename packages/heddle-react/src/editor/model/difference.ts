// Difference: what differs between two definitions, by nodes and edges, and line by line.

import type { Json, JsonObject } from 'heddle';
import { adapterOf } from './adapters.ts';
import { drawEdges, edgesOf, nodesOf } from './graph.ts';
import { textOf } from './places.ts';

export type Mark = 'added' | 'removed' | 'changed';

export interface Difference {
  /** By id. */
  readonly nodes: ReadonlyMap<string, Mark>;
  /** By key. */
  readonly edges: ReadonlyMap<string, Mark>;
  /** Other fields of the definition, by name. */
  readonly fields: ReadonlyMap<string, Mark>;
}

export const isSame = ({ nodes, edges, fields }: Difference): boolean => nodes.size + edges.size + fields.size === 0;

/** How things are drawn (`meta`, positions) is no difference: it makes no new version. */
export function compareDefinitions(before: JsonObject, after: JsonObject): Difference {
  return {
    nodes: compare(nodesById(before), nodesById(after)),
    edges: compare(edgesByKey(before), edgesByKey(after)),
    fields: compare(otherFields(before), otherFields(after)),
  };
}

const drawnFields = new Set([
  'meta',
  'position',
  'positionAbsolute',
  'measured',
  'width',
  'height',
  'style',
  'selected',
  'dragging',
]);

const nodesById = (definition: JsonObject): ReadonlyMap<string, string> =>
  new Map(nodesOf(definition).map((node) => [textOf(node['id']), contentOf(node)]));

function edgesByKey(definition: JsonObject): ReadonlyMap<string, string> {
  const adapter = adapterOf(definition);
  const edges = edgesOf(definition, adapter);
  return new Map(drawEdges(definition, adapter).map(({ key, index }) => [key, contentOf(edges[index] ?? {})]));
}

function otherFields(definition: JsonObject): ReadonlyMap<string, string> {
  const lists = new Set([
    'nodes',
    adapterOf(definition).edgesField(definition),
    'version',
    'meta',
    'viewport',
    '$schema',
  ]);
  return new Map(
    Object.entries(definition).flatMap(([name, value]) => (lists.has(name) ? [] : [[name, stable(value)]])),
  );
}

const contentOf = (part: JsonObject): string =>
  stable(Object.fromEntries(Object.entries(part).filter(([name]) => !drawnFields.has(name))));

/** The order of members says nothing. */
function stable(value: Json): string {
  return JSON.stringify(value, (_, member: Json) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function compare(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const [name, content] of after) {
    if (!before.has(name)) marks.set(name, 'added');
    else if (before.get(name) !== content) marks.set(name, 'changed');
  }
  for (const name of before.keys()) if (!after.has(name)) marks.set(name, 'removed');
  return marks;
}

export interface DiffLine {
  readonly mark: 'same' | 'added' | 'removed';
  readonly text: string;
}

const linesMax = 2_000;

/** By the longest common lines; long texts are compared at their ends alone. */
export function compareLines(before: string, after: string): readonly DiffLine[] {
  const [old, next] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const same = (lines: readonly string[]): readonly DiffLine[] => lines.map((text) => ({ mark: 'same', text }));
  return [
    ...same(old.slice(0, start)),
    ...compareMiddle(old.slice(start, old.length - end), next.slice(start, next.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

function compareMiddle(old: readonly string[], next: readonly string[]): readonly DiffLine[] {
  const all = (mark: 'added' | 'removed', lines: readonly string[]): DiffLine[] =>
    lines.map((text) => ({ mark, text }));
  if (old.length * next.length > linesMax * linesMax) return [...all('removed', old), ...all('added', next)];
  const width = next.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = next.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === next[j]
          ? (common[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length && j < next.length) {
    if (old[i] === next[j]) {
      lines.push({ mark: 'same', text: old[i] ?? '' });
      i += 1;
      j += 1;
    } else if ((common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0)) {
      lines.push({ mark: 'removed', text: old[i] ?? '' });
      i += 1;
    } else {
      lines.push({ mark: 'added', text: next[j] ?? '' });
      j += 1;
    }
  }
  return [...lines, ...all('removed', old.slice(i)), ...all('added', next.slice(j))];
}
