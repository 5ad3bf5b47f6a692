// Thread workloads: programs of threads, with sub-workflows, people and slices. Four of five are sound, with an oracle;
// the fifth is wild.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import type { Part } from './part.ts';
import { answerTask } from './task-script.ts';
import { ThreadAuthor } from './thread-author.ts';
import { definitionOf } from './thread-definition.ts';
import { checkThread } from './thread-oracle.ts';
import { isProgram, type Program, type Step, stepsIn, workflowsIn } from './thread-program.ts';
import { resultOf } from './thread-result.ts';
import { makeWildThread } from './wild-thread.ts';

export function makeThread(dice: Dice): Workload {
  if (dice.chance(1, 5)) return makeWildThread(dice);
  const program = new ThreadAuthor(dice).program('threads', dice.pick([6, 12, 24]));
  const workflows = workflowsIn(program);
  const parts = workflows.map((called) => (isProgram(called) ? partOf(called) : called));
  const byWorkflow = new Map(parts.map((part) => [part.workflow, part]));
  const partNamed = (workflow: string) => byWorkflow.get(workflow) as Part; // only these are registered
  const steps = new Map(
    workflows.filter(isProgram).flatMap(({ body }) => stepsIn(body).map((step) => [step.id, step])),
  );
  return {
    kind: 'thread',
    isSound: true,
    // What is called is there before who calls it.
    definitions: parts.toReversed().map(({ definition }) => definition),
    starts: Array.from({ length: dice.between(1, 6) }, () => ({ workflow: 'threads', input: drawInput(dice) })),
    actions: [...new Set(parts.flatMap(({ actions }) => actions))],
    answer: (call) => partNamed(call.workflow).answer(call),
    reply: ({ nodeId }) => (steps.get(nodeId) as StepOf<'ask'>).reply, // only they ask
    check: (run, world) => partNamed(run.workflow).check(run, world),
  };
}

type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;

function partOf(program: Program): Part {
  const steps = new Map(stepsIn(program.body).map((step) => [step.id, step]));
  const isTask = (node: string): boolean => steps.get(node)?.type === 'work';
  return {
    workflow: program.workflow,
    definition: definitionOf(program),
    actions: ['work'],
    answer: ({ nodeId, input, attempt }) => {
      const { task } = steps.get(nodeId) as StepOf<'work'>; // only they have a task
      return answerTask(task, attempt, () => resultOf(nodeId, input));
    },
    check: (run, world) => checkThread(run, { program, world, isTask }),
  };
}

function drawInput(dice: Dice): JsonObject {
  const list = Array.from({ length: dice.draw(5) }, (_, item): Json => item);
  return {
    list,
    ...(dice.chance(1, 3) ? { v: 'given' } : {}),
    ...(dice.chance(1, 2) ? { output: dice.pick<Json>(['before', { k: 'before' }, ['before'], null]) } : {}),
  };
}
