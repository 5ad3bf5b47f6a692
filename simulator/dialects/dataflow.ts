// Dataflow workloads: graphs of ports and edges. Four of five are sound, with an oracle; the fifth is wild.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { definitionOf, drawGraph, type GraphNode, indexGraph } from './dataflow-graph.ts';
import { checkDataflow, computeOutputs } from './dataflow-oracle.ts';
import type { Part } from './part.ts';
import { answerTask } from './task-script.ts';
import { makeWildDataflow } from './wild-dataflow.ts';

export function makeDataflow(dice: Dice): Workload {
  if (dice.chance(1, 5)) return makeWildDataflow(dice);
  const part = drawDataflow(dice, 'graph');
  return {
    ...part,
    kind: 'dataflow',
    isSound: true,
    definitions: [part.definition],
    starts: Array.from({ length: dice.between(1, 6) }, () => ({ workflow: part.workflow, input: drawInput(dice) })),
  };
}

export function drawDataflow(dice: Dice, workflow: string): Part {
  const graph = indexGraph(drawGraph(dice, workflow));
  return {
    workflow,
    definition: definitionOf(dice, graph),
    actions: ['work'],
    answer: ({ nodeId, input, attempt }) => {
      const { task } = graph.byId.get(nodeId) as GraphNode; // only nodes of the graph are worked on
      return answerTask(task, attempt, () => computeOutputs(nodeId, input));
    },
    check: (run) => checkDataflow(graph, run),
  };
}

function drawInput(dice: Dice): JsonObject {
  return {
    ...(dice.chance(1, 2) ? { x: dice.draw(9) } : {}),
    ...(dice.chance(1, 3) ? { y: { from: 'outside' } } : {}),
  };
}
