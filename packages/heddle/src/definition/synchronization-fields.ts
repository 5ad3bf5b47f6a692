// Synchronization fields: how branches come together. Part of the table in `fields.ts`.

import { groupName } from './names.ts';
import type { Field, ObjectShape, Shape } from './shape.ts';

const expression: Shape = { type: 'text', what: 'an expression' };

const targetShape: Shape = { type: 'text', what: 'a target such as "state.scores"' };

const mergeFields: Readonly<Record<'source' | 'strategy' | 'existing' | 'include', Field>> = {
  source: {
    shape: expression,
    description:
      'Evaluated once per branch. Default: _branch.output; with include "settled" {index, status, output, error}.',
    examples: ['_branch.output.score'],
  },
  strategy: {
    shape: {
      type: 'choice',
      values: ['append', 'collect', 'concat', 'merge_object', 'keyed_by_branch', 'last_wins', 'output_merge'],
    },
    required: true,
    description: 'How the values of the branches become one, in branch order.',
  },
  existing: {
    shape: { type: 'choice', values: ['replace', 'overlay', 'extend'] },
    description:
      'What becomes of the value that the target holds. replace: it is replaced. overlay: objects are laid over it. extend: it comes before the first branch. Default: replace; of output_merge overlay.',
  },
  include: {
    shape: { type: 'choice', values: ['arrived', 'settled'] },
    description:
      'Which branches contribute. arrived (default): those that came. settled: also those that failed or ended elsewhere.',
  },
};

const mergeShape: ObjectShape = {
  type: 'object',
  what: 'a merge',
  fields: {
    target: {
      shape: targetShape,
      required: true,
      description: 'Where the merged value goes, under state or output.',
      examples: ['state.scores'],
    },
    ...mergeFields,
  },
};

export const batchMergeShape: ObjectShape = {
  type: 'object',
  what: 'a merge of slices',
  fields: {
    target: { shape: targetShape, description: 'Where the merged value is written. Absent: it is only the result.' },
    ...mergeFields,
  },
};

/** DF82: one merge, or several that are made in order. */
export const mergesShape: Shape = { type: 'either', of: [mergeShape, { type: 'list', of: mergeShape }] };

const mOfN: Field = {
  shape: { type: 'either', of: [{ type: 'number', integer: true, min: 1, limit: 'branchesPerFanOutMax' }, expression] },
  required: true,
  description: 'How many branches must arrive: a number, or an expression that gives one.',
};

const strategyShape: Shape = {
  type: 'either',
  of: [
    { type: 'choice', values: ['any', 'all'] },
    { type: 'object', what: 'a quorum {"mOfN": n}', fields: { mOfN } },
  ],
};

const siblingFields: Readonly<Record<string, Field>> = {
  siblingGroup: { shape: groupName, description: 'The group that comes together. Absent: the innermost.' },
  strategy: {
    shape: strategyShape,
    description: 'all (default): every branch; any: the first branch; {mOfN: n}: n branches.',
    examples: ['all', { mOfN: 2 }],
  },
  timeoutMs: {
    shape: { type: 'number', integer: true, min: 0, limit: 'timeoutMsMax' },
    description: 'How long to wait from the first arrival on, in milliseconds. 0: for ever.',
  },
  onTimeout: {
    shape: { type: 'choice', values: ['fail', 'proceed_with_available'] },
    description: 'fail (default): the run fails. proceed_with_available: go on with those that came.',
  },
  onEarlyComplete: {
    shape: { type: 'choice', values: ['cancel', 'abandon'] },
    description: 'What becomes of branches that are not needed any more. Default: cancel.',
  },
  merge: { shape: mergesShape, description: 'What becomes of the values of the branches. Several are made in order.' },
};

/** The fields of a node-level fan-in object. */
export const strategyFields: Readonly<Record<string, Field>> = {
  ...siblingFields,
  mOfN: { shape: mOfN.shape, description: mOfN.description },
};

export const synchronizationShape: ObjectShape = {
  type: 'object',
  what: 'a synchronization',
  fields: {
    ...siblingFields,
    over: {
      shape: { type: 'choice', values: ['edges'] },
      description: 'edges: wait for the inbound transitions of the node instead of siblings.',
    },
    require: {
      shape: { type: 'choice', values: ['some', 'all'] },
      description: 'With over: edges. some (default): at least one must have been taken; all: all of them.',
    },
  },
};
