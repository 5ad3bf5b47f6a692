// Transition fields: the ways between nodes. Part of the table in `fields.ts`.

import type { JsonObject } from '../base/json.ts';
import { groupName, itemVariable, nodeId, transitionId } from './names.ts';
import { type ObjectShape, type Shape, shorten } from './shape.ts';
import { synchronizationShape } from './synchronization-fields.ts';

const expression: Shape = { type: 'text', what: 'an expression' };

const foreachShape: ObjectShape = {
  type: 'object',
  what: 'a foreach',
  fields: {
    collection: {
      shape: expression,
      required: true,
      description: 'An expression that gives the list.',
      examples: ['state.papers'],
    },
    itemVar: { shape: itemVariable, description: 'The name by which expressions in the branch read their item.' },
    maxParallel: {
      shape: { type: 'number', integer: true, min: 1, limit: 'branchesPerFanOutMax' },
      description: 'The most branches under way at one time.',
    },
  },
};

const loopShape: ObjectShape = {
  type: 'object',
  what: 'a loop',
  fields: {
    maxIterations: {
      shape: { type: 'number', integer: true, min: 1, limit: 'loopIterationsMax' },
      required: true,
      description: 'How often the transition may be taken in one go.',
      examples: [3],
    },
  },
};

export const transitionShape: ObjectShape = {
  type: 'object',
  what: 'a transition',
  label: (value) => `transition "${endOf(value, 'from')}->${endOf(value, 'to')}"`,
  fields: {
    id: { shape: transitionId, description: 'Unique among the transitions. Absent: made from the ends.' },
    from: { shape: nodeId, required: true, aliases: ['fromNode', 'fromNodeId'], description: 'The node it leaves.' },
    to: { shape: nodeId, required: true, aliases: ['toNode', 'toNodeId'], description: 'The node it leads to.' },
    priority: {
      shape: { type: 'number', integer: true, min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER },
      description: 'Lower ones are tried first; of equal ones all that match fire. Default: 1.',
    },
    condition: {
      shape: { type: 'either', of: [expression, { type: 'boolean' }, { type: 'structured' }] },
      description: 'When it is taken: an expression, or a structured condition such as {field, op, value}.',
      examples: ['state.approval.ok'],
    },
    on: {
      shape: { type: 'choice', values: ['success', 'failure', 'any', 'slice'] },
      description:
        'The outcome of the node after which it is looked at; slice: for each slice of a batch. Default: success.',
    },
    spawnCount: {
      shape: { type: 'number', integer: true, min: 1, limit: 'branchesPerFanOutMax' },
      description: 'How many tokens it creates. Default: 1.',
    },
    foreach: { shape: foreachShape, aliases: ['forEach'], description: 'One token per item of a list.' },
    siblingGroup: { shape: groupName, description: 'The group that its tokens form, for a later synchronization.' },
    onBranchFailure: {
      shape: { type: 'choice', values: ['fail', 'end'] },
      description: 'fail (default): a failed branch fails the run. end: it only ends the branch.',
    },
    maxFailures: {
      shape: { type: 'number', integer: true, min: 0, limit: 'branchesPerFanOutMax' },
      description: 'With onBranchFailure: end. How many branches may fail. Absent: any number.',
    },
    emptyJoin: {
      shape: nodeId,
      description: 'The node of the join that acts when no branch can arrive, where several could.',
    },
    loop: { shape: loopShape, aliases: ['loopConfig'], description: 'A limit for a way back.' },
    synchronization: { shape: synchronizationShape, description: 'Where branches come together before its target.' },
    meta: { shape: { type: 'opaque' }, description: 'Anything: labels, colours. The engine does not read it.' },
  },
};

/** The end of a transition in whatever spelling its author used. */
function endOf(value: JsonObject, end: 'from' | 'to'): string {
  const found = [end, `${end}_node_id`, `${end}NodeId`, `${end}_node`, `${end}Node`].find((key) =>
    Object.hasOwn(value, key),
  );
  const id = found === undefined ? undefined : value[found];
  return typeof id === 'string' ? shorten(id) : '?';
}
