// Compile graph: a definition that passed every check becomes the graph that planning reads. The door for stored
// definitions too; called once per definition version and process.
//
// Always true: the definition passed `parseDefinition`. What it could not have passed with is an engine fault.

import { assert } from '../base/assert.ts';
import { Compiler } from './compile-expressions.ts';
import { compileNode } from './compile-node.ts';
import { compileTransitions } from './compile-transitions.ts';
import type { Definition, JsonSchema } from './definition.ts';
import { makeEdgeGraph } from './edge-graph.ts';
import type { Graph, GraphNode, SchemaCheck, Tier, Transition } from './graph.ts';
import type { Limits } from './limits.ts';
import { compileSchema } from './schema.ts';
import { contentHash } from './version.ts';
import { wire } from './wiring.ts';

export function compileGraph(
  definition: Definition,
  { version, limits: engineLimits }: { version: number; limits: Limits },
): Graph {
  const limits = lowerLimits(engineLimits, definition.limits ?? {});
  const wiring = wire(definition.nodes, definition.transitions ?? []);
  const compiler = new Compiler(definition, limits);
  const { transitions, joins } = compileTransitions(wiring, { compiler, limits: engineLimits });
  const nodes = compileNodes(definition, { compiler, transitions });
  const initialNode = nodes.get(definition.initialNode);
  assert(initialNode, `Expected the initial node "${definition.initialNode}" of "${definition.id}", but there is none`);
  return {
    id: definition.id,
    version,
    hash: contentHash(definition),
    initialNode,
    nodes,
    transitions,
    transitionsById: new Map(transitions.map((transition) => [transition.id, transition])),
    joins,
    edges: makeEdgeGraph(wiring, transitions),
    timeoutMs: definition.timeoutMs ?? null,
    limits,
    inputSchema: compileCheck(definition.inputSchema),
    stateSchema: compileCheck(withoutCounts(definition.stateSchema)),
    outputSchema: compileCheck(definition.outputSchema),
    outputMapping: compiler.finalMapping(definition.outputMapping),
  };
}

function lowerLimits(engine: Limits, own: Readonly<Record<string, number>>): Limits {
  const names = Object.keys(engine) as (keyof Limits)[];
  return Object.fromEntries(
    names.map((name) => [name, Math.min(engine[name], own[name] ?? Infinity)]),
  ) as unknown as Limits;
}

// DF49: the state is checked one written key at a time, so that what its schema says of the object as a whole
// (which keys it needs, how many) is left out.
function withoutCounts(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (typeof schema !== 'object') return schema;
  const wholeObject = new Set(['required', 'minProperties', 'dependentRequired']);
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !wholeObject.has(keyword)));
}

function compileCheck(schema: JsonSchema | undefined): SchemaCheck | null {
  if (schema === undefined) return null;
  const compiled = compileSchema(schema);
  assert('check' in compiled, 'Expected the schemas of a definition to have been checked, but one cannot be compiled');
  return compiled.check;
}

function compileNodes(
  definition: Definition,
  { compiler, transitions }: { compiler: Compiler; transitions: readonly Transition[] },
): Map<string, GraphNode> {
  const outcomes = new Map<string, { success: Transition[]; failure: Transition[] }>();
  for (const transition of transitions) {
    const on = definition.transitions?.[transition.index]?.on ?? 'success';
    const lists = outcomes.get(transition.from) ?? { success: [], failure: [] };
    outcomes.set(transition.from, lists);
    if (on !== 'failure') lists.success.push(transition);
    if (on !== 'success') lists.failure.push(transition);
  }
  return new Map(
    definition.nodes.map((node): [string, GraphNode] => {
      const { success, failure } = outcomes.get(node.id) ?? { success: [], failure: [] };
      return [node.id, compileNode(node, { compiler, onSuccess: makeTiers(success), onFailure: makeTiers(failure) })];
    }),
  );
}

function makeTiers(transitions: readonly Transition[]): Tier[] {
  const tiers = new Map<number, Transition[]>();
  for (const transition of transitions) {
    const tier = tiers.get(transition.priority);
    if (tier === undefined) tiers.set(transition.priority, [transition]);
    else tier.push(transition);
  }
  return [...tiers]
    .toSorted(([left], [right]) => left - right)
    .map(([priority, members]) => ({ priority, transitions: members }));
}
