// Handle workloads: drawings that are walked one node at a time. Four of five are sound, with an oracle; the fifth is
// wild.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { definitionOf, drawDrawing, execute, type HandleNode, handleTypes } from './handle-drawing.ts';
import { checkHandle } from './handle-oracle.ts';
import type { Part } from './part.ts';
import { answerTask } from './task-script.ts';
import type { Bag } from './values.ts';
import { makeWildHandle } from './wild-handle.ts';

export function makeHandle(dice: Dice): Workload {
  if (dice.chance(1, 5)) return makeWildHandle(dice);
  const part = drawHandle(dice, 'walk');
  return {
    ...part,
    kind: 'handle',
    isSound: true,
    definitions: [part.definition],
    starts: Array.from({ length: dice.between(1, 6) }, () => ({ workflow: part.workflow, input: drawInput(dice) })),
  };
}

export function drawHandle(dice: Dice, workflow: string): Part {
  const drawing = drawDrawing(dice, workflow);
  const nodes = new Map(drawing.nodes.map((node) => [node.id, node]));
  return {
    workflow,
    definition: definitionOf(dice, drawing),
    actions: handleTypes,
    answer: ({ nodeId, input, attempt }) => {
      const node = nodes.get(nodeId) as HandleNode; // only nodes of the drawing are worked on
      return answerTask(node.task, attempt, () => execute(node, contextIn(input)));
    },
    check: (run) => checkHandle(drawing, run),
  };
}

/** Executors are given `{data, nodeId, context}`. */
const contextIn = (input: Json): Bag => (input as { readonly context: Bag }).context;

function drawInput(dice: Dice): JsonObject {
  return dice.pick<JsonObject>([
    {},
    { n: 1 },
    { n: 2, _branch: 'x', _wait: { seconds: 9 } },
    { deep: { list: [1, null] } },
  ]);
}
