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
  const drawing: Drawing = {
    nodes: Array.from({ length: count }, (_, index) => drawNode(dice, index)),
    connections: Array.from({ length: dice.draw(3 * count) }, () => drawConnection(dice, count)),
  };
  return {
    kind: 'wild handle',
    isSound: false,
    definitions: [
      {
        dialect: 'handle',
        id: 'wild',
        // No dice are thrown for it, so that seeds keep their worlds.
        ...(count % 2 === 0 ? runInParallel(drawing) : drawing),
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

interface Drawing {
  readonly nodes: readonly DrawnNode[];
  readonly connections: readonly DrawnConnection[];
}

interface DrawnNode extends JsonObject {
  readonly id: string;
  readonly type: string;
}

interface DrawnConnection extends JsonObject {
  readonly fromNodeId: string;
  readonly toNodeId: string;
}

/** Ways back become loops, meeting ways joins; some nodes become conditions, and a note a list over the node behind it. */
function runInParallel({ nodes, connections }: Drawing): JsonObject {
  const list = nodes.findIndex(({ type }) => type === 'note');
  const inside = list === -1 ? undefined : nodes[list + 1];
  const parts: Readonly<Record<string, JsonObject>> = {
    'core.flaky': { type: 'core.condition', data: { condition: 'size(nodes) > 2' } },
    note: { type: 'core.foreach', data: { items: '=[1, 2, 3]', parallel: 2, tolerateFailures: true } },
  };
  return {
    mode: 'parallel',
    maxIterations: 2,
    nodes: nodes.map((node) => ({
      ...node,
      ...(node !== inside ? parts[node.type] : { parentId: nodes[list]?.id ?? '' }),
    })),
    connections: connections.filter(({ fromNodeId, toNodeId }) => ![fromNodeId, toNodeId].includes(inside?.id ?? '')),
  };
}

function drawNode(dice: Dice, index: number): DrawnNode {
  const data = dice.pick<Json>([{}, { failures: 2 }, { $number: 'NaN' }, { message: null, code: 5 }]);
  return {
    id: (dice.chance(1, 40) ? 'a' : ids[index]) ?? 'a',
    type: dice.pick(types) as string,
    ...(dice.chance(1, 3) ? { data } : {}),
  };
}

function drawConnection(dice: Dice, count: number): DrawnConnection {
  const anyNode = (): string => (dice.chance(1, 60) ? 'nowhere' : (ids[dice.draw(count)] ?? 'a'));
  return {
    fromNodeId: anyNode(),
    toNodeId: anyNode(),
    ...(dice.chance(1, 3) ? { fromOutput: dice.pick(handles) as string } : {}),
    ...(dice.chance(1, 6) ? { toInput: dice.pick(handles) as string } : {}),
  };
}
