// Make token: random sound token definitions, built of blocks in a row, so that each is right by the way it is made: tasks,
// waits, prompts, sub-workflows, fan-outs with their joins, edge joins, loops, batches.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';

type Part = Readonly<Record<string, Json>>;

interface Block {
  readonly nodes: readonly Part[];
  readonly transitions: readonly Part[];
  /** The nodes at which it begins and ends. */
  readonly entry: string;
  readonly exit: string;
}

export function makeToken(dice: Dice): Part {
  const blocks = Array.from({ length: dice.between(1, 4) }, (_, index) => dice.pick(kinds)(nameOf(dice, index), dice));
  const links = blocks.slice(1).map((block, index): Part => {
    return { from: blocks[index]?.exit ?? '', to: block.entry, ...dice.pick(linkExtras) };
  });
  return {
    ...(dice.chance(1, 3) ? { dialect: 'token' } : {}),
    id: dice.pick(['w', 'Score-papers_2', 'toString', 'x'.repeat(128)]),
    initialNode: blocks[0]?.entry ?? '',
    nodes: blocks.flatMap(({ nodes }) => nodes),
    transitions: [...blocks.flatMap(({ transitions }) => transitions), ...links],
    ...Object.assign({}, ...Array.from({ length: dice.draw(4) }, () => dice.pick(extras))),
  };
}

/** Any printable text is an id; these have what pointers and JavaScript may stumble over. */
const idStarts: readonly [string, ...string[]] = ['n', 'a/b~', '0', 'toString', 'ünï code', '"q"', 'valueOf', '💥'];

export function nameOf(dice: Dice, index: number): string {
  return `${dice.pick(idStarts)}${index}`;
}

const kinds: readonly [MakeBlock, ...MakeBlock[]] = [
  task,
  pass,
  child,
  wait,
  prompt,
  siblings,
  items,
  named,
  edges,
  loop,
  batch,
  shorthand,
];
type MakeBlock = (name: string, dice: Dice) => Block;

const one = (node: Part): Block => ({
  nodes: [node],
  transitions: [],
  entry: node['id'] as string,
  exit: node['id'] as string,
});

const works: readonly [Part, ...Part[]] = [
  { action: 'work' },
  { action: { name: 'core.echo', version: 2 }, timeoutMs: 5_000, name: 'Work' },
  { action: 'work', inputMapping: { 'a.b': 'input.a + 1', c: "'text'" }, outputMapping: { 'state.x': 'result.x' } },
  {
    action: 'work',
    retry: {
      maxAttempts: 3,
      backoff: 'exponential',
      initialDelayMs: 10,
      maxDelayMs: 1_000,
      jitter: 0.5,
      retryableErrors: ['TIMEOUT'],
    },
  },
  {
    action: 'work',
    cost: 3,
    meta: { position: { x: 1 } },
    outputMapping: { 'output.a/b': 'result', 'state.n.m': '1' },
  },
  { action: 'work', execution: { retry: { maxAttempts: 2 }, timeoutMs: 7 } },
];

function task(id: string, dice: Dice): Block {
  return one({ id, ...dice.pick(works) });
}

function pass(id: string): Block {
  return one({ id });
}

function child(id: string, dice: Dice): Block {
  const whole = { id: 'other', version: 3, onFailure: 'catch', timeoutMs: 1_000, inheritArtifacts: true };
  return one({ id, workflow: dice.pick<Json>(['other', whole, { workflow_id: 'other' }]) });
}

function wait(id: string, dice: Dice): Block {
  const waits: readonly [Json, ...Json[]] = [
    { seconds: 3 },
    { seconds: 'input.delay * 60' },
    { until: 1_900_000_000_000 },
    { until: "'2030-01-01T00:00:00Z'" },
    { event: 'paid' },
    { event: 'payment.received', correlation: 'input.order', timeoutMs: 1_000 },
  ];
  return one({ id, wait: dice.pick(waits) });
}

function prompt(id: string, dice: Dice): Block {
  const whole = { title: 'Publish?', schema: { type: 'object', required: ['ok'] }, deadlineMs: 86_400_000 };
  return one({ id, input: dice.pick<Json>([true, whole]), outputMapping: { 'state.answer': 'result' } });
}

const strategies: readonly [Json, ...Json[]] = ['all', 'any', { mOfN: 2 }, { mOfN: 'size(input.list)' }];
const merges: readonly [Part, ...Part[]] = [
  {},
  { merge: { target: 'state.all', strategy: 'append' } },
  { merge: { source: '_branch.output.score', target: 'output.scores', strategy: 'keyed_by_branch' } },
  { timeoutMs: 1_000, onTimeout: 'proceed_with_available', onEarlyComplete: 'abandon' },
];

/** A node, branches of it, and where they come together. */
function fan(id: string, opening: Part, synchronization: Json): Block {
  return {
    nodes: [{ id }, { id: `${id}-b`, action: 'work' }, { id: `${id}-j` }],
    transitions: [
      { from: id, to: `${id}-b`, ...opening },
      { id: `${id}-t`, from: `${id}-b`, to: `${id}-j`, synchronization },
    ],
    entry: id,
    exit: `${id}-j`,
  };
}

function siblings(id: string, dice: Dice): Block {
  const opening = dice.pick<Part>([{ spawnCount: 3 }, { spawnCount: 2, onBranchFailure: 'end', maxFailures: 1 }]);
  return fan(id, opening, { strategy: dice.pick(strategies), ...dice.pick(merges) });
}

function items(id: string, dice: Dice): Block {
  const foreach = dice.pick<Json>([
    { collection: 'input.list' },
    { collection: 'state.papers', itemVar: 'item', maxParallel: 4 },
  ]);
  const opening = { foreach, siblingGroup: 'papers', ...(dice.chance(1, 2) ? { emptyJoin: `${id}-j` } : {}) };
  return fan(id, opening, { siblingGroup: 'papers', strategy: 'all', ...dice.pick(merges) });
}

function named(id: string, dice: Dice): Block {
  const group = dice.pick(['reviews', 'toString', 'g-1']);
  const condition = dice.pick<Json>([true, 'input.ok', { field: 'input.n', op: '>=', value: 3 }]);
  const synchronization = { siblingGroup: group, strategy: dice.pick<Json>(['all', 'any']) };
  return {
    nodes: [{ id }, { id: `${id}-l` }, { id: `${id}-r` }, { id: `${id}-j` }],
    transitions: [
      { from: id, to: `${id}-l`, siblingGroup: group, condition },
      { from: id, to: `${id}-r`, siblingGroup: group },
      { from: `${id}-l`, to: `${id}-j`, synchronization },
      { from: `${id}-r`, to: `${id}-j`, synchronization },
    ],
    entry: id,
    exit: `${id}-j`,
  };
}

function edges(id: string, dice: Dice): Block {
  const synchronization = dice.pick<Json>([{ over: 'edges' }, { over: 'edges', require: 'all' }]);
  return {
    nodes: [{ id }, { id: `${id}-l` }, { id: `${id}-j` }],
    transitions: [
      { from: id, to: `${id}-l` },
      { from: id, to: `${id}-j`, synchronization },
      { from: `${id}-l`, to: `${id}-j`, synchronization },
    ],
    entry: id,
    exit: `${id}-j`,
  };
}

function loop(id: string): Block {
  return {
    nodes: [{ id, action: 'work' }, { id: `${id}-e` }],
    transitions: [
      { id: `${id}-back`, from: id, to: id, condition: 'state.n < 3', priority: 0, loop: { maxIterations: 3 } },
      { from: id, to: `${id}-e`, priority: 1 },
    ],
    entry: id,
    exit: `${id}-e`,
  };
}

function batch(id: string, dice: Dice): Block {
  const merge = dice.pick<Json>([
    { strategy: 'append' },
    { source: '_branch.output.x', target: 'state.all', strategy: 'concat' },
  ]);
  const work: Part = { items: 'state.papers', batchSize: 10, parallelBatches: 2, merge };
  return {
    nodes: [
      { id, batch: work },
      { id: `${id}-s`, action: 'work', inputMapping: { n: '_batch.index' } },
      { id: `${id}-e` },
    ],
    transitions: [
      { from: id, to: `${id}-s`, on: 'slice', onBranchFailure: 'end', maxFailures: 2 },
      { from: id, to: `${id}-e` },
    ],
    entry: id,
    exit: `${id}-e`,
  };
}

function shorthand(id: string, dice: Dice): Block {
  return {
    nodes: [
      { id, fan_out: 'all' },
      { id: `${id}-l` },
      { id: `${id}-r` },
      { id: `${id}-j`, fan_in: dice.pick<Json>(['all', 'any', { m_of_n: 2 }]) },
    ],
    transitions: [
      { from_node_id: id, to_node_id: `${id}-l` },
      { from_node_id: id, to_node_id: `${id}-r` },
      { from_node_id: `${id}-l`, to_node_id: `${id}-j` },
      { from_node_id: `${id}-r`, to_node_id: `${id}-j` },
    ],
    entry: id,
    exit: `${id}-j`,
  };
}

const linkExtras: readonly [Part, ...Part[]] = [
  {},
  { condition: 'has(state.ok) && state.ok' },
  { on: 'any', priority: -5, meta: { colour: 'red' } },
  {
    condition: { and: [{ field: 'input.a', op: 'exists' }, { not: { field: 'state.b', op: '==', value: [1, 'x'] } }] },
  },
];

const schemas: readonly [Json, ...Json[]] = [
  true,
  { type: 'object', required: ['n'], properties: { n: { type: 'number', minimum: 0 }, s: { pattern: '^[a-z]+$' } } },
  {
    $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
    properties: { tree: { $ref: '#/$defs/list' } },
  },
];

const extras: readonly [Part, ...Part[]] = [
  { inputSchema: schemas[1] ?? true },
  { stateSchema: schemas[2] ?? true, outputSchema: true },
  { outputMapping: { 'a.b': 'state.x', 'c/d': '[1, 2]' }, name: 'A name', description: 'Text' },
  { limits: { nodesPerRunMax: 1_000, branchesPerFanOutMax: 50 }, timeoutMs: 86_400_000 },
  { inputPolicy: 'serial', version: 7, meta: { constructor: { prototype: 1 } } },
  { $schema: '../schema.json', meta: [null, { deep: [[1]] }] },
];
