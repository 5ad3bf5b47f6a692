// Handle drawing: random nodes and connections, with ways back, meeting paths, doubled ways and handles that lead
// nowhere; and what the executor of each node does.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { drawTask, type Task } from './task-script.ts';
import { type Bag, digest } from './values.ts';

export interface HandleNode {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject | null;
  readonly task: Task;
  readonly behaviour: Behaviour;
}

/** What its executor puts into the context that it returns. */
interface Behaviour {
  /** One of these is `_branch`; which, the context decides. Undefined: it names none. */
  readonly branches: readonly (Json | undefined)[];
  readonly wait: Json | undefined;
  readonly waitUntil: Json | undefined;
  /** It hands on what it was given, or begins a new context. */
  readonly keepsContext: boolean;
}

export interface Connection {
  readonly from: string;
  readonly to: string;
  /** Null: it names none. */
  readonly handle: string | null;
}

export interface Drawing {
  readonly id: string;
  readonly nodes: readonly HandleNode[];
  readonly connections: readonly Connection[];
  readonly maxNodes: number | null;
  readonly timeoutMs: number | null;
}

// ------------------------------------------------------------------------------------------------------------ drawing

export const handleTypes = ['STEP', 'HTTP_REQUEST', 'MANUAL_TRIGGER'] as const;
const handles = [null, 'main', 'x', 'y', 'true', 'false'] as const;
const longWait = { seconds: 4_000_000_000 };

export function drawDrawing(dice: Dice, id: string): Drawing {
  const count = dice.between(1, 8);
  const isNumbered = dice.chance(1, 3);
  const ids = Array.from({ length: count }, (_, index) => (isNumbered ? String(9 - index) : `n${index}`));
  const connections: Connection[] = [];
  // A chain, so that most nodes can be reached, and ways from anywhere to anywhere.
  for (let index = 1; index < count; index++)
    if (!dice.chance(1, 6)) connections.push(drawWay(dice, ids[dice.draw(index)] as string, ids[index] as string));
  for (let more = dice.draw(count + 1); more > 0; more--)
    connections.push(drawWay(dice, dice.pick(ids) as string, dice.pick(ids) as string));
  const nodes = ids.map((node) => drawNode(dice, node));
  return {
    id,
    nodes,
    connections,
    maxNodes: dice.chance(1, 10) ? dice.between(1, 4) : null,
    timeoutMs: dice.chance(1, 16) ? dice.pick([60_000, 100]) : null,
  };
}

const drawWay = (dice: Dice, from: string, to: string): Connection => ({
  from,
  to,
  handle: dice.chance(1, 3) ? dice.pick(handles) : null,
});

function drawNode(dice: Dice, id: string): HandleNode {
  const branch = () => dice.pick<Json | undefined>([undefined, 'x', 'y', true, false, 'main', 'nowhere', null, 7]);
  return {
    id,
    type: dice.chance(1, 3) ? dice.pick(handleTypes) : 'STEP',
    data: dice.chance(1, 2) ? { label: id, n: dice.draw(5) } : null,
    // Nobody tries again here, so that one failure is the end.
    task: drawTask(dice, id, { canRetry: false, troubled: 12 }),
    behaviour: {
      branches: dice.chance(1, 3) ? Array.from({ length: dice.between(1, 3) }, branch) : [undefined],
      wait: dice.chance(1, 6)
        ? dice.pick<Json>([
            { seconds: 1 },
            { seconds: 2.9 },
            { seconds: 0.5 },
            { seconds: 'x' },
            null,
            dice.chance(1, 4) ? longWait : {},
          ])
        : undefined,
      waitUntil: dice.chance(1, 10)
        ? dice.pick<Json>([
            { timestamp: '2001-01-01T00:00:00Z' },
            { timestamp: '2030-01-01T00:05:00.500Z', label: 'a while' },
            { timestamp: 'never' },
            5,
          ])
        : undefined,
      keepsContext: !dice.chance(1, 5),
    },
  };
}

// ------------------------------------------------------------------------------------------------------ as definition

export function definitionOf(dice: Dice, { id, nodes, connections, maxNodes, timeoutMs }: Drawing): Json {
  const settings = {
    dialect: 'handle',
    id,
    ...(maxNodes === null ? {} : { maxNodes }),
    ...(timeoutMs === null ? {} : { timeoutMs }),
  };
  const drawn = nodes.map(({ id: node, type, data }) => ({ id: node, type, ...(data === null ? {} : { data }) }));
  if (dice.chance(1, 6)) {
    const edges = connections.map(({ from, to, handle }) => ({ source: from, target: to, sourceHandle: handle }));
    return { ...settings, nodes: drawn.map((node) => ({ ...node, position: { x: 1, y: 2 } })), edges };
  }
  return {
    ...settings,
    nodes: drawn,
    connections: connections.map(({ from, to, handle }) => ({
      fromNodeId: from,
      toNodeId: to,
      ...(handle === null ? {} : { fromOutput: handle }),
    })),
  };
}

// ---------------------------------------------------------------------------------------------------------- executing

/** What the executor of a node returns: a context that tells of the one it was given, and the keys that steer. */
export function execute({ id, behaviour }: HandleNode, context: Bag): Record<string, Json> {
  const number = digest(context, digest(id));
  const { branches, wait, waitUntil, keepsContext } = behaviour;
  const branch = branches[number % branches.length];
  return {
    ...(keepsContext ? context : {}),
    [id]: number,
    last: id,
    ...(branch === undefined ? {} : { _branch: branch }),
    ...(wait === undefined ? {} : { _wait: wait }),
    ...(waitUntil === undefined ? {} : { _waitUntil: waitUntil }),
  };
}
