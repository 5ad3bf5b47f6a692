// Programs and their oracle: runs are what it says, and it would notice if they were not. Wild graphs end, and most are
// legal.

import { beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { createTestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { Campaign } from '../campaign.ts';
import { allKinds, fleetKinds } from '../kinds.ts';
import type { MakeWorkload, RunRecord } from '../workload.ts';
import { makeProgram, workloadOf } from './make-program.ts';
import type { Fan, Program, Task } from './program.ts';
import { makeWild } from './wild.ts';

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index);

async function violationsOf(make: MakeWorkload, seeds: readonly number[]): Promise<string[]> {
  const campaign = new Campaign([make]);
  const violations: string[] = [];
  for (const seed of seeds) {
    const { violation } = await campaign.play(seed);
    if (violation !== null) violations.push(`seed ${seed}: ${violation}`);
  }
  return violations;
}

/** A run that was played, and its oracle. */
interface Judged {
  readonly run: RunRecord;
  readonly check: (events: readonly RunEvent[], more?: Partial<RunRecord>) => string | null;
}

async function judgedRuns(seeds: readonly number[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  const campaign = new Campaign([
    (dice) => {
      const workload = makeProgram(dice);
      const keep = (run: RunRecord, world: readonly RunRecord[]): null => {
        judged.push({ run, check: (events, more) => workload.check({ ...run, ...more, events }, world) });
        return null;
      };
      return { ...workload, check: keep };
    },
  ]);
  for (const seed of seeds) await campaign.play(seed);
  return judged;
}

describe('programs', () => {
  test('are what the oracle says', async () => {
    expect(await violationsOf(makeProgram, range(1, 40))).toEqual([]);
  });

  // Its task writes after it has left for the outer join, where that still waits when the branch is over.
  test('[BR2] are told once what a branch wrote that waits at an outer join', async () => {
    const { violation } = await new Campaign(allKinds, undefined, fleetKinds).play(44001549, { shards: 3 });
    expect(violation).toBeNull();
  });

  test('of no draws at all are one task', () => {
    const { definitions, starts } = makeProgram(new Dice(1, []));
    expect(definitions).toMatchObject([
      { id: 'main', nodes: [{ id: 'begin' }, { id: 'task1', action: 'work' }], transitions: [{ to: 'task1' }] },
    ]);
    expect(starts).toEqual([{ workflow: 'main', input: { x: 'x0' } }]);
  });

  test('follow from their dice', () => {
    for (const seed of range(1, 50)) {
      const { drawn } = drawnBy(seed);
      expect(makeProgram(new Dice(0, drawn)).definitions).toEqual(makeProgram(new Dice(seed)).definitions);
    }
  });
});

const task = (node: string, delayMs: number): Task => ({
  type: 'task',
  node,
  writes: 'state',
  shape: 'text',
  retry: null,
  timeoutMs: null,
  failures: 0,
  code: 'BOOM',
  delaysMs: [delayMs, delayMs],
});

/** Two slow branches, and beside them three tasks, of which the last can be reached in two ways; one is never gone. */
const besideAFan: Fan = {
  type: 'fan',
  node: 'fan',
  join: 'join',
  group: 'group',
  isNamed: true,
  arms: [{ spawn: { type: 'count', count: 2 }, part: null, ways: [task('slow', 1_000)], echo: null }],
  side: {
    type: 'dag',
    nodes: [
      { work: task('first', 0), from: [], require: 'some' },
      { work: task('second', 0), from: [{ index: 0, after: 'success', on: 'always' }], require: 'some' },
      {
        work: task('last', 0),
        from: [
          { index: 0, after: 'success', on: 'never' },
          { index: 1, after: 'success', on: 'always' },
        ],
        require: 'some',
      },
    ],
  },
  merge: null,
  tolerance: null,
  quorum: null,
  isComputed: false,
  abandons: false,
  timeoutMs: null,
  proceeds: false,
};

describe('a join over edges', () => {
  test('does not wait for a fan-out that is open beside it and leads elsewhere', async () => {
    const program: Program = {
      workflow: 'main',
      body: besideAFan,
      timeoutMs: null,
      inputPolicy: 'open',
      refuses: false,
    };
    const make: MakeWorkload = () => workloadOf([program], [{ workflow: 'main', input: { x: 'x' } }]);
    expect(await violationsOf(make, range(1, 10))).toEqual([]);
  });
});

function drawnBy(seed: number): Dice {
  const dice = new Dice(seed);
  makeProgram(dice);
  return dice;
}

/** Those of which each one has its consequence, whatever comes after. */
const vital = new Set<RunEvent['type']>([
  'token.created',
  'token.waiting',
  'token.completed',
  'tokens.completed',
  'tokens.cancelled',
  'context.updated',
  'task.completed',
  'task.failed',
  'fan_out.started',
  'fan_in.completed',
  'branches.merged',
  'batch.completed',
  'group.closed',
  'edge_join.completed',
  'subworkflow.dispatched',
  'subworkflow.completed',
  'subworkflow.timed_out',
  'input.requested',
  'input.resumed',
  'input.expired',
  'event.awaited',
  'event.received',
  'workflow.suspended',
]);

describe('the oracle', () => {
  let judged: readonly Judged[] = [];
  beforeAll(async () => {
    judged = await judgedRuns(range(40, 50));
  });

  test('notices every event that is missing, and every one that comes twice', () => {
    const unnoticed: RunEvent[] = [];
    for (const { run, check } of judged.slice(0, 60)) {
      const lastRow = run.events.at(-1)?.seq;
      for (const [index, event] of run.events.entries()) {
        if (!vital.has(event.type) || event.seq === lastRow) continue;
        const isMissed = check(run.events.toSpliced(index, 1)) === null;
        const isTwice = check(run.events.toSpliced(index, 0, event)) === null;
        if (isMissed || isTwice) unnoticed.push(event);
      }
    }
    expect(unnoticed).toEqual([]);
  });

  test('notices a value that is not what it should be', () => {
    let changed = 0;
    for (const { run, check } of judged.slice(0, 60)) {
      expect(check(run.events)).toBeNull();
      expect(check(run.events, { state: { ...run.state, x: 'other' } })).toContain('the state');
      for (const [index, event] of run.events.entries()) {
        const other = withOtherValue(event);
        if (other === null) continue;
        changed += 1;
        expect(check(run.events.with(index, other))).not.toBeNull();
      }
    }
    expect(changed).toBeGreaterThan(100);
  });

  test('notices a join that acts too early', () => {
    let early = 0;
    for (const { run, check } of judged) {
      for (const event of run.events) {
        const events = event.type === 'fan_in.completed' ? withEarlyJoin(run.events, event) : null;
        if (events === null) continue;
        expect(check(events)).toContain('what is due for group');
        early += 1;
      }
    }
    expect(early).toBeGreaterThan(0);
  });

  test('notices a branch that is merged twice', () => {
    let twice = 0;
    for (const { run, check } of judged) {
      for (const [index, event] of run.events.entries()) {
        const [, merged] = event.type === 'branches.merged' ? (event.writes[0] ?? []) : [];
        if (event.type !== 'branches.merged' || !Array.isArray(merged) || merged.length === 0) continue;
        const doubled: RunEvent = { ...event, writes: [['state.x', [...merged, ...merged]]] };
        expect(check(run.events.with(index, doubled))).toContain('merges');
        twice += 1;
      }
    }
    expect(twice).toBeGreaterThan(0);
  });

  test('notices a task that should not be there, and one that lives on', () => {
    let [added, kept] = [0, 0];
    for (const { run, check } of judged) {
      const highest = Math.max(...run.events.map((e) => (e.type === 'token.created' ? e.token + (e.count ?? 1) : 0)));
      for (const [index, event] of run.events.entries()) {
        if (event.type === 'token.created' && event.node.startsWith('task')) {
          const another = { ...event, token: highest, count: 1 };
          expect(check(run.events.toSpliced(index + 1, 0, another))).toContain('Expected no token at node');
          added += 1;
        }
        if (event.type !== 'tokens.cancelled' || event.seq === run.events.at(-1)?.seq) continue;
        const events = run.events.with(index, { ...event, tokens: event.tokens.slice(1) });
        expect(check(events)).toContain(`token ${event.tokens[0]} to be cancelled`);
        kept += 1;
      }
    }
    expect(Math.min(added, kept)).toBeGreaterThan(0);
  });

  test('notices a timer that fires before its time', () => {
    let fired = 0;
    for (const { run, check } of judged) {
      for (const { type, seq, at } of run.events) {
        if (type !== 'timer.fired') continue;
        const events = run.events.map((event) => (event.seq === seq ? { ...event, at: at - 100_000_000 } : event));
        expect(check(events)).toContain('to fire at');
        fired += 1;
      }
    }
    expect(fired).toBeGreaterThan(0);
  });

  test('compares the end of a run with its row', () => {
    for (const { run, check } of judged.slice(0, 20)) {
      expect(check(run.events, { status: 'exhausted' })).toContain('the status');
      expect(check(run.events, { output: { x: 'other' } })).toContain('the output');
      expect(check(run.events, { error: { code: 'OTHER' } })).toContain('the code of the error');
      expect(check(run.events, { quarantine: 'why not' })).toContain('the quarantine');
    }
  });
});

/** The join acts at its first arrival; null if that is when it does act. */
function withEarlyJoin(events: readonly RunEvent[], join: Extract<RunEvent, { type: 'fan_in.completed' }>) {
  const first = events.findIndex(
    (event) => event.type === 'token.waiting' && event.for === 'siblings' && event.branch[0] === join.group,
  );
  const arrival = events[first];
  if (arrival === undefined || join.timedOut || join.branches < 2 || arrival.seq === join.seq) return null;
  const early = { ...join, seq: arrival.seq, at: arrival.at, id: `${arrival.seq}.early` };
  return events.toSpliced(events.indexOf(join), 1).toSpliced(first + 1, 0, early);
}

/** With another value in it, where it has one that the oracle knows. */
function withOtherValue(event: RunEvent): RunEvent | null {
  const { type } = event;
  if (type === 'task.dispatched' && event.input !== undefined) return { ...event, input: { x: 'other' } };
  if (type === 'subworkflow.dispatched') return { ...event, input: { x: 'other' } };
  if (type === 'task.completed') return { ...event, output: { value: 'other', n: 1 } };
  if (type === 'workflow.completed') return { ...event, output: { x: 'other' } };
  if (type === 'context.updated' || type === 'branches.merged') return { ...event, writes: [['state.x', 'other']] };
  return null;
}

describe('wild graphs', () => {
  test('are mostly legal', async () => {
    const { engine } = await createTestEngine();
    const definitions = range(1, 60).flatMap((seed) => makeWild(new Dice(seed)).definitions);
    const isLegal = (definition: unknown): boolean =>
      engine.validate(definition).every(({ severity }) => severity !== 'error');
    expect(definitions.filter(isLegal).length / definitions.length).toBeGreaterThan(0.75);
    await engine.close();
  });

  test('end, whatever they do', async () => {
    expect(await violationsOf(makeWild, range(1, 30))).toEqual([]);
  });
});
