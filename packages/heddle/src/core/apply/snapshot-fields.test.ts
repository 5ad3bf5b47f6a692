// Every field of the state alone: with one of them set, and all others as they are in a plain run, nothing of it is lost
// between a snapshot and the state that is made of it. The tables name all fields, or they do not compile.

import { describe, expect, test } from 'vitest';
import { flow, Trial, task } from '../planning/planning.testsuite.ts';
import type { Branch, Group, RunState, Token } from '../state.ts';
import { Writes } from '../writes.ts';
import { emptyState } from './apply.ts';
import type { EncodedState } from './encoded-state.ts';
import { decodeState } from './snapshot.ts';
import { decodeLine, encodeLines, type SnapshotLine } from './snapshot-lines.ts';

/** It follows from other fields, or is what finds the rest. */
const derived = Symbol('derived');

/** A value that a plain run does not have; with what it never goes without. */
interface Alone {
  readonly value: unknown;
  readonly beside?: object;
}
type Fields<T> = { readonly [Name in keyof T]-?: typeof derived | Alone };

const alone = (value: unknown, beside: object = {}): Alone => ({ value, beside });
const failure = { code: 'X', message: 'no', retryable: false };
const prompt = { correlationId: 'q', askingRunId: 'r', token: 1 };

const runFields: Fields<RunState> = {
  run: derived,
  startedAt: alone(12),
  at: alone(1_234_567),
  outcome: alone('failed'),
  endedAt: alone(13),
  output: alone({ o: 1 }),
  error: alone(failure),
  paused: alone(true),
  held: alone([{ type: 'reply', token: 1 }]),
  heldAnswers: derived,
  root: derived,
  tokens: derived,
  groups: derived,
  lastToken: alone(77),
  lastGroup: alone(78),
  childNodesUsed: alone(14),
  descendantsUsed: alone(15),
  givenUp: alone(new Set(['child'])),
  dispatched: derived,
  inputBytes: derived,
  waitingForChildren: derived,
  childrenSuspended: derived,
  waitingForOthers: derived,
  waitingForCredits: derived,
  waitingForActions: derived,
  timed: derived,
  tasksStarted: alone(16),
  suspended: alone(true),
  result: alone({ r: 1 }),
  outputs: derived,
  errors: derived,
  queue: alone(new Map([['q', prompt]])),
  received: alone(new Map([['e', { expiresAt: 17, lastToken: 1 }]])),
  credits: alone({ awaited: true, requested: 18, spent: 19 }),
  ready: derived,
  spawnable: derived,
  timers: derived,
};

const tokenFields: Fields<Token> = {
  id: derived,
  node: alone('other'),
  via: alone('t9'),
  branch: derived,
  status: alone('waiting_for_timer'),
  attempt: alone(21),
  dispatch: alone(22),
  input: alone({ i: 1 }),
  inputBytes: derived,
  steps: alone({ finished: new Map([['pay', { step: 'pay', result: 7 }]]), bytes: 1 }),
  dueAt: alone(23),
  since: alone(24),
  childRunId: alone('child'),
  continues: alone('before'),
  childSuspended: alone(true),
  correlationId: alone('c'),
  asked: alone(true, { correlationId: 'c' }),
  texts: alone({ title: 'Well?' }, { correlationId: 'c' }),
  result: alone({ r: 2 }),
  waitLabel: alone('tea', { result: { r: 2 } }),
  paid: alone(25),
  iterations: alone({ loop: 2 }),
  lastError: alone(failure),
  failure: alone(failure),
  previous: derived,
  next: derived,
};

const branchFields: Fields<Branch> = {
  group: derived,
  index: derived,
  live: derived,
  arrival: derived,
  ended: alone(true),
  failed: alone(true),
  error: alone(failure),
  settled: alone(true),
  detached: alone(true),
  context: alone({ state: { s: 1 }, output: { o: 2 } }),
  writes: alone(Writes.of([['state.x', 1]])),
  discarded: alone(true),
  raw: alone({ raw: 1 }),
  firstToken: derived,
  groups: derived,
  holds: derived,
  edges: alone({ taken: new Map([['a', 1]]), done: new Set(['j']), finished: new Set([3]) }),
  liveness: derived,
};

const groupFields: Fields<Group> = {
  id: derived,
  name: alone('other'),
  token: alone(31),
  node: alone('other'),
  parent: derived,
  total: alone(32),
  spawns: derived,
  tolerateFailures: alone(true),
  maxFailures: alone(33),
  homeJoin: alone('home'),
  iterations: alone({ loop: 3 }),
  branches: derived,
  spawned: alone(34),
  spawnsWithRoom: derived,
  spawnable: derived,
  arrived: alone(35),
  ended: alone(36),
  failed: alone(37),
  settled: alone(38),
  bypassed: alone(true),
  join: alone('j'),
  required: alone(39),
  firstArrivalAt: alone(40),
  deadline: alone(41),
  joined: alone(true),
  detachedLive: alone(42),
  closed: alone(true),
  openGroups: alone(43),
  batch: alone(44),
  keepsLast: alone(true),
  last: alone(Writes.of([['state.y', 2]])),
};

/** A run with a token and a group. */
function plainRun(): RunState {
  const join = { siblingGroup: 'g', strategy: 'all' } as const;
  const trial = new Trial(
    flow(
      ['s', task('w'), 'j'],
      [
        { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' },
        { from: 'w', to: 'j', synchronization: join },
      ],
    ),
  );
  return trial.state;
}

const first = <T>(values: Iterable<T>): T => [...values][0] as T; // A plain run has one.

const places = {
  run: [runFields, (state: RunState) => state],
  token: [tokenFields, (state: RunState) => first(state.tokens.values())],
  branch: [branchFields, (state: RunState) => first(first(state.groups.values()).branches)],
  group: [groupFields, (state: RunState) => first(state.groups.values())],
} as const;

const cases = Object.entries(places).flatMap(([place, [fields, find]]) =>
  Object.entries(fields).flatMap(([name, field]) => (field === derived ? [] : [{ place, name, field, find }])),
);

/** What a class hides is compared too. */
const shown = (value: unknown): unknown => (value instanceof Writes ? value.list() : value);

function throughSnapshot(state: RunState): RunState {
  const copy = emptyState();
  const [rest, ...others] = JSON.parse(JSON.stringify([...encodeLines(state)])) as [EncodedState, ...SnapshotLine[]];
  decodeState(copy, rest);
  for (const line of others) decodeLine(copy, line);
  return copy;
}

describe('no field is lost in a snapshot', () => {
  test.each(cases)('[AP2] $place: $name', ({ name, field, find }) => {
    const state = plainRun();
    const { value, beside }: Alone = field;
    const look = (at: RunState) => shown((find(at) as unknown as Record<string, unknown>)[name]);
    expect(look(state)).not.toEqual(shown(value));
    Object.assign(find(state), beside, { [name]: value });
    expect(look(throughSnapshot(state))).toEqual(shown(value));
  });

  test('[AP2] outputs and errors by node, of a run that keeps them; and who is ready', () => {
    const state = plainRun();
    Object.assign(state, { run: { ...state.run, keepsOutputs: true }, outputs: { n: 1 }, errors: { m: 'no' } });
    state.ready.push(2);
    const copy = throughSnapshot(state);
    expect([copy.outputs, copy.errors, copy.ready.list()]).toEqual([{ n: 1 }, { m: 'no' }, state.ready.list()]);
  });
});
