// Wild dataflow graphs: edges from and to anywhere, ports that nobody has, odd values and types. Most register.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { answerWildly } from './wild-answers.ts';

const types = ['work', 'work', 'core.echo', 'core.input', 'core.flaky', 'core.sleep', 'core.fail', 'note', 'nobody'];
const ids = ['a', 'b', 'c', '1', 'start', 'start_', 'hasOwnProperty', 'x.y', '🜁'];
const ports = ['p', 'ms', 'failures', 'message', '', 'toString'];
const values: readonly Json[] = [1, 'text', null, [], {}, { $number: 'Infinity' }, -1, 'x'.repeat(300)];

export function makeWildDataflow(dice: Dice): Workload {
  const count = dice.between(1, 7);
  return {
    kind: 'wild dataflow',
    isSound: false,
    definitions: [
      {
        dialect: 'dataflow',
        id: 'wild',
        nodes: Array.from({ length: count }, (_, index) => drawNode(dice, index)),
        edges: Array.from({ length: dice.draw(2 * count) }, () => drawEdge(dice, count)),
        ...(dice.chance(1, 8) ? { timeoutMs: 1 } : {}),
        ...(dice.chance(1, 8) ? { decorative: ['work'] } : {}),
      },
    ],
    starts: [{ workflow: 'wild', input: dice.pick<JsonObject>([{}, { p: 1, ms: 5 }, { nodes: {} }]) }],
    actions: ['work'],
    answer: answerWildly,
    check: () => null,
  };
}

function drawNode(dice: Dice, index: number): Json {
  const port = () => dice.pick(['p', 'p', 'p', 'ms', 'message'] as const);
  const inputs: Json = dice.chance(1, 3)
    ? { [port()]: dice.pick(values) as Json }
    : [{ name: port(), type: dice.chance(1, 20) ? 'number' : 'any', value: dice.pick(values) as Json }];
  return {
    id: (dice.chance(1, 30) ? 'a' : ids[index]) ?? 'a',
    type: dice.pick(types) as string,
    ...(dice.chance(1, 3) ? { inputs } : {}),
    ...(dice.chance(1, 6) ? { retry: { maxAttempts: dice.draw(4) + (dice.chance(1, 20) ? 0 : 1) } } : {}),
    ...(dice.chance(1, 8) ? { timeoutMs: 1 } : {}),
    ...(dice.chance(1, 8) ? { cost: 3 } : {}),
  };
}

/** Mostly forward: what goes in circles is refused. */
function drawEdge(dice: Dice, count: number): Json {
  const from = dice.draw(count);
  const to = dice.chance(1, 40) ? dice.draw(count) : dice.between(from + 1, count + 1);
  const nameOf = (index: number): string => ids[index] ?? 'nowhere';
  return {
    source: nameOf(from),
    sourceOutput: dice.pick(ports.slice(0, 3)) as string,
    target: nameOf(to),
    targetInput: dice.chance(1, 20) ? (dice.pick(ports) as string) : 'p',
  };
}
