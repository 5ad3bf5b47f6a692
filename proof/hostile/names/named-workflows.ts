// Named workflows: one of each dialect in which everything that can have a name has one from a list.

import type { Json } from '../../../packages/heddle/src/base/json.ts';

export interface Names {
  readonly one: string;
  readonly two: string;
  readonly three: string;
  readonly key: string;
  readonly other: string;
  readonly variable: string;
  readonly group: string;
}

const strategies = ['append', 'collect', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins', 'output_merge'];
const read = (section: string, key: string): string => `${section}[${JSON.stringify(key)}]`;

/** A target has no dots and brackets; names with quotes may be keys of it. */
export function tokenOf({ one, two, three, key, other, variable, group }: Names, variant: number): Json {
  return {
    id: `token-${variant}`,
    initialNode: one,
    nodes: [
      { id: one },
      {
        id: two,
        action: 'echo',
        inputMapping: { [key]: read(variable, key), [`${other}.${key}`]: '_branch.index' },
        outputMapping: { [`state.${key}`]: 'result', [`state.${other}.${key}`]: read('result', key) },
      },
      { id: three, outputMapping: { [`output.${other}`]: read('state', other) } },
    ],
    transitions: [
      { id: other, from: one, to: two, foreach: { collection: 'input.list', itemVar: variable }, siblingGroup: group },
      {
        from: two,
        to: three,
        synchronization: {
          siblingGroup: group,
          strategy: 'all',
          merge: {
            source: read('state', key),
            target: `output.${key}`,
            strategy: strategies[variant % strategies.length] ?? 'append',
          },
        },
      },
    ],
    outputMapping: { [key]: `output`, [other]: read('input', other) },
  };
}

export function dataflowOf({ one, two, three, key, other }: Names, variant: number): Json {
  const isDeclared = variant % 2 === 0;
  return {
    dialect: 'dataflow',
    id: `dataflow-${variant}`,
    nodes: [
      { id: one, type: 'echo', inputs: { [key]: 1, [other]: [1, { [key]: 2 }] } },
      { id: two, type: 'echo', ...(isDeclared ? { inputs: [{ name: key }, { name: other, repeated: true }] } : {}) },
      { id: three, type: 'core.input' },
    ],
    edges: [
      { source: one, sourceOutput: key, target: two, targetInput: key },
      { source: one, sourceOutput: other, target: two, targetInput: other },
      { source: three, sourceOutput: other, target: two, targetInput: other },
    ],
  };
}

export function threadOf({ one, two, three, key, other }: Names, variant: number): Json {
  return {
    dialect: 'thread',
    id: `thread-${variant}`,
    nodes: [
      { id: one, type: 'start' },
      {
        id: two,
        type: 'switch',
        entries: [{ name: key, expression: variant % 2 === 0 ? 'true' : 'false' }, { name: other }],
      },
      { id: 'edit', type: 'edit', upserts: [{ path: `a.${key}`, value: { [other]: 1 } }], deletes: [other] },
      { id: 'both', type: 'fanOut', outputs: [key, other] },
      { id: 'left', type: 'code', path: `output.${key}`, expression: '1' },
      { id: 'right', type: 'code', path: `output.${other}`, expression: '2' },
      { id: three, type: 'fanIn' },
      { id: 'end', type: 'end' },
    ],
    connectors: [
      { from: one, to: two },
      { from: two, output: key, to: 'edit' },
      { from: two, output: other, to: 'both' },
      { from: 'edit', to: 'both' },
      { from: 'both', output: key, to: 'left' },
      { from: 'both', output: other, to: 'right' },
      { from: 'left', to: three },
      { from: 'right', to: three },
      { from: three, to: 'end' },
    ],
  };
}

export function handleOf({ one, two, three, key, other }: Names, variant: number): Json {
  const taken = variant % 2 === 0 ? key : other;
  return {
    dialect: 'handle',
    id: `handle-${variant}`,
    nodes: [
      { id: one, type: 'ROUTE', data: { _branch: taken, [key]: { [other]: 1 } } },
      { id: two, type: 'ROUTE', data: { [other]: 2 } },
      { id: three, type: 'ROUTE', data: { [key]: 3 } },
    ],
    connections: [
      { fromNodeId: one, fromOutput: key, toNodeId: two, toInput: other },
      { fromNodeId: one, fromOutput: other, toNodeId: three, toInput: key },
    ],
  };
}
