// Compile lowered: a token definition that passed every check, with the policy and edits of its dialect, becomes the graph
// that planning reads. Called once per definition version and process.
//
// Always true: the definition passed `parseDefinition`. What it could not have passed with is an engine fault.

import { assert } from '../base/assert.ts';
import { given } from '../base/given.ts';
import { keysIn } from '../base/keys-in.ts';
import { Compiler } from './compile-expressions.ts';
import { compileNode, type SliceSettings } from './compile-node.ts';
import { compileTransitions } from './compile-transitions.ts';
import type { JsonSchema, TransitionDefinition } from './definition.ts';
import { makeEdgeGraph } from './edge-graph.ts';
import type { Graph, GraphNode, Policy, Tier, Transition } from './graph.ts';
import type { Limits } from './limits.ts';
import type { Lowered } from './lowered.ts';
import { compileCheck } from './schema.ts';
import { wire } from './wiring.ts';

export interface CompileOptions {
  readonly version: number;
  readonly limits: Limits;
  /** What one execution of an action costs, where its node does not say. */
  readonly costOf?: (action: string) => number;
}

/** What a dialect was lowered to; its hash is that of the source. */
export function compileLowered(
  definition: Lowered,
  { version, limits: engineLimits, costOf = () => 0 }: CompileOptions,
): Omit<Graph, 'hash'> {
  const limits = lowerLimits(engineLimits, definition.limits ?? {});
  const wiring = wire(definition.nodes, definition.transitions ?? []);
  const compiler = new Compiler(definition, limits);
  const { transitions, joins } = compileTransitions(wiring, { compiler, limits: engineLimits });
  const nodes = compileNodes(definition, { compiler, transitions, costOf });
  const initialNodes = [definition.initialNode, ...(definition.moreInitialNodes ?? [])].map((id) => {
    const node = nodes.get(id);
    assert(node, `Expected the initial node "${id}" of "${definition.id}", but there is none`);
    return node;
  });
  return {
    id: definition.id,
    version,
    initialNodes,
    nodes,
    transitions,
    transitionsById: new Map(transitions.map((transition) => [transition.id, transition])),
    joins,
    edges: makeEdgeGraph(wiring, transitions),
    timeoutMs: definition.timeoutMs ?? null,
    limits,
    ownLimits: findOwnLimits(engineLimits, limits),
    inputSchema: compileCheck(definition.inputSchema),
    stateSchema: compileCheck(withoutCounts(definition.stateSchema)),
    outputSchema: compileCheck(definition.outputSchema),
    outputMapping: compiler.finalMapping(definition.outputMapping),
    output: definition.output === undefined ? null : compiler.source(definition.output),
    summary: compiler.summary(definition.summary, compiler.scopes.counting),
    policy: compilePolicy(definition, limits),
  };
}

function compilePolicy({ policy, inputPolicy }: Lowered, { handleNodesMax }: Limits): Policy {
  const tasksMax = policy.oneAtATime ? Math.min(policy.tasksMax ?? handleNodesMax, handleNodesMax) : null;
  return { ...policy, inputPolicy: inputPolicy ?? policy.inputPolicy, tasksMax };
}

function lowerLimits(engine: Limits, own: Readonly<Record<string, number>>): Limits {
  const names = keysIn(engine);
  // With the names of `engine`.
  return Object.fromEntries(names.map((name) => [name, Math.min(engine[name], own[name] ?? Infinity)])) as Limits;
}

function findOwnLimits(engine: Limits, lowered: Limits): ReadonlySet<string> {
  const names = keysIn(engine);
  return new Set(names.filter((name) => lowered[name] < engine[name]));
}

// DF49: the state is checked one written key at a time, so that what its schema says of the object as a whole
// (which keys it needs, how many) is left out.
function withoutCounts(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (typeof schema !== 'object') return schema;
  const wholeObject = new Set(['required', 'minProperties', 'dependentRequired']);
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !wholeObject.has(keyword)));
}

interface Outgoing {
  readonly success: Transition[];
  readonly failure: Transition[];
  readonly slice: Transition[];
}

function compileNodes(
  definition: Lowered,
  {
    compiler,
    transitions,
    costOf,
  }: { compiler: Compiler; transitions: readonly Transition[]; costOf: (action: string) => number },
): Map<string, GraphNode> {
  const outcomes = new Map<string, Outgoing>();
  for (const transition of transitions) {
    const on = definition.transitions?.[transition.index]?.on ?? 'success';
    const lists = outcomes.get(transition.from) ?? { success: [], failure: [], slice: [] };
    outcomes.set(transition.from, lists);
    if (on === 'slice') lists.slice.push(transition);
    if (on === 'success' || on === 'any') lists.success.push(transition);
    if (on === 'failure' || on === 'any') lists.failure.push(transition);
  }
  return new Map(
    definition.nodes.map((node): [string, GraphNode] => {
      const { success = [], failure = [], slice = [] } = outcomes.get(node.id) ?? {};
      const sliceSettings: SliceSettings = Object.assign(
        {},
        ...slice.map(({ index }) => pickSettings(definition.transitions?.[index])),
      );
      const ways = { onSuccess: makeTiers(success), onFailure: makeTiers(failure), onSlice: slice };
      return [node.id, compileNode(node, { compiler, costOf, sliceSettings, ...ways })];
    }),
  );
}

const pickSettings = ({ onBranchFailure, maxFailures }: Partial<TransitionDefinition> = {}): SliceSettings => ({
  ...given({ onBranchFailure, maxFailures }),
});

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
