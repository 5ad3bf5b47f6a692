// Limit trial: definitions of too many nodes or transitions, too long, too deep, too tangled, and expressions like that. Each is
// refused at its place, by the name of the limit. Rules DF4, DF42, DF43; attacks A19 to A23.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine, type TestEngine } from '../../../packages/heddle/src/testing/test-engine.ts';
import { show, type Trial } from '../trial.ts';

/** Low, so that what is above them is quickly made. */
const limits = {
  definitionNodesMax: 20,
  definitionTransitionsMax: 30,
  definitionBytesMax: 20_000,
  definitionAnalysisMax: 2_000,
  jsonDepthMax: 20,
  expressionLengthMax: 200,
  expressionDepthMax: 6,
  branchesPerFanOutMax: 5,
  loopIterationsMax: 5,
  timeoutMsMax: 1_000,
  handleNodesMax: 10,
};

interface Excess {
  readonly source: Json;
  readonly code: string;
  readonly pointer: string;
  readonly limit: keyof typeof limits;
}

let opened: Promise<TestEngine> | null = null;
const open = (): Promise<TestEngine> => (opened ??= createTestEngine({ limits }));

export async function makeLimitTrial(dice: Dice): Promise<Trial> {
  const { engine } = await open();
  const { source, code, pointer, limit } = dice.pick(excesses)(dice);
  const check = (): string | null => {
    const problems = engine.validate(source);
    const isTold = problems.some(
      (one) => one.code === code && one.pointer === pointer && one.severity === 'error' && one.message.includes(limit),
    );
    const found = problems.slice(0, 3).map((one) => `${one.code} ${one.pointer}: ${one.message}`);
    return isTold
      ? null
      : `Expected ${code} at ${pointer || 'the top'}, naming ${limit}, but found ${found.join('; ') || 'no problem'}`;
  };
  return { input: () => `definition above ${limit}: ${show(source)}`, check };
}

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

const token = (more: Readonly<Record<string, Json>>): Json => ({
  id: 'w',
  initialNode: 'a',
  nodes: [{ id: 'a' }],
  ...more,
});
const way = (more: Readonly<Record<string, Json>>): Json => token({ transitions: [{ from: 'a', to: 'a', ...more }] });

const excesses: readonly [(dice: Dice) => Excess, ...((dice: Dice) => Excess)[]] = [
  tooManyNodes,
  tooManyWays,
  tooLarge,
  tooDeep,
  tooTangled,
  tooLong,
  tooNested,
  aboveCounts,
];

function tooManyNodes(dice: Dice): Excess {
  const names = ids(limits.definitionNodesMax + dice.between(1, 20));
  const nodes: Json = names.map((id) => ({ id, type: 'work' }));
  const source = dice.pick<Json>([
    { id: 'w', initialNode: 'n0', nodes: names.map((id) => ({ id })) },
    { dialect: 'dataflow', id: 'w', nodes, edges: [] },
    { dialect: 'handle', id: 'w', nodes, connections: [] },
    { dialect: 'thread', id: 'w', nodes: names.map((id) => ({ id, type: 'start' })), connectors: [] },
  ]);
  return { source, code: 'LIMIT_EXCEEDED', pointer: '/nodes', limit: 'definitionNodesMax' };
}

function tooManyWays(dice: Dice): Excess {
  const count = limits.definitionTransitionsMax + dice.between(1, 20);
  const each = (way_: Json): Json => Array.from({ length: count }, () => way_);
  const nodes: Json = [{ id: 'a', type: 'work' }];
  const [source, pointer] = dice.pick<readonly [Json, string]>([
    [token({ transitions: each({ from: 'a', to: 'a' }) }), '/transitions'],
    [{ dialect: 'dataflow', id: 'w', nodes, edges: each({ source: 'a', target: 'a' }) }, '/edges'],
    [{ dialect: 'handle', id: 'w', nodes, edges: each({ source: 'a', target: 'a' }) }, '/edges'],
    [{ id: 'w', nodes: [{ id: 'a', type: 'start' }], connectors: each({ from: 'a', to: 'a' }) }, '/connectors'],
  ]);
  return { source, code: 'LIMIT_EXCEEDED', pointer, limit: 'definitionTransitionsMax' };
}

const large: readonly [Json, ...Json[]] = [
  'x'.repeat(limits.definitionBytesMax),
  Array.from({ length: limits.definitionBytesMax / 2 }, () => 1),
  Object.fromEntries(ids(limits.definitionBytesMax / 8).map((id) => [id, null])),
];

function tooLarge(dice: Dice): Excess {
  const long = dice.pick(large);
  const source = dice.pick<Json>([token({ meta: long }), token({ [dice.pick(['zzz', 'description'])]: long }), [long]]);
  return { source, code: 'TOO_LARGE', pointer: '', limit: 'definitionBytesMax' };
}

function tooDeep(dice: Dice): Excess {
  let inner: Json = 1;
  for (let level = 0; level < limits.jsonDepthMax + dice.draw(30); level++) inner = { a: inner };
  const pointer = `/meta${'/a'.repeat(limits.jsonDepthMax - 1)}`;
  return { source: token({ meta: inner }), code: 'TOO_DEEP', pointer, limit: 'jsonDepthMax' };
}

/** Fan-outs in fan-outs, each with a way into all the others. */
function tooTangled(): Excess {
  const names = ids(5);
  const transitions: Json = names.flatMap((from) =>
    names.map((to, index): Json => ({ from, to, siblingGroup: `g${index}`, loop: { maxIterations: 2 } })),
  );
  const source = { id: 'w', initialNode: 'n0', nodes: names.map((id) => ({ id })), transitions };
  return { source, code: 'LIMIT_EXCEEDED', pointer: '/transitions', limit: 'definitionAnalysisMax' };
}

function tooLong(dice: Dice): Excess {
  const long = `1${' + 1'.repeat(limits.expressionLengthMax / 4 + dice.draw(100))}`;
  return inExpression(long, 'expressionLengthMax', dice);
}

function tooNested(dice: Dice): Excess {
  const levels = limits.expressionDepthMax + dice.between(1, 10);
  const nested = dice.pick([
    `${'!'.repeat(levels)}true`,
    `${'['.repeat(levels)}${']'.repeat(levels)}`,
    `${'abs('.repeat(levels)}1${')'.repeat(levels)}`,
  ]);
  return inExpression(nested, 'expressionDepthMax', dice);
}

function inExpression(text: string, limit: keyof typeof limits, dice: Dice): Excess {
  const [source, pointer] = dice.pick<readonly [Json, string]>([
    [way({ condition: text }), '/transitions/0/condition'],
    [way({ foreach: { collection: text } }), '/transitions/0/foreach/collection'],
    [token({ outputMapping: { a: text } }), '/outputMapping/a'],
    [token({ nodes: [{ id: 'a', wait: { seconds: text } }] }), '/nodes/0/wait/seconds'],
    [
      { id: 'w', nodes: [{ id: 'a', type: 'start', initialize: [{ path: 'a', expression: text }] }], connectors: [] },
      '/nodes/0/initialize/0/expression',
    ],
  ]);
  return { source, code: 'EXPRESSION_LIMIT', pointer, limit };
}

function aboveCounts(dice: Dice): Excess {
  const above = dice.pick([6, 1_001, 1e9]);
  const [source, pointer, limit, from] = dice.pick<readonly [Json, string, keyof typeof limits, number]>([
    [way({ spawnCount: above }), '/transitions/0/spawnCount', 'branchesPerFanOutMax', 6],
    [way({ loop: { maxIterations: above } }), '/transitions/0/loop/maxIterations', 'loopIterationsMax', 6],
    [token({ timeoutMs: above }), '/timeoutMs', 'timeoutMsMax', 1_001],
    [token({ limits: { loopIterationsMax: above } }), '/limits/loopIterationsMax', 'loopIterationsMax', 6],
    [{ dialect: 'handle', id: 'w', nodes: [{ id: 'a' }], maxNodes: above }, '/maxNodes', 'handleNodesMax', 11],
  ]);
  if (above < from) return tooLong(dice);
  return { source, code: 'LIMIT_EXCEEDED', pointer, limit };
}
