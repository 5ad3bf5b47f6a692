// Wild handle drawings: connections between anything, odd data, executors that return what is no context. Most register.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { answerWildly } from './wild-answers.ts';

const types = ['STEP', 'STEP', 'core.echo', 'core.flaky', 'core.fail', 'note', 'nobody', 'INITIAL'];
const ids = ['(start)', 'a', 'b', 'context', '1', 'x.y', 'toString', '🜁'];
const handles = ['main', 'x', 'true', '7', 'null', ' '];

export function makeWildHandle(dice: Dice): Workload {
  const count = dice.between(1, 7);
  return {
    kind: 'wild handle',
    isSound: false,
    definitions: [
      {
        dialect: 'handle',
        id: 'wild',
        nodes: Array.from({ length: count }, (_, index) => drawNode(dice, index)),
        connections: Array.from({ length: dice.draw(3 * count) }, () => drawConnection(dice, count)),
        ...(dice.chance(1, 8) ? { maxNodes: dice.between(1, 3) } : {}),
        ...(dice.chance(1, 8) ? { timeoutMs: 1 } : {}),
      },
    ],
    starts: [
      {
        workflow: 'wild',
        input: dice.pick<JsonObject>([{}, { context: { context: 1 } }, { _trigger: { depth: 'deep' } }]),
      },
    ],
    actions: ['STEP', 'INITIAL'],
    answer: answerWildly,
    check: () => null,
  };
}

function drawNode(dice: Dice, index: number): Json {
  const data = dice.pick<Json>([{}, { failures: 2 }, { $number: 'NaN' }, { message: null, code: 5 }]);
  return {
    id: (dice.chance(1, 40) ? 'a' : ids[index]) ?? 'a',
    type: dice.pick(types) as string,
    ...(dice.chance(1, 3) ? { data } : {}),
  };
}

function drawConnection(dice: Dice, count: number): Json {
  const anyNode = (): string => (dice.chance(1, 60) ? 'nowhere' : (ids[dice.draw(count)] ?? 'a'));
  return {
    fromNodeId: anyNode(),
    toNodeId: anyNode(),
    ...(dice.chance(1, 3) ? { fromOutput: dice.pick(handles) as string } : {}),
    ...(dice.chance(1, 6) ? { toInput: dice.pick(handles) as string } : {}),
  };
}
