import { expect, test } from 'vitest';
import { parseDefinition } from '../dialects/parse.ts';
import { defaultLimits } from './limits.ts';

function parse(parts: object): unknown {
  const { problems, definition } = parseDefinition({ id: 'w', ...parts }, { limits: defaultLimits });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return definition;
}

test('[DF6] every field is read in snake_case and under its other names', () => {
  expect(
    parse({
      initial_node_id: 'a',
      input_schema: true,
      output_mapping: { x: 'state.x' },
      timeout_ms: 5,
      nodes: [
        {
          id: 'a',
          action: 'x',
          input_mapping: { a: 'input.a' },
          output_mapping: { 'state.a': 'result' },
          timeout_ms: 9,
        },
        { id: 'b', action: 'x', retry_policy: { max_attempts: 2, initial_delay_ms: 5, retryable_errors: ['E'] } },
        { id: 'c', workflow_call: { workflow_id: 'child', on_failure: 'catch', inherit_artifacts: true } },
      ],
      transitions: [
        {
          from_node_id: 'a',
          to_node_id: 'b',
          foreach: { collection: 'input.list', item_var: 'it', max_parallel: 3 },
          sibling_group: 'g',
          on_branch_failure: 'end',
          max_failures: 1,
        },
        {
          from: 'b',
          to: 'c',
          synchronization: {
            sibling_group: 'g',
            strategy: { m_of_n: 2 },
            timeout_ms: 0,
            on_timeout: 'proceedWithAvailable',
            merge: { target: 'state.x', strategy: 'keyedByBranch' },
          },
        },
        { from: 'c', to: 'a', loopConfig: { max_iterations: 3 } },
        { from: 'c', to: 'c', priority: 2, spawn_count: 1, loop_config: { maxIterations: 3 } },
      ],
    }),
  ).toEqual({
    id: 'w',
    initialNode: 'a',
    inputSchema: true,
    outputMapping: { x: 'state.x' },
    timeoutMs: 5,
    nodes: [
      { id: 'a', action: 'x', inputMapping: { a: 'input.a' }, outputMapping: { 'state.a': 'result' }, timeoutMs: 9 },
      { id: 'b', action: 'x', retry: { maxAttempts: 2, initialDelayMs: 5, retryableErrors: ['E'] } },
      { id: 'c', workflow: { id: 'child', onFailure: 'catch', inheritArtifacts: true } },
    ],
    transitions: [
      {
        from: 'a',
        to: 'b',
        foreach: { collection: 'input.list', itemVar: 'it', maxParallel: 3 },
        siblingGroup: 'g',
        onBranchFailure: 'end',
        maxFailures: 1,
      },
      {
        from: 'b',
        to: 'c',
        synchronization: {
          siblingGroup: 'g',
          strategy: { mOfN: 2 },
          timeoutMs: 0,
          onTimeout: 'proceed_with_available',
          merge: { target: 'state.x', strategy: 'keyed_by_branch' },
        },
      },
      { from: 'c', to: 'a', loop: { maxIterations: 3 } },
      { from: 'c', to: 'c', priority: 2, spawnCount: 1, loop: { maxIterations: 3 } },
    ],
  });
});

test('[DF7, DF8] execution, on_failure and inherit_artifacts of a node', () => {
  expect(
    parse({
      initialNode: 'a',
      nodes: [
        { id: 'a', action: 'x', execution: { retry_policy: { max_attempts: 3 }, timeout_ms: 100 } },
        { id: 'b', workflow_call: 'child', on_failure: 'catch', inherit_artifacts: false },
      ],
      transitions: [{ from: 'a', to: 'b' }],
    }),
  ).toMatchObject({
    nodes: [
      { id: 'a', action: 'x', retry: { maxAttempts: 3 }, timeoutMs: 100 },
      { id: 'b', workflow: { id: 'child', onFailure: 'catch', inheritArtifacts: false } },
    ],
  });
});

test('[DF9] fan_out: all is one tier and one group named after the node; failure routes are no branches', () => {
  const definition = parse({
    initialNode: '1',
    nodes: [{ id: '1', fan_out: 'all' }, { id: 'b' }, { id: 'c' }, { id: 'd', fan_in: 'all' }, { id: 'e' }],
    transitions: [
      { from: '1', to: 'b', priority: 2 },
      { from: '1', to: 'c', priority: 3, condition: 'input.c' },
      { from: '1', to: 'e', priority: 4, on: 'failure' },
      { from: 'b', to: 'd' },
      { from: 'c', to: 'd' },
    ],
  });
  expect(definition).toMatchObject({
    nodes: [{ id: '1' }, { id: 'b' }, { id: 'c' }, { id: 'd' }, { id: 'e' }],
    transitions: [
      { from: '1', to: 'b', priority: 2, siblingGroup: '1' },
      { from: '1', to: 'c', priority: 2, siblingGroup: '1', condition: 'input.c' },
      { from: '1', to: 'e', priority: 4, on: 'failure' },
      { from: 'b', to: 'd', synchronization: { strategy: 'all' } },
      { from: 'c', to: 'd', synchronization: { strategy: 'all' } },
    ],
  });
  expect(parse(definition as object)).toEqual(definition);
});

test('[DF9] fan_out: first_match makes priorities distinct, by priority, then in order', () => {
  expect(
    parse({
      initialNode: 'a',
      nodes: [{ id: 'a', fanOut: 'firstMatch' }, { id: 'b' }],
      transitions: [
        { id: 'x', from: 'a', to: 'b', priority: 5 },
        { id: 'y', from: 'a', to: 'b' },
        { id: 'z', from: 'a', to: 'b' },
      ],
    }),
  ).toMatchObject({ transitions: [{ priority: 3 }, { priority: 1 }, { priority: 2 }] });
});

test('[DF10] fan_in, with merge and on_early_complete beside it, is a synchronization of every inbound transition', () => {
  const synchronization = {
    strategy: { mOfN: 2 },
    onEarlyComplete: 'abandon',
    merge: { target: 'state.all', strategy: 'merge_object' },
  };
  expect(
    parse({
      initialNode: 'a',
      nodes: [
        { id: 'a', fan_out: 'all' },
        { id: 'b' },
        {
          id: 'c',
          fan_in: { m_of_n: 2 },
          on_early_complete: 'abandon',
          merge: { target: 'all', strategy: 'merge_object' },
        },
      ],
      transitions: [
        { from: 'a', to: 'b' },
        { from: 'a', to: 'c' },
        { from: 'b', to: 'c' },
      ],
    }),
  ).toMatchObject({
    nodes: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
    transitions: [{ siblingGroup: 'a' }, { siblingGroup: 'a', synchronization }, { synchronization }],
  });
});

test.each([
  { condition: 'has(state._last_error)', on: 'any' },
  { condition: "state['_last_error'].code == 'X'", on: 'any' },
  { condition: 'state.?_last_error.hasValue()', on: 'any' },
  { condition: { field: 'state._last_error.code', op: '==', value: 'X' }, on: 'any' },
  { condition: 'state.my_last_error', on: undefined },
])('[DF11] a condition on the last error is tried after any outcome: $condition', ({ condition, on }) => {
  const nodes = [{ id: 'a' }, { id: 'b' }];
  const definition = parse({ initialNode: 'a', nodes, transitions: [{ from: 'a', to: 'b', condition }] });
  expect(definition).toMatchObject({ transitions: [on === undefined ? { condition } : { condition, on }] });
  const explicit = [{ from: 'a', to: 'b', condition, on: 'failure' }];
  expect(parse({ initialNode: 'a', nodes, transitions: explicit })).toMatchObject({ transitions: [{ on: 'failure' }] });
});

test('[DF10] a problem in a fan-in is said once, where its author wrote it', () => {
  const source = {
    id: 'w',
    initialNode: 'a',
    nodes: [
      { id: 'a', fan_out: 'all' },
      { id: 'b' },
      { id: 'c', fan_in: { m_of_n: 'size(' }, merge: { source: 'nothing', target: 'state', strategy: 'append' } },
    ],
    transitions: [
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c' },
    ],
  };
  const { problems } = parseDefinition(source, { limits: defaultLimits });
  expect(problems.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
    'EXPRESSION_SYNTAX /nodes/2/fan_in/m_of_n',
    'INVALID_TARGET /nodes/2/merge/target',
    'EXPRESSION_UNKNOWN_NAME /nodes/2/merge/source',
  ]);
});
