// Make dialects: random sound definitions of the dataflow, thread and handle dialects, and triggers.

import type { Json } from '../../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { nameOf } from './make-token.ts';

type Part = Readonly<Record<string, Json>>;

const extras: readonly [Part, ...Part[]] = [
  {},
  { version: 3, name: 'A name', description: 'Text', meta: { a: [1] } },
  { limits: { tokensAliveMax: 10, handleNodesMax: 20 }, timeoutMs: 60_000 },
  { $schema: '../schema.json' },
];

/** Edges lead from earlier nodes to later ones. */
export function makeDataflow(dice: Dice): Part {
  const ids = Array.from({ length: dice.between(1, 6) }, (_, index) => nameOf(dice, index));
  const isDrawn = dice.chance(1, 3);
  const nodes = ids.map((id, index): Part => ({ id, ...dice.pick(dataflowNodes), ...drawnNode(isDrawn, index) }));
  const edges = nodes.slice(1).flatMap((node, index): Part[] => {
    const source = nodes[dice.draw(index + 1)];
    return source === undefined || dice.chance(1, 5) ? [] : [dataflowEdge(source, node, isDrawn, index)];
  });
  const inputSchema = { type: 'object', properties: { net: { type: 'number' } } };
  const more = {
    ...(dice.chance(1, 3) ? { inputSchema } : {}),
    ...(dice.chance(1, 3) ? { decorative: ['legend'] } : {}),
  };
  return { dialect: 'dataflow', id: 'quote', nodes, edges, ...more, ...dice.pick(extras) };
}

const dataflowNodes: readonly [Part, ...Part[]] = [
  { type: 'work' },
  { type: 'number', inputs: { value: 5, 'a/b': null } },
  {
    type: 'add',
    inputs: [
      { name: 'a', type: 'number', value: 1 },
      { name: 'b', type: 'number', required: true },
    ],
  },
  { type: 'sum', inputs: [{ name: 'values', repeated: true, description: 'all' }], outputs: [{ name: 'result' }] },
  {
    type: 'work',
    outputs: [
      { name: 'x', type: 'any' },
      { name: 'y', type: 'number', description: 'why' },
    ],
    cost: 2,
  },
  { type: 'work', retry: { maxAttempts: 2, backoff: 'linear' }, timeoutMs: 900, name: 'Work', meta: 1 },
];

const drawnNode = (isDrawn: boolean, index: number): Part => (isDrawn ? { position: { x: index, y: 0 } } : {});

/** Ports of a node that declares none may have any name. */
const portOf = (ports: Json | undefined, otherwise: string): string =>
  Array.isArray(ports) ? ((ports as readonly { readonly name: string }[])[0]?.name ?? otherwise) : otherwise;

function dataflowEdge(source: Part, target: Part, isDrawn: boolean, index: number): Part {
  const from = portOf(source['outputs'], 'value');
  const to = portOf(target['inputs'], 'in');
  const ends = { id: `e${index}`, source: source['id'] ?? '', target: target['id'] ?? '' };
  return isDrawn
    ? { ...ends, sourceHandle: from, targetHandle: to, label: 'x' }
    : { ...ends, sourceOutput: from, targetInput: to, meta: {} };
}

export function makeHandle(dice: Dice): Part {
  const ids = Array.from({ length: dice.between(1, 6) }, (_, index) => nameOf(dice, index));
  const isDrawn = dice.chance(1, 2);
  const nodes = ids.map((id, index): Part => ({ id, ...dice.pick(handleNodes), ...drawnNode(isDrawn, index) }));
  const ways = ids.slice(1).map((id, index): Part => {
    const from = ids[dice.draw(index + 1)] ?? '';
    const handle = dice.pick(['main', 'true', 'toString']);
    return isDrawn
      ? { id: `e${index}`, source: from, target: id, sourceHandle: handle, targetHandle: 'main' }
      : { fromNodeId: from, toNodeId: id, fromOutput: handle, toInput: 'left', id: `c${index}`, meta: 1 };
  });
  const list = isDrawn ? { edges: ways, viewport: { x: 0, y: 0, zoom: 1 } } : { connections: ways };
  return { dialect: 'handle', id: 'greet', nodes, ...list, maxNodes: 20, ...dice.pick(extras) };
}

const handleNodes: readonly [Part, ...Part[]] = [
  { type: 'work' },
  { type: 'WEBHOOK_TRIGGER', name: 'Hook' },
  { type: 'IF_ELSE', data: { condition: { field: 'user.age', operator: 'less_than', value: 18 }, constructor: 1 } },
  {},
  { type: 'work', data: {}, meta: [1] },
];

/** A start, nodes in a row with what belongs to them, and an end. */
export function makeThread(dice: Dice): Part {
  const middle = Array.from({ length: dice.between(1, 4) }, (_, index) => {
    return dice.pick(threadBlocks)(nameOf(dice, index), dice);
  });
  const blocks = [...middle, { nodes: [endNode(dice)], ways: [], entry: 'end', exits: [] }];
  const links = blocks.flatMap((block, index): Part[] => {
    const exits = index === 0 ? [{ from: 'start' }] : (blocks[index - 1]?.exits ?? []);
    return exits.map((exit) => ({ ...exit, to: block.entry }));
  });
  return {
    dialect: 'thread',
    id: 'review',
    nodes: [startNode(dice), ...blocks.flatMap(({ nodes }) => nodes)],
    connectors: [...links, ...blocks.flatMap(({ ways }) => ways)],
    ...(dice.chance(1, 3) ? { inputSchema: { type: 'object' }, outputSchema: true } : {}),
    ...dice.pick(extras),
  };
}

interface ThreadBlock {
  readonly nodes: readonly Part[];
  readonly ways: readonly Part[];
  readonly entry: string;
  readonly exits: readonly Part[];
}

function startNode(dice: Dice): Part {
  const initialize = [
    { path: 'papers' },
    { path: 'options.depth', optional: true, default: 2 },
    { path: 'total', expression: 'size(input.papers)' },
  ];
  return { id: 'start', type: 'start', ...(dice.chance(1, 2) ? { initialize } : {}) };
}

function endNode(dice: Dice): Part {
  const mappings = [
    { to: 'scores', from: 'output.score' },
    { to: 'ok', expression: 'context.approved' },
    { to: 'a.b', value: { x: 1 }, optional: true },
  ];
  return { id: 'end', type: 'end', ...(dice.chance(1, 2) ? { mappings } : {}) };
}

const inputs = [
  { to: 'paper', from: 'first' },
  { to: 'limit', value: 10 },
];
const outputs = [
  { to: 'output.score', from: 'score' },
  { to: 'note', expression: 'result.note', optional: true },
];

const threadNodes: readonly [Part, ...Part[]] = [
  { type: 'action', action: 'work' },
  {
    type: 'action',
    action: { name: 'work', version: 1 },
    inputs,
    outputs,
    retry: { maxAttempts: 3 },
    timeoutMs: 30_000,
    title: 'Work',
  },
  {
    type: 'edit',
    upserts: [
      { path: 'kind', value: null },
      { path: 'first', expression: 'context.papers[0]' },
    ],
    deletes: ['options.depth', 'a.b'],
  },
  { type: 'code', path: 'output', expression: 'size(context.papers)' },
  {
    type: 'code',
    set: [
      { path: 'a', expression: '1 + 1' },
      { path: 'b', expression: 'context.a * 2' },
    ],
  },
  { type: 'gosub', workflow: 'publish', version: 3, inputs, outputs },
  { type: 'input', title: 'Publish?', schema: { type: 'object' }, deadlineMs: 5_000 },
];

const threadBlocks: readonly [MakeBlock, ...MakeBlock[]] = [plain, choice, fan, batch];
type MakeBlock = (id: string, dice: Dice) => ThreadBlock;

function plain(id: string, dice: Dice): ThreadBlock {
  return { nodes: [{ id, ...dice.pick(threadNodes) }], ways: [], entry: id, exits: [{ from: id }] };
}

function choice(id: string, dice: Dice): ThreadBlock {
  const expression = dice.pick<Json>(['size(context.papers) > 100', { field: 'context.n', op: '<', value: 3 }]);
  const entries = [{ name: 'many', expression }, { name: 'toString', expression: '' }, { name: 'few' }];
  return {
    nodes: [
      { id, type: 'switch', entries },
      { id: `${id}-m`, type: 'end' },
    ],
    ways: [{ from: id, output: 'many', to: `${id}-m` }],
    entry: id,
    exits: [{ from: id, output: 'few' }],
  };
}

function fan(id: string, dice: Dice): ThreadBlock {
  const named = dice.chance(1, 2) ? { outputs: ['left', 'right'] } : {};
  return {
    nodes: [
      { id, type: dice.pick(['fanOut', 'fan_out']), ...named },
      { id: `${id}-l`, type: 'code', expression: '1' },
      { id: `${id}-r`, type: 'code', expression: '2' },
      { id: `${id}-j`, type: 'fanIn' },
    ],
    ways: [
      { from: id, output: 'left', to: `${id}-l` },
      { from: id, output: 'right', to: `${id}-r`, meta: 1 },
      { from: `${id}-l`, to: `${id}-j` },
      { from: `${id}-r`, to: `${id}-j` },
    ],
    entry: id,
    exits: [{ from: `${id}-j` }],
  };
}

function batch(id: string, dice: Dice): ThreadBlock {
  const key = dice.pick(['items', 'inputArrayPath', 'input_array_path']);
  return {
    nodes: [
      { id, type: 'batch', [key]: 'papers', batchSize: 10, parallelBatches: 2 },
      { id: `${id}-s`, type: 'action', action: 'work' },
    ],
    ways: [{ from: id, output: 'process', to: `${id}-s` }],
    entry: id,
    exits: [{ from: id, output: 'continue' }],
  };
}

export function makeTrigger(dice: Dice): Part {
  const id = dice.pick(['t', 'nightly.report-2', 'toString']);
  const filter = dice.pick<Json>(['event.payload.total > 10', { field: 'event.payload.n', op: 'exists' }]);
  const kinds: readonly [Part, ...Part[]] = [
    { type: 'manual' },
    { type: 'event', event: 'order.placed', correlation: '17', filter },
    { type: 'schedule', cron: '0 3 * * *', timeZone: 'Europe/Berlin', overlap: 'queue', catchUp: 3 },
    { type: 'workflow_finished', source: 'w', statuses: ['failed', 'timed_out'], filter },
  ];
  const input = { 'order.id': 'event.payload.id', n: '1' };
  return { id, workflow: 'w', ...dice.pick(kinds), ...(dice.chance(1, 2) ? { input, enabled: false, meta: {} } : {}) };
}
