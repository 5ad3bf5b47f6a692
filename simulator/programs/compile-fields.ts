// What the parts of a program say in a definition: the fields of nodes and transitions.

import type {
  BatchMergeDefinition,
  EventWaitDefinition,
  NodeDefinition,
  RetryDefinition,
  SynchronizationDefinition,
  TransitionDefinition,
} from '../../packages/heddle/src/definition/definition.ts';
import type { Condition, Fan, Merge, Retry, Spawn, Task, Tolerance, Work } from './program.ts';

export type Link = Partial<TransitionDefinition>;

/** What stands around a node. */
export interface Around {
  readonly isInGroup: boolean;
  readonly isInForeach: boolean;
  /** The key of the list whose slice is seen here. */
  readonly list: string | null;
  /** Fan-outs whose joins can be reached from here, by their node. */
  readonly fans: ReadonlyMap<string, Fan>;
}

export function workNode(work: Work, around: Around, more: Readonly<Record<string, string>> = {}): NodeDefinition {
  const id = work.node;
  switch (work.type) {
    case 'task':
      return taskNode(work, around, more);
    case 'call': {
      const { workflow, catches, timeoutMs, retry } = work;
      return {
        id,
        workflow: {
          id: workflow,
          ...(catches ? { onFailure: 'catch' } : {}),
          ...(timeoutMs === null ? {} : { timeoutMs }),
        },
        inputMapping: { x: 'state.x' },
        outputMapping: { 'state.x': 'result.x' },
        ...retryFields(retry),
      };
    }
    case 'prompt': {
      const { deadlineMs } = work;
      const input = deadlineMs === null ? ({ input: true } as const) : { input: { title: id, deadlineMs } };
      return { id, ...input, outputMapping: { 'state.x': 'result.value' } };
    }
    case 'listen': {
      const { correlation, timeoutMs } = work;
      const wait: EventWaitDefinition = {
        event: eventName,
        since: 'any', // whether an event comes before or after a run starts is left to chance
        ...(correlation === null ? {} : { correlation: JSON.stringify(correlation) }),
        ...(timeoutMs === null ? {} : { timeoutMs }),
      };
      return { id, wait, outputMapping: { 'state.x': 'result.value' } };
    }
  }
}

/** The event that programs listen for. */
export const eventName = 'bell';

function taskNode(task: Task, around: Around, more: Readonly<Record<string, string>>): NodeDefinition {
  const { node, writes, retry, timeoutMs } = task;
  return {
    id: node,
    action: 'work',
    inputMapping: {
      x: 'state.x',
      y: 'output.x',
      error: 'state._last_error.code',
      ...(around.isInGroup ? { index: '_branch.index', total: '_branch.total' } : {}),
      ...(around.isInForeach ? { item: 'item' } : {}),
      ...(around.list === null ? {} : { slice: `state.${around.list}`, start: '_batch.start' }),
      ...more,
    },
    ...(writes === 'raw' ? {} : { outputMapping: outputs[writes] }),
    ...(timeoutMs === null ? {} : { timeoutMs }),
    ...retryFields(retry),
  };
}

const outputs = {
  state: { 'state.x': 'result.value', 'state.n': 'result.n' },
  output: { 'output.x': 'result.value' },
} as const;

function retryFields(retry: Retry | null): { retry?: RetryDefinition } {
  if (retry === null) return {};
  const { maxAttempts, backoff, initialDelayMs, maxDelayMs, only } = retry;
  return {
    retry: {
      maxAttempts,
      backoff,
      ...(initialDelayMs === null ? {} : { initialDelayMs }),
      ...(maxDelayMs === null ? {} : { maxDelayMs }),
      ...(only === null ? {} : { retryableErrors: [only] }),
    },
  };
}

const conditions = {
  never: 'false',
  even: '_branch.index % 2 == 0',
  high: 'has(state.n) && state.n >= 2',
  broken: 'state.nothing.more > 1',
} as const;

export function conditionOf(on: Condition): Link {
  return on === 'always' ? {} : { condition: conditions[on] };
}

export function spawnFields(spawn: Spawn): Link {
  switch (spawn.type) {
    case 'one':
      return {};
    case 'count':
      return { spawnCount: spawn.count };
    case 'broken':
      return { foreach: { collection: 'state.nothing', itemVar: 'item' } };
    case 'items': {
      const collection = JSON.stringify(spawn.items);
      return { foreach: { collection, itemVar: 'item', ...maxParallelOf(spawn.maxParallel) } };
    }
  }
}

const maxParallelOf = (maxParallel: number | null) => (maxParallel === null ? {} : { maxParallel });

export function toleranceFields(tolerance: Tolerance | null): Link {
  if (tolerance === null) return {};
  const { maxFailures } = tolerance;
  return { onBranchFailure: 'end', ...(maxFailures === null ? {} : { maxFailures }) };
}

export function synchronizationOf(fan: Fan): SynchronizationDefinition {
  const { quorum, isComputed, isNamed, group, node, merge, abandons, timeoutMs, proceeds } = fan;
  const count = isComputed && quorum !== null ? `${quorum - 1} + 1` : quorum;
  return {
    ...(isNamed ? { siblingGroup: group ?? node } : {}),
    strategy: count === null ? 'all' : count === 1 ? 'any' : { mOfN: count },
    ...(abandons ? { onEarlyComplete: 'abandon' } : {}),
    ...(timeoutMs === null ? {} : { timeoutMs, onTimeout: proceeds ? 'proceed_with_available' : 'fail' }),
    ...(merge === null ? {} : { merge: { ...batchMergeOf(merge), target: 'state.x' } }),
  };
}

export function batchMergeOf({ strategy, source }: Merge): BatchMergeDefinition {
  return { strategy, ...(source === null ? {} : { source }) };
}
