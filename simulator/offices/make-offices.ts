// Offices: workloads around the runs: organizations that pay, triggers that fire, workflows that start each other until
// they may not. Whatever dies, no credit is lost or made, and everything that happened has fired once.

import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { checkBooks, organizations } from './check-books.ts';
import { chain, checkChain, checkFirings } from './check-firings.ts';

export function makeOffices(dice: Dice): Workload {
  const branches = 1 + dice.draw(4);
  const cost = 1 + dice.draw(4);
  const isChained = dice.chance(1, 2);
  return {
    kind: 'offices',
    isSound: true,
    definitions: [work(branches, cost), flow(cost), ...['after', 'heard', ...chain].map(pass)],
    starts: Array.from({ length: 1 + dice.draw(3) }, () => start(dice)),
    actions: ['work'],
    answer: ({ attempt, tokenId }) =>
      tokenId % 3 === 0 && attempt === 1
        ? { type: 'fail', code: 'NOT_YET', message: 'not yet', retryable: true, delayMs: 10 }
        : { type: 'complete', output: { v: 1 }, delayMs: 10 * (tokenId % 4) },
    outsideEvents: [{ name: 'order', payload: { total: 12 } }],
    preparations: [...triggers, ...(isChained ? chainTriggers : [])].map(
      (trigger) => ({ type: 'create-trigger', trigger }) as const,
    ),
    errors: ['TRIGGER_TOO_DEEP'],
    requests: Array.from({ length: 1 + dice.draw(4) }, (_, index) => ({
      type: 'deposit',
      key: `deposit-${index}`,
      organization: dice.pick(organizations) ?? '',
      amount: dice.pick([0, 3, 10, 50]),
    })),
    check: () => null,
    checkWorld: async (ended) =>
      (await checkBooks(ended)) ?? checkFirings(ended) ?? (isChained ? checkChain(ended) : null),
  };
}

function start(dice: Dice) {
  const workflow = dice.pick(['work', 'flow']);
  const organization = dice.pick([...organizations, undefined]);
  return { workflow, input: {}, ...(organization === undefined ? {} : { organization }) };
}

const triggers: JsonObject[] = [
  { id: 'ended', type: 'workflow_finished', source: 'work', workflow: 'after' },
  { id: 'ordered', type: 'event', event: 'order', workflow: 'heard' },
];

/** An event starts the one, and then they start each other. */
const chainTriggers: JsonObject[] = [
  { id: 'rung', type: 'event', event: 'order', workflow: 'tick' },
  { id: 'ticked', type: 'workflow_finished', source: 'tick', workflow: 'tock' },
  { id: 'tocked', type: 'workflow_finished', source: 'tock', workflow: 'tick' },
];

/** Each task pays for itself. */
function work(branches: number, cost: number): Json {
  const task = { action: 'work', cost, retry: { maxAttempts: 3, backoff: 'none' } };
  return {
    id: 'work',
    initialNode: 's',
    nodes: [{ id: 's' }, { id: 'a', ...task }, { id: 'j' }, { id: 'b', ...task }],
    transitions: [
      { from: 's', to: 'a', spawnCount: branches, siblingGroup: 'g', onBranchFailure: 'end' },
      { from: 'a', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
      { from: 'j', to: 'b' },
    ],
  };
}

/** Pays for all of its nodes before the first. */
function flow(cost: number): Json {
  const edge = (source: string, target: string) => ({ source, sourceOutput: 'v', target, targetInput: 'v' });
  return {
    dialect: 'dataflow',
    id: 'flow',
    nodes: ['a', 'b', 'c'].map((id) => ({ id, type: 'work', cost })),
    edges: [edge('a', 'b'), edge('a', 'c')],
  };
}

const pass = (id: string): Json => ({ id, initialNode: 'n', nodes: [{ id: 'n' }] });
