// Wild thread drawings: nodes of every kind, connected with anything: fan-ins that nobody meets at, loops without an end,
// workflows that call themselves, branches that meet elsewhere. Most register; limits keep them small.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { answerWildly } from './wild-answers.ts';

interface Node {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: Json;
}

const limits = { nodesPerRunMax: 60, nestingMax: 3, descendantsMax: 5, tokensAliveMax: 40, branchesPerFanOutMax: 6 };
const paths = ['output', 'list', 'v.w', 'context', 'output.0'] as const;
const expressions = [
  'context.list',
  '1 + 1',
  'size(context)',
  'context.v.w',
  '_batch.index',
  'input',
  '"x" < 1',
] as const;

export function makeWildThread(dice: Dice): Workload {
  const nodes = [
    { id: 'start', type: 'start' },
    ...Array.from({ length: dice.between(1, 9) }, (_, n) => drawNode(dice, n)),
  ];
  return {
    kind: 'wild thread',
    isSound: false,
    definitions: [{ dialect: 'thread', id: 'wild', nodes, connectors: drawConnectors(dice, nodes), limits }],
    starts: [
      { workflow: 'wild', input: dice.pick<{ [key: string]: Json }>([{}, { list: [1, [2], {}] }, { output: [1] }]) },
    ],
    actions: ['work'],
    answer: answerWildly,
    reply: () => ({ output: 'said', list: [7] }),
    check: () => null,
  };
}

function drawNode(dice: Dice, index: number): Node {
  const id = dice.chance(1, 60) ? 'n0' : `n${index}`;
  const path = dice.pick(paths);
  const expression = dice.pick(expressions);
  const retry = dice.chance(1, 3) ? { retry: { maxAttempts: 2 } } : {};
  return dice.pick<Node>([
    { id, type: 'action', action: dice.pick(['work', 'core.echo', 'core.fail', 'nobody']), ...retry },
    { id, type: 'edit', upserts: [{ path, value: { k: [null] } }], deletes: [path] },
    { id, type: 'fanOut' },
    { id, type: 'fanIn' },
    { id, type: 'switch', entries: [{ name: 'a', expression }, { name: 'b', expression: ' ' }, { name: 'c' }] },
    { id, type: 'batch', items: path, batchSize: dice.draw(3), parallelBatches: 1 + dice.draw(2) },
    { id, type: 'code', path, expression },
    { id, type: 'gosub', workflow: dice.pick(['wild', 'wild', 'nobody']) },
    { id, type: 'input', ...(dice.chance(1, 2) ? { deadlineMs: 50 } : {}) },
    { id, type: 'end', mappings: [{ to: path, expression, optional: true }] },
  ]);
}

const outputNames: Readonly<Record<string, readonly (string | undefined)[]>> = {
  switch: ['a', 'b', 'c'],
  fanOut: ['x', 'y', 'z'],
  batch: ['process', 'continue'],
  end: [],
};

/** The default of a switch must be connected; the others mostly are. */
function drawConnectors(dice: Dice, nodes: readonly Node[]): Json {
  const others = nodes.filter(({ type }) => type !== 'start');
  return nodes.flatMap(({ id, type }, place) =>
    (outputNames[type] ?? [undefined]).flatMap((output): Json[] => {
      if (output !== 'c' && dice.chance(1, 6)) return [];
      // Mostly on, at times back.
      const ahead = others.slice(Math.min(place, others.length - 1));
      const to = (dice.pick(dice.chance(1, 4) ? others : ahead) as Node).id;
      return [{ from: id, to: dice.chance(1, 80) ? 'nowhere' : to, ...(output === undefined ? {} : { output }) }];
    }),
  );
}
