// What the acceptance tests of the dataflow dialect share: small graphs, and looks at their runs.

import { expect } from 'vitest';
import type { DataflowReport, DataflowUpdate } from '../../packages/heddle/src/dialects.ts';
import {
  arithmeticNodes,
  dataflowUpdates,
  defineNodeType,
  type NodeTypes,
  type Run,
} from '../../packages/heddle/src/index.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { type Fields, register } from './token-engine.testsuite.ts';

/** `num1.value->add.a` */
export function edge(text: string, more: Fields = {}): Fields {
  const [, source, sourceOutput, target, targetInput] = /^(.+)\.(.+)->(.+)\.(.+)$/.exec(text) ?? [];
  return { source, sourceOutput, target, targetInput, ...more };
}

/** A node of some type, with the values of its inputs. */
export const node = (id: string, type: string, inputs: Fields = {}, more: Fields = {}): Fields => ({
  id,
  type,
  inputs,
  ...more,
});

/** A node that gives a number. */
export const num = (id: string, value: number): Fields => node(id, 'number', { value });

/** A node whose work the test does. */
export const work = (id: string, more: Fields = {}): Fields => ({ id, type: 'work', ...more });

export function graph(nodes: readonly Fields[], edges: readonly (string | Fields)[] = [], more: Fields = {}): Fields {
  const drawn = edges.map((one) => (typeof one === 'string' ? edge(one) : one));
  return { dialect: 'dataflow', id: 'g', nodes, edges: drawn, ...more };
}

/** Arithmetic, and nodes that fail. */
export const nodeTypes = {
  ...arithmeticNodes,
  broken: defineNodeType({
    run: () => {
      throw new Error('it broke');
    },
  }),
} satisfies NodeTypes;

/** Nodes that compute, and nodes (`work`) whose calls wait for the test. */
export const options = { nodeTypes, scripted: ['work'] } as const;

export async function begin(test: TestEngine, definition: Fields, input: unknown = {}): Promise<Run> {
  await register(test.engine, definition);
  const run = await test.engine.start(String(definition['id']), input);
  await test.settle();
  return run;
}

/** Runs a graph as far as it goes and reports. */
export async function report(test: TestEngine, definition: Fields, input: unknown = {}): Promise<DataflowReport> {
  return (await begin(test, definition, input)).dataflow();
}

/** The four tracking collections. */
export const trackingOf = ({ nodeOutputs, executedNodes, skippedNodes, nodeErrors }: DataflowReport) => ({
  nodeOutputs,
  executedNodes,
  skippedNodes,
  nodeErrors,
});

/** The status of each node, in order. */
export const nodeStatuses = ({ nodes }: DataflowReport): string[] =>
  nodes.map(({ nodeId, status }) => `${nodeId}:${status}`);

export async function updatesOf(run: Run): Promise<DataflowUpdate[]> {
  const updates: DataflowUpdate[] = [];
  for await (const update of dataflowUpdates(run)) updates.push(update);
  return updates;
}

export const failed = (nodeId: string, message: string) => ({
  nodeId,
  status: 'failed',
  error: message,
  failure: { kind: 'execution_error', message },
  outputs: null,
});

export const skipped = (nodeId: string, ...blockedBy: string[]) => ({
  nodeId,
  status: 'skipped',
  skipReason: 'upstream_failure',
  blockedBy,
  outputs: null,
});

/** No node is in more than one list, and those in none are shown as such. */
export function checkLists({ executedNodes, skippedNodes, nodeErrors, nodeOutputs }: DataflowReport): void {
  const all = [...executedNodes, ...skippedNodes, ...Object.keys(nodeErrors)];
  expect(all).toHaveLength(new Set(all).size);
  expect(Object.keys(nodeOutputs)).toEqual(executedNodes);
}
