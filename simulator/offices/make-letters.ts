// Letters: workloads whose runs meet, wherever they are: some give an event each, others wait for one and use it up, all pay
// from a few accounts, triggers start more, all read bytes that a client has put, and what has failed is retried under keys
// that others use too. In a fleet every such meeting is a letter or a call from one shard to another.

import { sha256Hex } from '../../packages/heddle/src/base/hash.ts';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { ActionContext } from '../../packages/heddle/src/executor/action.ts';
import type { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import type { Workload } from '../workload.ts';
import { checkBooks } from './check-books.ts';
import { checkGifts } from './check-gifts.ts';

/** Enough for every shard to have one. */
const payers = ['acme', 'globex', 'initech', 'umbrella', 'hooli'];
const bytes = 'read by every run';
const file = { id: sha256Hex(bytes), mimeType: 'text/plain' };

export function makeLetters(dice: Dice): Workload {
  const orders = ['one', 'two', 'three'].slice(0, 1 + dice.draw(3));
  const cost = 1 + dice.draw(4);
  const book: Book = { wrong: [], given: new Set() };
  return {
    kind: 'letters',
    isSound: true,
    definitions: [giver(cost), taker, asker, flaky(cost), ...['heard', 'after'].map(pass)],
    starts: Array.from({ length: 2 + dice.draw(4) }, () => start(dice, orders)),
    actions: ['work', 'give', 'fail'],
    answer: ({ action, tokenId, attempt }) => {
      const delayMs = 10 * ((tokenId + attempt) % 3);
      if (action === 'fail')
        return { type: 'fail', code: 'BROKEN', message: 'it is broken', retryable: false, delayMs };
      return { type: 'complete', output: {}, delayMs };
    },
    prepare: (context) => prepare(context, book),
    outsideEvents: [
      ...orders.map((correlation) => ({ name: 'gift', correlation, payload: {} })),
      ...orders.map((correlation) => ({ name: 'news', correlation, payload: {}, isOnce: true }) as const),
    ],
    preparations: [
      { type: 'put-artifact', data: bytes },
      ...triggers.map((trigger) => ({ type: 'create-trigger', trigger }) as const),
    ],
    requests: Array.from({ length: 2 + dice.draw(6) }, (_, index) => ({
      type: 'deposit',
      key: `deposit-${index}`,
      organization: dice.pick(payers) ?? '',
      amount: dice.pick([0, 3, 10, 50]),
    })),
    retryKeys: 1 + dice.draw(3),
    check: () => null,
    checkWorld: async (ended) => book.wrong[0] ?? (await checkBooks(ended, payers)) ?? checkGifts(ended, book.given),
  };
}

/** What the actions have seen. */
interface Book {
  readonly wrong: string[];
  /** Events whose publication was answered. */
  readonly given: Set<string>;
}

/** Each run that gives has its own event, whatever attempt publishes it. */
async function prepare({ publish, artifacts, input, nodeId, idempotencyKey }: ActionContext, { wrong, given }: Book) {
  const found = await artifacts.get(file);
  if (new TextDecoder().decode(found.bytes) !== bytes)
    wrong.push('I33 Expected the bytes that were put, but found others');
  if (nodeId !== 'give') return;
  const id = `gift ${idempotencyKey}`;
  await publish('gift', {}, { id, correlation: input['order'] as string }); // as its input mapping says
  given.add(id);
}

function start(dice: Dice, orders: readonly string[]) {
  const workflow = dice.pick(['giver', 'taker', 'asker', 'giver', 'flaky']);
  const organization = dice.pick([...payers, undefined]);
  return {
    workflow,
    input: { order: dice.pick(orders) ?? '' },
    ...(organization === undefined ? {} : { organization }),
  };
}

const triggers: JsonObject[] = [
  { id: 'given', type: 'event', event: 'gift', workflow: 'heard' },
  { id: 'ended', type: 'workflow_finished', source: 'taker', workflow: 'after' },
];

const retry = { maxAttempts: 50, initialDelayMs: 10, backoff: 'none' };
const task = (id: string, action: string, cost: number): JsonObject => ({ id, action, cost, retry });

const giver = (cost: number): Json => ({
  id: 'giver',
  initialNode: 'first',
  nodes: [task('first', 'work', cost), { ...task('give', 'give', 0), inputMapping: { order: 'input.order' } }],
  transitions: [{ from: 'first', to: 'give' }],
});

const waiter = (id: string, wait: JsonObject): Json => ({
  id,
  initialNode: 'first',
  nodes: [
    task('first', 'work', 0),
    { id: 'wait', wait: { correlation: 'input.order', ...wait } },
    task('last', 'work', 1),
  ],
  transitions: [
    { from: 'first', to: 'wait' },
    { from: 'wait', to: 'last' },
  ],
});

const taker = waiter('taker', { event: 'gift', since: 'any', once: true });
const asker = waiter('asker', { event: 'news', since: 'any' });

/** Pays for what comes before it fails. */
const flaky = (cost: number): Json => ({
  id: 'flaky',
  initialNode: 'first',
  nodes: [task('first', 'work', cost), { id: 'fail', action: 'fail' }],
  transitions: [{ from: 'first', to: 'fail' }],
});

const pass = (id: string): Json => ({ id, initialNode: 'n', nodes: [{ id: 'n' }] });
