import { describe, expect, test } from 'vitest';
import { plan } from '../planning/plan.ts';
import { flow, Trial, task } from '../planning/planning.testsuite.ts';
import { nextTimerAt } from '../planning/timers.ts';
import type { RunState } from '../state.ts';
import { apply, copyState, emptyState } from './apply.ts';
import type { EncodedState } from './encoded-state.ts';
import { decodeState, encodeState } from './snapshot.ts';
import { decodeLine, encodeLines, type SnapshotLine } from './snapshot-lines.ts';

/** A bit of everything: nested groups, an overlay, retries, waits, a child, abandoned branches, edge joins, a loop. */
const definition = (strategy: 'all' | { mOfN: number }) =>
  flow(
    [
      task('s', { outputMapping: { 'state.n': 'result.n' } }),
      task('row', {
        outputMapping: { 'state.r': 'result.r', 'output.o': 'result.r' },
        retry: { maxAttempts: 3, initialDelayMs: 7 },
      }),
      task('cell'),
      { id: 'nap', wait: { seconds: 1 } },
      { id: 'sub', workflow: { id: 'other', timeoutMs: 400 } },
      'sum',
      task('both'),
      task('end'),
    ],
    [
      {
        from: 's',
        to: 'row',
        foreach: { collection: 'input.list', itemVar: 'x', maxParallel: 3 },
        siblingGroup: 'rows',
        onBranchFailure: 'end',
      },
      { from: 'row', to: 'cell', spawnCount: 2, siblingGroup: 'cells' },
      { from: 'cell', to: 'cell', priority: 1, loop: { maxIterations: 2 }, condition: 'has(result.again)' },
      {
        from: 'cell',
        to: 'sum',
        priority: 2,
        synchronization: { siblingGroup: 'cells', strategy: 'any', onEarlyComplete: 'abandon', timeoutMs: 90 },
      },
      { from: 'sum', to: 'nap' },
      { from: 'sum', to: 'sub' },
      { from: 'nap', to: 'both', synchronization: { over: 'edges' } },
      { from: 'sub', to: 'both', synchronization: { over: 'edges' } },
      {
        from: 'both',
        to: 'end',
        synchronization: { siblingGroup: 'rows', strategy, merge: { target: 'state.all', strategy: 'append' } },
      },
    ],
  );

function* numbers(seed: number): Generator<number, never> {
  for (let n = seed; ; ) yield (n = (n * 1_103_515_245 + 12_345) % 2_147_483_648);
}

/** Plays a run to its end, answering in an order that the seed decides. `look` sees every state on the way. */
function play(seed: number, look: (trial: Trial) => void): Trial {
  const random = numbers(seed);
  const draw = (below: number) => Math.floor(random.next().value / 65_536) % below;
  const trial = new Trial(definition(seed % 2 ? 'all' : { mOfN: 2 }), { input: { list: [1, 2, 3, 4, 5] } });
  for (let step = 0; step < 200 && trial.state.outcome === null; step++) {
    const tokens = [...trial.state.tokens.values()].toSorted((a, b) => a.id - b.id);
    const token = tokens[draw(tokens.length)];
    if (draw(10) === 0) trial.send({ type: 'recover' });
    else if (token?.status === 'waiting_for_subworkflow')
      trial.childEnded(token.id, draw(6) ? { output: { c: 1 } } : { status: 'failed' });
    else if (token?.status === 'dispatched' && draw(12) === 0) trial.fail(token.id);
    else if (token?.status === 'dispatched') trial.complete(token.id, draw(4) ? { r: step } : { again: true });
    else trial.alarmAt(trial.at + draw(300));
    look(trial);
  }
  return trial;
}

const decoded = (encoded: EncodedState): RunState => {
  const state = emptyState();
  decodeState(state, encoded);
  return state;
};

function decodedLines([first = '', ...others]: readonly string[]): RunState {
  const state = decoded(JSON.parse(first) as EncodedState);
  for (const line of others) decodeLine(state, JSON.parse(line) as SnapshotLine);
  return state;
}

/** Members of the state, groups, branches and tokens. */
function valuesOf({ root, groups, tokens }: RunState): number {
  const branches = [...groups.values()].flatMap((group) => Object.keys(group.branches));
  return Object.keys(root.context?.state ?? {}).length + groups.size + branches.length + tokens.size;
}

describe('snapshots', () => {
  test('[AP2] encoding, decoding and encoding again changes nothing, and planning goes on as before', () => {
    let looks = 0;
    for (let seed = 1; seed <= 10; seed++) {
      play(seed, ({ graph, state, at }) => {
        const text = JSON.stringify(encodeState(state));
        const copy = decoded(JSON.parse(text) as EncodedState);
        expect(JSON.stringify(encodeState(copy))).toBe(text);
        const command = { type: 'alarm', at: at + 2_000 } as const;
        const expected = plan(graph, state, command);
        const found = plan(graph, copy, command);
        expect(JSON.stringify([found.events, found.effects])).toBe(JSON.stringify([expected.events, expected.effects]));
        looks++;
      });
    }
    expect(looks).toBeGreaterThan(200);
  });

  test('[AP4] line by line a state comes back the same, and no line holds more than one value of many', () => {
    for (let seed = 1; seed <= 10; seed++) {
      play(seed, ({ state }) => {
        const lines = [...encodeLines(state)].map((line) => JSON.stringify(line));
        expect(JSON.stringify(encodeState(decodedLines(lines)))).toBe(JSON.stringify(encodeState(state)));
        expect(lines).toHaveLength(1 + valuesOf(state));
      });
    }
  });

  test('[AP1] the events alone lead to the state: a journal replays to what planning left', () => {
    for (let seed = 101; seed <= 110; seed++) {
      const { journal, state } = play(seed, () => undefined);
      const replayed = emptyState();
      for (const event of journal) apply(replayed, JSON.parse(JSON.stringify(event)));
      const late = (s: RunState) => ({ ...encodeState(s), at: 0 });
      expect(late(replayed)).toEqual(late(state));
    }
  });

  test('[AP1] every run comes to an end, whatever the order of answers, and nothing lives after it', () => {
    for (let seed = 201; seed <= 220; seed++) {
      const { state } = play(seed, () => undefined);
      expect(state.outcome).not.toBeNull();
      expect([state.tokens.size, state.groups.size, state.dispatched, state.waitingForChildren]).toEqual([0, 0, 0, 0]);
    }
  });

  test('[AP2] a copy shares nothing that planning alters', () => {
    const fresh = new Trial(definition('all'), { input: { list: [1] } });
    const copy = copyState(fresh.state);
    plan(fresh.graph, fresh.state, { type: 'cancel', at: 2_000, reason: 'x' });
    expect(encodeState(fresh.state)).toEqual(encodeState(copy));
  });
});

test('[AP3] a snapshot of an earlier version goes on, without what that version did not know', () => {
  const trial = new Trial(
    flow(
      ['s', task('w'), 'j'],
      [
        { from: 's', to: 'w', spawnCount: 2, siblingGroup: 'g' },
        { from: 'w', to: 'j', synchronization: { siblingGroup: 'g', strategy: 'all' } },
      ],
    ),
  );
  trial.complete(2);
  const {
    tasksStarted: _tasks,
    suspended: _,
    queue: _queue,
    received: _received,
    credits: _credits,
    ...rest
  } = encodeState(trial.state);
  const groups = rest.groups.map(({ batch: _batch, keepsLast: _last, branches, ...group }) => ({
    ...group,
    branches: branches.map(({ failed: _failed, ...branch }) => branch),
  }));
  const state = emptyState();
  decodeState(state, { ...rest, groups } as unknown as EncodedState); // as it was written then
  const outcome = { type: 'completed', output: {} } as const;
  const { state: after } = plan(trial.graph, state, { type: 'task.result', at: 2_000, token: 3, dispatch: 1, outcome });
  expect(after.outcome).toBe('completed');
});

test('[AP2] the time limit of a join that waits comes due after a snapshot too', () => {
  const synchronization = { siblingGroup: 'g', timeoutMs: 90, onTimeout: 'proceed_with_available' } as const;
  const ways = [
    { from: 's', to: 'a', spawnCount: 2, siblingGroup: 'g' },
    { from: 'a', to: 'end', synchronization },
  ];
  const trial = new Trial(flow(['s', task('a'), task('end')], ways));
  trial.complete(2);
  const restored = emptyState();
  decodeState(restored, JSON.parse(JSON.stringify(encodeState(trial.state))) as EncodedState);
  expect(nextTimerAt(restored)).toBe(trial.at + 90);
});
