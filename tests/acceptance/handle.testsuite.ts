// What the acceptance tests of the handle dialect share: small drawings, executors that note what they saw, and
// answers. Nodes whose type is `work` wait for the test.

import type {
  NodeExecutor,
  NodeExecutorParams,
} from '../../packages/heddle/src/dialects/handle/nodes/node-executor.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A node is written `id` (of type STEP) or `id:TYPE`, a connection `from->to` or `from/handle->to`. */
export function drawing(
  nodes: readonly (string | Fields)[],
  connections: readonly (string | Fields)[] = [],
  more: Fields = {},
): Fields {
  return {
    dialect: 'handle',
    id: 'w',
    nodes: nodes.map((node) => (typeof node === 'string' ? nodeOf(node) : node)),
    connections: connections.map((way) => (typeof way === 'string' ? connectionOf(way) : way)),
    ...more,
  };
}

function nodeOf(text: string): Fields {
  const [id, type = 'STEP'] = text.split(':');
  return { id, type };
}

function connectionOf(text: string): Fields {
  const [, fromNodeId, fromOutput, toNodeId] = /^([^/]+?)(?:\/(.+))?->(.+)$/.exec(text) ?? [];
  return { fromNodeId, toNodeId, ...(fromOutput === undefined ? {} : { fromOutput }) };
}

export interface Walked {
  /** Node ids, in the order in which their executors were called. */
  readonly visited: string[];
  /** The context that each node was given. */
  readonly seen: Record<string, unknown>;
  /** STEP and MANUAL_TRIGGER do what `behaviour` says for a node; without it they hand the context on. */
  readonly executors: Readonly<Record<'STEP' | 'MANUAL_TRIGGER', NodeExecutor>>;
}

export function walking(behaviour: Readonly<Record<string, NodeExecutor>> = {}): Walked {
  const visited: string[] = [];
  const seen: Record<string, unknown> = {};
  const step = (params: NodeExecutorParams) => {
    visited.push(params.nodeId);
    seen[params.nodeId] = params.context;
    return behaviour[params.nodeId]?.(params) ?? params.context;
  };
  return { visited, seen, executors: { STEP: step, MANUAL_TRIGGER: step } };
}

/** An executor that adds to the context. */
export const adding =
  (more: Fields): NodeExecutor =>
  ({ context }) =>
    ({ ...context, ...more }) as typeof context; // plain JSON, as tests write it

/** The call of a node of type `work` that waits for the test. */
export function callOf(test: TestEngine, node: string): ScriptedCall {
  const call = test.script.calls.find(({ nodeId, isAnswered }) => nodeId === node && !isAnswered);
  if (call) return call;
  throw new Error(`Expected a call of node ${node} to wait for an answer, but none does`);
}

/** Answers it with the context that it was given and more, and lets everything happen. */
export async function answerNode(test: TestEngine, node: string, more: Fields = {}): Promise<void> {
  const call = callOf(test, node);
  call.complete({ ...(call.input['context'] as Fields), ...more });
  await test.settle();
}
