import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CompiledAction } from './compile-action.ts';
import { makeTask } from './executor.testsuite.ts';
import { FairQueue } from './fair-queue.ts';
import type { ActionGate, Ticket } from './lanes.ts';
import type { Rate } from './rate-window.ts';

interface World {
  readonly process: number;
  readonly run: number;
  /** Concurrency of the actions a0, a1, … */
  readonly actions: readonly number[];
  /** Of action a0. */
  readonly rate: Rate | null;
}

function action(name: string, concurrency: number, rate: Rate | null): CompiledAction {
  const nothing = { input: null, output: null, timeoutMs: null, retry: null, cost: 0, version: null };
  return { type: 'ready', name, run: () => 1, concurrency, rate, ...nothing };
}

/** A queue with a clock and alarms by hand, and a list of what is under way. */
class Bench {
  now = 0;
  readonly running: Ticket[] = [];
  readonly starts: { at: number; name: string }[] = [];
  readonly started: string[] = [];
  readonly #alarms = new Map<ActionGate, number>();
  readonly queue: FairQueue;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.queue = new FairQueue({
      concurrencyPerRun: world.run,
      now: () => this.now,
      onUnknown: (gate) => {
        const index = Number(gate.name.slice(1));
        gate.learn(action(gate.name, world.actions[index] as number, index === 0 ? world.rate : null));
      },
      onRateWait: (gate) => this.#alarms.set(gate, gate.rate?.opensAt(this.now) as number),
    });
  }

  add(runId: string, tokenId: number, name: string): void {
    this.queue.add(makeTask({ runId, tokenId, action: name }));
  }

  pump(): void {
    while (this.running.length < this.#world.process) {
      const ticket = this.queue.take();
      if (ticket === null) return;
      this.running.push(ticket);
      this.starts.push({ at: this.now, name: ticket.task.action });
      this.started.push(`${ticket.task.runId}/${ticket.task.tokenId}`);
    }
  }

  finish(index: number): void {
    const [ticket] = this.running.splice(index % this.running.length, 1);
    if (ticket !== undefined) this.queue.release(ticket);
  }

  advance(ms: number): void {
    this.now += ms;
    for (const [gate, at] of this.#alarms) {
      if (at > this.now) continue;
      this.#alarms.delete(gate);
      this.queue.reopen(gate);
    }
  }

  count(has: (ticket: Ticket) => boolean): number {
    return this.running.filter(has).length;
  }

  /** What is wrong: a limit exceeded, or a task that waits although nothing is in its way. */
  complaints(): string[] {
    const { process, run, actions, rate } = this.#world;
    const found: string[] = [];
    const inRun = (id: string) => this.count(({ task }) => task.runId === id);
    const ofAction = (name: string) => this.count(({ task }) => task.action === name);
    const bound = (name: string) => actions[Number(name.slice(1))] as number;
    if (this.running.length > process) found.push('process');
    for (const { task } of this.running) {
      if (inRun(task.runId) > run) found.push(`run ${task.runId}`);
      if (ofAction(task.action) > bound(task.action)) found.push(`action ${task.action}`);
    }
    const lately = this.starts.filter(({ at, name }) => rate !== null && name === 'a0' && at > this.now - rate.perMs);
    if (rate !== null && lately.length > rate.limit) found.push('rate');
    for (const { task } of this.queue.tickets().filter(({ chain }) => chain !== null)) {
      const isHeld =
        this.running.length >= process ||
        inRun(task.runId) >= run ||
        ofAction(task.action) >= bound(task.action) ||
        (rate !== null && task.action === 'a0' && lately.length >= rate.limit);
      if (!isHeld) found.push(`${task.runId}/${task.tokenId} waits for nothing`);
    }
    return found;
  }
}

const worlds = fc.record({
  process: fc.integer({ min: 1, max: 20 }),
  run: fc.integer({ min: 1, max: 3 }),
  actions: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
  rate: fc.option(fc.record({ limit: fc.integer({ min: 1, max: 3 }), perMs: fc.integer({ min: 1, max: 20 }) })),
});
const steps = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('add'), run: fc.nat(7), action: fc.nat(3), count: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ type: fc.constantFrom('finish', 'remove'), pick: fc.nat(100) }),
    fc.record({ type: fc.constant('advance'), ms: fc.integer({ min: 1, max: 15 }) }),
    // Tasks start only here: whatever else happens may heap up before.
    fc.record({ type: fc.constant('pump') }),
  ),
  { maxLength: 120, size: 'max' },
);

describe('limits', () => {
  it('[EX3] [EX4] no limit is ever exceeded, and no task waits for nothing', () => {
    fc.assert(
      fc.property(worlds, steps, (world, list) => {
        const bench = new Bench(world);
        let tokens = 0;
        for (const step of list) {
          if ('run' in step) {
            const name = `a${step.action % world.actions.length}`;
            for (let i = 0; i < step.count; i += 1) bench.add(`r${step.run}`, (tokens += 1), name);
          } else if ('ms' in step) bench.advance(step.ms);
          else if (!('pick' in step)) {
            bench.pump();
            expect(bench.complaints()).toEqual([]);
          } else if (step.type === 'finish') bench.finish(step.pick);
          else remove(bench, step.pick);
        }
        drain(bench);
        expect(bench.queue.tickets()).toEqual([]);
        expect([bench.queue.queued, bench.queue.running]).toEqual([0, 0]);
      }),
      { numRuns: 1_000 },
    );
  });
});

function remove(bench: Bench, pick: number): void {
  const waiting = bench.queue.tickets().filter(({ chain }) => chain !== null);
  const ticket = waiting[pick % waiting.length];
  if (ticket !== undefined) bench.queue.remove(ticket);
}

function drain(bench: Bench): void {
  for (let i = 0; i < 10_000 && bench.queue.tickets().length > 0; i += 1) {
    while (bench.running.length > 0) bench.finish(0);
    bench.advance(20);
    bench.pump();
    expect(bench.complaints()).toEqual([]);
  }
}

describe('fairness', () => {
  const wide = { process: 4, run: 100, actions: [100, 100], rate: null };

  it('[EX2] a run with 100,000 tasks lets one with a single task through within one round', () => {
    const bench = new Bench(wide);
    for (let token = 1; token <= 100_000; token += 1) bench.add('big', token, 'a0');
    bench.pump();
    bench.add('small', 1, 'a0');
    bench.finish(0);
    bench.finish(0);
    bench.pump();
    expect(bench.started.slice(4)).toContain('small/1');
  });

  it('[EX2] runs take turns', () => {
    const bench = new Bench({ ...wide, process: 1 });
    for (const run of ['a', 'b', 'c']) for (let token = 1; token <= 3; token += 1) bench.add(run, token, 'a0');
    while (bench.queue.queued > 0) {
      bench.pump();
      bench.finish(0);
    }
    expect(bench.started.join(' ')).toBe('a/1 b/1 c/1 a/2 b/2 c/2 a/3 b/3 c/3');
  });

  it('[EX2] runs that wait for one action take turns, a newcomer behind those that wait', () => {
    const bench = new Bench({ ...wide, actions: [1] });
    for (let token = 1; token <= 3; token += 1) bench.add('a', token, 'a0');
    bench.add('b', 1, 'a0');
    bench.pump();
    bench.add('c', 1, 'a0');
    while (bench.running.length > 0) {
      bench.finish(0);
      bench.pump();
    }
    expect(bench.started.join(' ')).toBe('a/1 b/1 a/2 c/1 a/3');
  });

  it('[EX3] a busy action holds up neither its own run nor others', () => {
    const bench = new Bench({ ...wide, actions: [1, 100] });
    for (let token = 1; token <= 10; token += 1) bench.add('a', token, 'a0');
    bench.add('a', 11, 'a1');
    bench.add('b', 1, 'a1');
    bench.pump();
    expect(bench.started.toSorted()).toEqual(['a/1', 'a/11', 'b/1']);
  });

  it('[EX3] a full run gives the turn it cannot use to the next', () => {
    const bench = new Bench({ process: 10, run: 1, actions: [1, 10], rate: null });
    bench.add('x', 1, 'a0');
    bench.pump();
    bench.add('a', 1, 'a0');
    bench.pump(); // It waits for a0.
    bench.add('a', 2, 'a1');
    bench.add('b', 1, 'a0');
    bench.pump(); // Run a is full now.
    bench.finish(0);
    bench.pump();
    expect(bench.started).toEqual(['x/1', 'a/2', 'b/1']);
    bench.finish(0);
    bench.finish(0);
    bench.pump();
    expect(bench.started).toEqual(['x/1', 'a/2', 'b/1', 'a/1']);
  });

  it('[EX3] of two turns that a run gets at once, it passes on the one it cannot use', () => {
    const bench = new Bench({ process: 10, run: 1, actions: [1, 1], rate: null });
    bench.add('x', 1, 'a0');
    bench.add('y', 1, 'a1');
    bench.pump();
    bench.add('a', 1, 'a0');
    bench.add('a', 2, 'a1');
    bench.add('b', 1, 'a0');
    bench.add('b', 2, 'a1');
    bench.pump();
    bench.finish(0);
    bench.finish(0);
    bench.pump();
    expect(bench.started.slice(2).map((task) => task.split('/')[0])).toEqual(['a', 'b']);
    expect(bench.complaints()).toEqual([]);
  });

  it('[EX3] a turn whose task was removed goes to the next', () => {
    const bench = new Bench({ process: 10, run: 1, actions: [1], rate: null });
    for (const run of ['x', 'a', 'b']) {
      bench.add(run, 1, 'a0');
      bench.pump();
    }
    bench.finish(0);
    bench.queue.remove(bench.queue.find('a', 1) as Ticket);
    bench.pump();
    expect(bench.started).toEqual(['x/1', 'b/1']);
  });

  it('[EX3] a run that was full when its turn came keeps its place', () => {
    const bench = new Bench({ process: 10, run: 1, actions: [1, 10], rate: null });
    const add = (runId: string, tokenId: number, name: string) => {
      bench.add(runId, tokenId, name);
      bench.pump();
    };
    const finish = (task: string) => {
      bench.finish(bench.running.findIndex((ticket) => `${ticket.task.runId}/${ticket.task.tokenId}` === task));
      bench.pump();
    };
    add('x', 1, 'a0');
    add('a', 1, 'a0');
    add('a', 2, 'a1');
    add('b', 1, 'a0');
    add('c', 1, 'a0');
    finish('x/1'); // It is a's turn, but a is full: b starts.
    finish('a/2'); // Now a could start, but the action is busy.
    finish('b/1');
    expect(bench.started).toEqual(['x/1', 'a/2', 'b/1', 'a/1']);
  });

  it('[EX2] the actions of a run take turns', () => {
    const bench = new Bench({ ...wide, process: 1 });
    for (let token = 1; token <= 3; token += 1) bench.add('a', token, 'a0');
    bench.add('a', 4, 'a1');
    while (bench.queue.queued > 0) {
      bench.pump();
      bench.finish(0);
    }
    expect(bench.started.join(' ')).toBe('a/1 a/4 a/2 a/3');
  });

  it('costs the same for each of 100,000 tasks that one action holds up', () => {
    const bench = new Bench({ ...wide, actions: [1, 1] });
    for (let token = 1; token <= 100_000; token += 1) bench.add(`run-${token % 10_000}`, token, `a${token % 2}`);
    while (bench.queue.queued > 0) {
      bench.pump();
      bench.finish(0);
    }
    expect(bench.started).toHaveLength(100_000);
  });
});
