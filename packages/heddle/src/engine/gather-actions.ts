// Gather actions: actions, executors and node types as one set of actions, or everything that is wrong with them at once.

import type { Limits } from '../definition/limits.ts';
import { addNodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import { addExecutors } from '../dialects/handle/nodes/node-executor.ts';
import type { Actions } from '../executor/action.ts';
import { checkActions, InvalidActionsError } from '../executor/registry.ts';
import type { EngineOptions } from './engine.ts';

/** OP7: what is wrong with any of them is told together, when the engine is made. */
export function gatherActions(
  { actions = {}, executors = {}, nodeTypes = {} }: Pick<EngineOptions, 'actions' | 'executors' | 'nodeTypes'>,
  limits: Limits,
): Actions {
  const named = addExecutors(actions, executors);
  const typed = addNodeTypes(named.actions, nodeTypes);
  const problems = [...named.problems, ...typed.problems];
  // Without such problems the registry tells all that is wrong, when it compiles the actions.
  if (problems.length === 0) return typed.actions;
  throw new InvalidActionsError([...checkActions(typed.actions, limits), ...problems]);
}
