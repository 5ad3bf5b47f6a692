// Dataflow graph: a random graph in layers, with edges that skip layers and double each other, so that most are not
// series-parallel. Some nodes fail, some types nobody has, some nodes only edges speak of: all of that is legal.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawTask, settingsOf, type Task } from './task-script.ts';

export interface Port {
  readonly name: string;
  readonly value?: Json;
  readonly isRepeated: boolean;
}

export interface GraphNode {
  readonly id: string;
  /** `work`, `core.input` (the fields of the run's input), `nobody` (no such action), or `ghost` (only edges name it). */
  readonly type: 'work' | 'core.input' | 'nobody' | 'ghost';
  /** Ports that it declares, or only gives values to; none: it takes what edges bring. */
  readonly ports: readonly Port[];
  readonly declares: boolean;
  readonly task: Task;
}

export interface GraphEdge {
  readonly source: string;
  readonly sourceOutput: string;
  readonly target: string;
  readonly targetInput: string;
}

export interface Graph {
  readonly id: string;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly timeoutMs: number | null;
}

/** A graph as it is looked things up in. */
export interface GraphIndex extends Graph {
  /** Nodes that there are: a ghost that no edge speaks of is nowhere. */
  readonly byId: ReadonlyMap<string, GraphNode>;
  readonly inbound: ReadonlyMap<string, readonly GraphEdge[]>;
  /** The nodes that each node takes from, without repeats. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

export function indexGraph(graph: Graph): GraphIndex {
  const named = new Set(graph.edges.flatMap(({ source, target }) => [source, target]));
  const nodes = graph.nodes.filter(({ id, type }) => type !== 'ghost' || named.has(id));
  const inbound = new Map(nodes.map(({ id }) => [id, graph.edges.filter(({ target }) => target === id)]));
  const sources = new Map([...inbound].map(([id, edges]) => [id, [...new Set(edges.map(({ source }) => source))]]));
  return { ...graph, byId: new Map(nodes.map((node) => [node.id, node])), inbound, sources };
}

// ------------------------------------------------------------------------------------------------------------ drawing

const portNames = ['p', 'q', 'r'] as const;
const outputNames = ['x', 'y', 'none'] as const;

/** As people, editors and chance name nodes. */
const namings: readonly [(index: number) => string, ...((index: number) => string)[]] = [
  (index) => `n${index}`,
  (index) => `n${index}`,
  (index) => String(20 - index),
  (index) => ['toString', 'a.b', 'nodes', 'valueOf', 'ä ö', '$number', 'length'][index] ?? `state.${index}`,
];

export function drawGraph(dice: Dice, id: string): Graph {
  const nameOf = dice.pick(namings);
  const layers: string[][] = [];
  let count = 0;
  for (let depth = dice.between(1, 4); depth > 0; depth--)
    layers.push(Array.from({ length: dice.between(1, 3) }, () => nameOf(count++)));
  const nodes = layers.flatMap((layer, depth) => layer.map((node) => drawNode(dice, node, depth)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = layers.flatMap((layer, depth) =>
    layer.flatMap((target) => drawEdges(dice, byId.get(target) as GraphNode, layers.slice(0, depth))),
  );
  // A graph without nodes is one too.
  const isEmpty = dice.chance(1, 60);
  const graph = { id, nodes: isEmpty ? [] : nodes, edges: isEmpty ? [] : edges };
  return { ...graph, timeoutMs: dice.chance(1, 16) ? dice.pick([60_000, 60]) : null };
}

function drawNode(dice: Dice, id: string, depth: number): GraphNode {
  const isOdd = dice.chance(1, 14);
  const odd = dice.pick(depth === 0 ? (['core.input', 'ghost', 'nobody'] as const) : (['ghost', 'nobody'] as const));
  const form = dice.pick(['none', 'list', 'list', 'values', 'single'] as const);
  const names = form === 'none' ? [] : form === 'single' ? portNames.slice(0, 1) : portNames;
  const ports = names.map((name): Port => {
    const hasValue = form === 'values' || dice.chance(1, 3);
    const isRepeated = form !== 'values' && dice.chance(1, 4);
    return { name, isRepeated, ...(hasValue ? { value: drawValue(dice, `${id}.${name}`) } : {}) };
  });
  const type = isOdd ? odd : 'work';
  // A ghost has no ports: nobody declared any.
  return {
    id,
    type,
    ports: type === 'ghost' ? [] : ports,
    declares: form === 'list' || form === 'single',
    task: drawTask(dice, id, { canRetry: true, troubled: 7 }),
  };
}

function drawValue(dice: Dice, text: string): Json {
  return dice.pick<Json>([text, 7, null, [text, [1]], { static: text }, { $number: 'NaN' }, false, {}]);
}

function drawEdges(dice: Dice, target: GraphNode, layers: readonly string[][]): GraphEdge[] {
  const near = layers.at(-1);
  if (near === undefined) return [];
  const all = layers.flat();
  const inputs = target.declares && target.type !== 'ghost' ? target.ports.map(({ name }) => name) : portNames;
  const edges: GraphEdge[] = [];
  for (let count = dice.draw(4); count > 0; count--) {
    const source = dice.pick(dice.chance(1, 3) ? all : near) as string;
    for (let twice = dice.chance(1, 6) ? 2 : 1; twice > 0; twice--)
      edges.push({
        source,
        sourceOutput: dice.pick(outputNames),
        target: target.id,
        targetInput: dice.pick(inputs) as string,
      });
  }
  return edges;
}

// ------------------------------------------------------------------------------------------------------ as definition

/** Drawn plainly, or as React Flow saves it. A ghost is not among the nodes. */
export function definitionOf(dice: Dice, { id, nodes, edges, timeoutMs }: Graph): Json {
  const isReactFlow = dice.chance(1, 6);
  const real = nodes.filter(({ type }) => type !== 'ghost');
  return {
    dialect: 'dataflow',
    id,
    nodes: (dice.chance(1, 3) ? real.toReversed() : real).map((node) => nodeJson(node, isReactFlow)),
    edges: edges.map((edge) => edgeJson(edge, isReactFlow)),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...(dice.chance(1, 6) ? { limits: { concurrencyPerRun: 1 } } : {}),
  };
}

function nodeJson({ id, type, ports, declares, task }: GraphNode, isReactFlow: boolean): Json {
  const list = ports.map(({ name, value, isRepeated }) => ({
    name,
    type: 'any',
    ...(value === undefined ? { required: true } : { value }),
    ...(isRepeated ? { repeated: true } : {}),
  }));
  const values = Object.fromEntries(ports.map(({ name, value = null }) => [name, value]));
  const inputs: Json = declares ? list : values;
  const settings = { id, type, ...settingsOf(task) };
  if (ports.length === 0) return settings;
  return isReactFlow ? { ...settings, position: { x: 0, y: 5 }, data: { inputs, label: id } } : { ...settings, inputs };
}

function edgeJson({ source, sourceOutput, target, targetInput }: GraphEdge, isReactFlow: boolean): Json {
  if (isReactFlow) return { source, sourceHandle: sourceOutput, target, targetHandle: targetInput, animated: true };
  return { source, sourceOutput, target, targetInput };
}
