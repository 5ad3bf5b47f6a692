// Random dataflow graphs, and a plain interpreter that says what each must come to. The interpreter goes over the nodes
// one after the other, again and again, until nothing changes; it shares no code with the engine.

import type { Json } from '../../packages/heddle/src/index.ts';
import type { Random } from './play.testsuite.ts';

export interface DrawnNode {
  readonly id: string;
  readonly type: 'work';
  readonly inputs: readonly DrawnInput[];
  /** What the test makes of it; not part of the definition. */
  readonly fails: boolean;
}

interface DrawnInput {
  readonly name: string;
  readonly value?: Json;
  readonly repeated?: boolean;
  readonly type?: 'any';
}

export interface DrawnEdge {
  readonly source: string;
  readonly sourceOutput: string;
  readonly target: string;
  readonly targetInput: string;
}

export interface Drawn {
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

type Values = Readonly<Record<string, Json>>;

/** What became of a node. */
export type Fate =
  | { readonly type: 'completed'; readonly inputs: Values; readonly outputs: Values }
  | { readonly type: 'failed'; readonly inputs: Values; readonly error: string }
  | { readonly type: 'skipped' };

// --------------------------------------------------------------------------------------------------------- drawing

const below = (random: Random, count: number): number => Math.floor(random() * count);
const oneOf = <Item>(random: Random, items: readonly Item[]): Item => items[below(random, items.length)] as Item;

const ports = ['p', 'q', 'r'] as const;

/** Up to five layers of up to five nodes; most edges come from the layer before, some from any earlier one. */
export function drawGraph(random: Random): Drawn {
  const failing = oneOf(random, [0, 0.05, 0.3]);
  const layers: string[][] = [];
  for (let depth = 1 + below(random, 5); depth > 0; depth--) {
    const width = 1 + below(random, 5);
    const first = layers.flat().length;
    layers.push(Array.from({ length: width }, (_, index) => `n${first + index}`));
  }
  const edges = layers.flatMap((layer, depth) =>
    layer.flatMap((target) => drawEdges(random, { target, layers: layers.slice(0, depth) })),
  );
  const nodes = layers.flat().map((id) => drawNode(random, { id, fails: random() < failing }));
  // The list need not be in a right order.
  return { nodes: random() < 0.5 ? nodes : shuffle(random, nodes), edges: shuffle(random, edges) };
}

function drawEdges(random: Random, { target, layers }: { target: string; layers: string[][] }): DrawnEdge[] {
  const near = layers.at(-1) ?? [];
  if (near.length === 0) return [];
  const sources = Array.from({ length: below(random, 5) }, () => oneOf(random, random() < 0.6 ? near : layers.flat()));
  return sources.flatMap((source) =>
    Array.from({ length: random() < 0.2 ? 2 : 1 }, () => ({
      source,
      sourceOutput: oneOf(random, ['x', 'y', 'none']),
      target,
      targetInput: oneOf(random, ports),
    })),
  );
}

function drawNode(random: Random, { id, fails }: { id: string; fails: boolean }): DrawnNode {
  const inputs = ports.map(
    (name, index): DrawnInput => ({
      name,
      type: 'any',
      ...(random() < 0.3 ? { value: { static: `${id}.${name}` } } : {}),
      ...(index === 2 || random() < 0.2 ? { repeated: true } : {}),
    }),
  );
  return { id, type: 'work', inputs, fails };
}

function shuffle<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .toSorted((left, right) => left.rank - right.rank)
    .map(({ item }) => item);
}

// ---------------------------------------------------------------------------------------------------- interpreting

/** What a node makes of its inputs: a value that tells of all of them, and another that is there only sometimes. */
export function compute(id: string, inputs: Values): Values {
  const text = JSON.stringify(Object.entries(inputs).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  let hash = 7;
  for (const letter of `${id}${text}`) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003;
  return hash % 3 === 0 ? { x: hash } : { x: hash, y: { of: id, hash } };
}

export const errorOf = (id: string): string => `${id} has failed`;

/** The ids of the nodes that a node takes from. */
export const takenFrom = ({ edges }: Drawn, id: string): string[] => [
  ...new Set(edges.filter(({ target }) => target === id).map(({ source }) => source)),
];

export function interpret(drawn: Drawn): Map<string, Fate> {
  const fates = new Map<string, Fate>();
  for (let known = -1; known < fates.size; ) {
    known = fates.size;
    for (const node of drawn.nodes) {
      const sources = takenFrom(drawn, node.id).map((id) => fates.get(id));
      if (fates.has(node.id) || sources.includes(undefined)) continue;
      const isBlocked = sources.some((fate) => fate?.type !== 'completed');
      fates.set(node.id, isBlocked ? { type: 'skipped' } : runNode(drawn, node, fates));
    }
  }
  return fates;
}

function runNode(drawn: Drawn, { id, inputs: declared, fails }: DrawnNode, fates: ReadonlyMap<string, Fate>): Fate {
  const inputs: Record<string, Json> = {};
  for (const { name, value, repeated } of declared) {
    const came: Json[] = [];
    for (const { source, sourceOutput, target, targetInput } of drawn.edges) {
      const fate = fates.get(source);
      if (target !== id || targetInput !== name || fate?.type !== 'completed') continue;
      const brought = fate.outputs[sourceOutput];
      if (brought !== undefined) came.push(brought);
    }
    const last = came.at(-1);
    if (last !== undefined) inputs[name] = repeated ? came : last;
    else if (value !== undefined) inputs[name] = value;
  }
  return fails
    ? { type: 'failed', inputs, error: errorOf(id) }
    : { type: 'completed', inputs, outputs: compute(id, inputs) };
}
