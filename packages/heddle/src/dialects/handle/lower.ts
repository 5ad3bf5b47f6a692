// Handle lowering: from nodes and connections to a token definition. A hidden node puts the input into the context; each
// node is an action that is given `{data, nodeId, context}` and whose result is the next context.
//
// Always true: what is lowered is a graph without cycles in which every node can be reached from the entry.

import { assert } from '../../base/assert.ts';
import { given } from '../../base/given.ts';
import type { TransitionDefinition } from '../../definition/definition.ts';
import { tokenPolicy } from '../../definition/graph.ts';
import type { EditDefinition, Lowered, LoweredNode } from '../../definition/lowered.ts';
import { findEntryNode, freeId, walkConnections } from './graph.ts';
import type { NormalConnection, NormalHandle, NormalHandleNode } from './normal.ts';
import { lowerParallel } from './parallel/lower.ts';

export function lowerHandle(definition: NormalHandle): Lowered {
  return definition.mode === 'parallel' ? lowerParallel(definition) : lowerSequential(definition);
}

function lowerSequential(definition: NormalHandle): Lowered {
  const { dialect, mode: _, nodes, connections, maxNodes = null, maxIterations: __, ...rest } = definition;
  const entry = findEntryNode(nodes, connections);
  assert(entry, `Expected workflow "${definition.id}" to have nodes, but it has none`);
  const { reached, back } = walkConnections(entry.id, connections);
  const hiddenNode = freeId(nodes);
  const ways = connections.filter((way) => reached.has(way.fromNodeId) && !back.has(way));
  return {
    ...rest,
    initialNode: hiddenNode,
    nodes: [beginning(hiddenNode), ...nodes.filter(({ id }) => reached.has(id)).map(lowerNode)],
    transitions: [{ from: hiddenNode, to: entry.id }, ...lowerConnections(ways)],
    output: { path: ['state', 'context'] },
    policy: {
      ...tokenPolicy,
      dialect,
      noMatch: 'end',
      oneAtATime: true,
      // HN16: without a word of the author the engine's limit counts.
      tasksMax: maxNodes,
      controlKeys: true,
      hiddenNode,
    },
  };
}

const controlKeys = ['_branch', '_wait', '_waitUntil'];

/** HN10: the input of a run is its first context, an empty one if it is no object; control keys are for executors. */
function beginning(id: string): LoweredNode {
  const input = { expression: "type(input) == 'object' ? input : {}" };
  const dropped = controlKeys.map((key): EditDefinition => ({ delete: ['context', key] }));
  return { id, edits: [{ set: ['context'], to: input }, ...dropped] };
}

// HN11: a node's executor is given its data, its id and the context; the context that it returns replaces the one before.
function lowerNode({ id, type, name, data = {} }: NormalHandleNode): LoweredNode {
  return {
    id,
    ...given({ name }),
    action: type,
    inputEdits: [
      { set: ['data'], to: { literal: data } },
      { set: ['nodeId'], to: { literal: id } },
      { set: ['context'], to: { path: ['state', 'context'] } },
    ],
    edits: [{ set: ['context'], to: { path: ['result', 'context'] } }],
  };
}

const edgeJoin = { over: 'edges', require: 'some' } as const;

/**
 * HN12: after a node all connections of the handle that it took are followed. A node that several lead to runs once,
 * after all of those that are followed, and does not wait for those that are not.
 */
function lowerConnections(connections: readonly NormalConnection[]): TransitionDefinition[] {
  const ways = withoutRepeats(connections);
  const inbound = new Map<string, number>();
  for (const { toNodeId } of ways) inbound.set(toNodeId, (inbound.get(toNodeId) ?? 0) + 1);
  return ways.map(({ id, fromNodeId, toNodeId, fromOutput }) => ({
    ...given({ id }),
    from: fromNodeId,
    to: toNodeId,
    condition: `result.branch == ${JSON.stringify(fromOutput)}`,
    ...given({ synchronization: (inbound.get(toNodeId) ?? 0) > 1 ? edgeJoin : undefined }),
  }));
}

/** Two connections from the same handle to the same node are one way, whatever their inputs. */
function withoutRepeats(connections: readonly NormalConnection[]): NormalConnection[] {
  const seen = new Set<string>();
  return connections.filter(({ fromNodeId, fromOutput, toNodeId }) => {
    const way = JSON.stringify([fromNodeId, fromOutput, toNodeId]);
    return !seen.has(way) && seen.add(way);
  });
}
