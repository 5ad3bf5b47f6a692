// A small fleet as its commits tell of it: a run of shard 1 notes in shard 0 that it waits for an event. And what is found
// when something in that is forged.

import type { Commit, RecordWrite } from '../../packages/heddle/src/actor/ports.ts';
import type { AnyFault } from '../../packages/heddle/src/simulation/faults.ts';
import type { CommitPlace } from '../../packages/heddle/src/simulation/world.ts';
import { FeedCheck } from './check-feed.ts';
import { FleetCheck } from './check-fleet.ts';
import { checkOwners, LeaseCheck } from './check-leases.ts';
import type { InvariantId } from './coverage.ts';
import type { RunFacts } from './run-facts.ts';
import type { Violation } from './violation.ts';

type History = readonly (readonly [Partial<Commit>, CommitPlace])[];

const at = (shard: number, epoch = 1, owner = 'one', holder = { owner, epoch }): CommitPlace => ({
  shard,
  stamp: { owner, epoch, number: 1 },
  holder,
});

const record = (kind: string, key: string): RecordWrite => ({ kind, key, value: '{}', dueAt: null });
const wait = record('event-wait', 'paid\n\nrun~1/1');
const rowId = (number: number): string => `~0/first/${String(number).padStart(15, '0')}`;
const letter = (number: number, message: RecordWrite = wait) => ({
  id: rowId(number),
  to: '@mail',
  message: JSON.stringify({ to: '@records', message }),
});
const received = (number: number, brought: RecordWrite = wait): Partial<Commit> => ({
  records: [brought, record('mail-mark', `1/first/${number}`)],
});

/** Nothing is wrong with it. */
const history: History = [
  [{ outboxAdded: [letter(1), letter(2)] }, at(1)],
  [received(1), at(0)],
  [received(2), at(0)],
  [{ outboxDone: [rowId(1), rowId(2)] }, at(1)],
  [{ records: [record('account', '"acme"')] }, at(1, 2, 'two')],
];

const empty: Commit = { runs: [], journal: [], outboxAdded: [], outboxDone: [], keys: [], records: [] };

/** The first that is broken. */
function lookAt(commits: History): Violation | null {
  const fleet = new FleetCheck();
  for (const [commit, place] of commits) {
    const violation = fleet.add({ ...empty, ...commit }, place);
    if (violation) return violation;
  }
  return null;
}

export interface FleetForgery {
  readonly invariant: InvariantId;
  readonly what: string;
  readonly look: () => Violation | null;
}

const forgery = (invariant: InvariantId, what: string, look: FleetForgery['look']): FleetForgery => ({
  invariant,
  what,
  look,
});

const [sent, first, second, removed] = history as unknown as [History[number], ...History[number][]];

/** What a reader of two events got instead. */
function readAs(...ids: readonly string[]): Violation | null {
  const check = new FeedCheck();
  const row = { runId: 'run~1', at: 0, hash: '' };
  const journal = [1, 2].map((seq) => ({ ...row, seq, events: '[{"type":"workflow.paused"}]' }));
  check.add({ ...empty, journal }, 1);
  for (const id of ids) check.addRead({ runId: 'run~1', id });
  return check.compare();
}

function takenBy(...runIds: readonly string[]): Violation | null {
  const check = new FleetCheck();
  const tokens = new Map([[1, { node: { source: { wait: { event: 'paid', once: true } } } }]]);
  const event = { type: 'event.received', token: 1, eventId: 'e', payload: {}, expiresAt: 1 } as const;
  // No more of the facts is looked at.
  const takes = runIds.map((runId) => check.addEvents({ runId, seq: 1, tokens } as unknown as RunFacts, [event]));
  return takes.find((violation) => violation !== null) ?? null;
}

function answered(atMs: number, isOwner = true): Violation | null {
  const check = new LeaseCheck();
  check.add({ shard: 1, at: atMs, until: 10, isOwner });
  return check.violation;
}

/** The shard has no owner so long after a fault, in a world where that is an excuse. */
function ownerless(afterMs: number, fault: AnyFault): Violation | null {
  const check = new LeaseCheck();
  check.look({ owners: [0], at: 0, injected: new Map() });
  check.look({ owners: [0], at: 40_000, injected: new Map([[fault, 1]]) });
  check.look({ owners: [0], at: 40_000 + afterMs, injected: new Map([[fault, 1]]) });
  return check.violation;
}

export const rightReadings: readonly (() => Violation | null)[] = [
  () => lookAt(history),
  () => readAs('1.0', '2.0'),
  () => takenBy('run', 'run'),
  () => answered(9),
  () => ownerless(45_000, 'crash'),
  () => ownerless(100_000, 'bad-alarms'),
  () => checkOwners([1, 1]),
  () => checkOwners([]),
];

export const fleetForgeries: readonly FleetForgery[] = [
  forgery('I44', 'a write of an epoch that is over', () => lookAt([...history, [{}, at(1)]])),
  forgery('I44', 'a write of one that was replaced, before its successor has written', () =>
    lookAt([[{}, at(1, 1, 'one', { owner: 'two', epoch: 2 })]]),
  ),
  forgery('I44', 'two owners of one epoch', () => lookAt([...history, [{}, at(1, 2, 'three')]])),
  forgery('I51', 'a letter that nobody has sent', () => lookAt([[received(1), at(0)]])),
  forgery('I51', 'a letter that is received twice', () =>
    lookAt([sent, first as History[number], [received(1), at(0)]]),
  ),
  forgery('I51', 'a letter that overtakes another', () => lookAt([sent, second as History[number]])),
  forgery('I51', 'a letter without its effect', () => lookAt([sent, [received(1, record('event-wait', 'x')), at(0)]])),
  forgery('I51', 'a number that was used before', () => lookAt([sent, [{ outboxAdded: [letter(2)] }, at(1)]])),
  forgery('I51', 'a letter that is forgotten before it is received', () => lookAt([sent, removed as History[number]])),
  forgery('I52', 'a run in a foreign shard', () => {
    const row = { runId: 'run~1', seq: 1, at: 0, hash: '', events: '[]' };
    return lookAt([[{ journal: [row] }, at(0)]]);
  }),
  forgery('I52', 'an account in two shards', () =>
    lookAt([...history, [{ records: [record('account', '"acme"')] }, at(0)]]),
  ),
  forgery('I53', 'an event that a reader lacks', () => readAs('1.0')),
  forgery('I53', 'an event that a reader gets twice', () => readAs('1.0', '1.0', '2.0')),
  forgery('I53', 'events in another order', () => readAs('2.0', '1.0')),
  forgery('I54', 'an event that two runs use up', () => takenBy('run', 'run~1')),
  forgery('I55', 'an answer after the end of a lease', () => answered(10)),
  forgery('I55', 'an answer of one that does not own the shard', () => answered(9, false)),
  forgery('I56', 'a shard that has no owner for long after a fault', () => ownerless(45_001, 'crash')),
  forgery('I56', 'a shard that has no owner, for no reason', () => ownerless(10_000, 'clock-jumps')),
  forgery('I56', 'a shard that nobody owns', () => checkOwners([1, 0])),
  forgery('I56', 'a shard that two own', () => checkOwners([2, 1])),
];
