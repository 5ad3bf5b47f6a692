// Drawing: small definitions in few words. Every action of a shape is called `work` and waits for the shape's worker.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';

/** A node whose work a worker does. */
export const work = (id: string, more: JsonObject = {}): JsonObject => ({ id, action: 'work', ...more });

/** The same, which keeps what the worker answers as `state.<id>`. */
export const keep = (id: string, more: JsonObject = {}): JsonObject =>
  work(id, { outputMapping: { [`state.${id}`]: 'result.value' }, ...more });

/** The same in a branch, which tells the worker its number. */
export const branch = (id: string, more: JsonObject = {}): JsonObject =>
  work(id, { inputMapping: { index: '_branch.index' }, outputMapping: { 'state.value': 'result.value' }, ...more });

export const go = (from: string, to: string, more: JsonObject = {}): JsonObject => ({ from, to, ...more });

export const spawn = (from: string, to: string, count: number, more: JsonObject = {}): JsonObject =>
  go(from, to, { spawnCount: count, siblingGroup: 'g', ...more });

export const each = (from: string, to: string, maxParallel: number | null, more: JsonObject = {}): JsonObject =>
  go(from, to, {
    foreach: { collection: 'input.items', itemVar: 'item', ...(maxParallel === null ? {} : { maxParallel }) },
    siblingGroup: 'g',
    ...more,
  });

/** A join of the group `g`, which keeps the values of its branches as `state.values`. */
export const join = (from: string, to: string, more: JsonObject = {}): JsonObject =>
  go(from, to, {
    synchronization: {
      siblingGroup: 'g',
      strategy: 'all',
      merge: { source: '_branch.output.value', target: 'state.values', strategy: 'append' },
      ...more,
    },
  });

/** Begins at its first node; ids alone stand for nodes that do nothing. */
export function workflow(
  id: string,
  nodes: readonly (string | JsonObject)[],
  transitions: readonly JsonObject[] = [],
  more: JsonObject = {},
): JsonObject {
  const made = nodes.map((node) => (typeof node === 'string' ? { id: node } : node));
  return {
    id,
    initialNode: made[0]?.['id'] as Json,
    nodes: made,
    transitions,
    outputMapping: { state: 'state' },
    ...more,
  };
}

/** Nodes one after the other. */
export const row = (id: string, ...nodes: readonly (string | JsonObject)[]): JsonObject => {
  const ids = nodes.map((node) => (typeof node === 'string' ? node : (node['id'] as string)));
  return workflow(
    id,
    nodes,
    ids.slice(1).map((to, index) => go(ids[index] ?? '', to)),
  );
};
