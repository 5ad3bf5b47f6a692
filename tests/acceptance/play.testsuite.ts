// Plays a program on an engine to its end: answers its tasks in a random order, several at a time, some late; lets time
// go on; restarts in between. What was answered when is kept, for the checks.

import { test as vitestTest } from 'vitest';
import { ActionError } from '../../packages/heddle/src/executor/action-error.ts';
import type { ScriptedCall } from '../../packages/heddle/src/testing/scripted-actions.ts';
import { createTestEngine, type TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { compileProgram } from './compile-program.testsuite.ts';
import type { AcceptanceHost } from './hosts.testsuite.ts';
import { valueOf } from './oracle.testsuite.ts';
import type { Block } from './program.testsuite.ts';

export interface Schedule {
  readonly seed: number;
  /** How many times the engine is stopped and opened again. */
  readonly restarts: number;
  /** Cancel, pause and resume at random. */
  readonly isMeddling: boolean;
}

export interface Played {
  readonly test: TestEngine;
  readonly runId: string;
  /** By number: the calls whose answer may count, because nothing newer was handed out when it came. */
  readonly fairAnswers: ReadonlySet<number>;
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Looks at the engine at rest, with everything that was committed so far. */
export type Look = (test: TestEngine) => Promise<void>;

/** The host in memory, without the ceremony of a suite: whoever plays closes the engine. */
export const memoryStage: AcceptanceHost = {
  testHere: vitestTest,
  testWithoutPause: vitestTest,
  testReadOnly: vitestTest,
  stride: 1,
  open: (options) => createTestEngine(options),
  async restart({ engine, store, clock }, options) {
    await engine.close({ graceMs: 0 });
    return createTestEngine({ ...options, store, clock });
  },
};

const actions = { scripted: ['work'] };
const stepsMax = 2_000;

export async function play(program: Block, schedule: Schedule, look: Look, host = memoryStage): Promise<Played> {
  const player = new Player(schedule, host);
  try {
    return await player.play(program, look);
  } catch (error) {
    await player.test?.engine.close({ graceMs: 0 });
    throw error;
  }
}

class Player {
  test: TestEngine | undefined;
  readonly #schedule: Schedule;
  readonly #host: AcceptanceHost;
  readonly #random: Random;
  readonly #fairAnswers = new Set<number>();
  readonly #keys = new Map<string, Set<string>>();
  /** All calls ever, and the newest of each task. */
  readonly #numbers = new Map<ScriptedCall, number>();
  readonly #newest = new Map<string, ScriptedCall>();
  #restartsLeft: number;

  constructor(schedule: Schedule, host: AcceptanceHost) {
    this.#schedule = schedule;
    this.#host = host;
    this.#random = randomOf(schedule.seed);
    this.#restartsLeft = schedule.restarts;
  }

  async play(program: Block, look: Look): Promise<Played> {
    let test = await this.#host.open(actions);
    this.test = test;
    for (const definition of compileProgram(program)) {
      const { problems } = await test.engine.register(definition);
      const errors = problems.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) throw new Error(`Expected a legal definition, but: ${JSON.stringify(errors)}`);
    }
    const { id: runId } = await test.engine.start('root', { x: 'x' });
    for (let step = 0; step < stepsMax; step++) {
      await test.settle();
      this.#notice(test);
      if (this.#random() < 0.1) await look(test);
      if (await hasEnded(test)) return { test, runId, fairAnswers: this.#fairAnswers, keys: this.#keys };
      test = await this.#act(test, runId);
      this.test = test;
    }
    throw new Error(`Expected the run to end within ${stepsMax} steps, but it did not`);
  }

  #notice({ script }: TestEngine): void {
    for (const call of script.calls) {
      if (this.#numbers.has(call)) continue;
      this.#numbers.set(call, this.#numbers.size + 1);
      const task = `${call.runId}/${call.tokenId}`;
      this.#newest.set(task, call);
      this.#keys.set(task, (this.#keys.get(task) ?? new Set()).add(call.idempotencyKey));
    }
  }

  async #act(test: TestEngine, runId: string): Promise<TestEngine> {
    if (this.#restartsLeft > 0 && this.#random() < 0.2) {
      this.#restartsLeft -= 1;
      return this.#host.restart(test, actions);
    }
    if (this.#schedule.isMeddling && this.#random() < 0.05) return this.#meddle(test, runId);
    const open = test.script.open('work').filter(({ signal }) => !signal.aborted || this.#random() < 0.3);
    const isTimeToWait = open.length === 0 || this.#random() < 0.15;
    if (isTimeToWait) await this.#wait(test, open.length === 0, runId);
    else for (const call of this.#pick(open)) this.#answer(call);
    return test;
  }

  async #meddle(test: TestEngine, runId: string): Promise<TestEngine> {
    const run = test.engine.run(runId);
    const dice = this.#random();
    if (dice < 0.1) await run.cancel('meddling');
    else if (dice < 0.6) await run.pause();
    else await run.resume();
    return test;
  }

  /** Moves time on to the next alarm, or only a part of the way. If nothing else can happen, something must come. */
  async #wait(test: TestEngine, isAllThereIs: boolean, runId: string): Promise<void> {
    const next = test.clock.nextAt;
    if (next === null) {
      if (!isAllThereIs) return;
      if ((await test.engine.run(runId).status()) === 'paused') await test.engine.run(runId).resume();
      else
        throw new Error(
          `Expected something to wait for, but there is nothing: the run hangs\n${await describeRuns(test)}`,
        );
      return;
    }
    const whole = Math.max(0, next - test.clock.now());
    await test.advance(isAllThereIs ? whole : Math.floor(whole * this.#random()));
  }

  #pick(open: readonly ScriptedCall[]): ScriptedCall[] {
    const calls = [...open];
    const count = this.#random() < 0.5 ? 1 : 1 + Math.floor(this.#random() * calls.length);
    return Array.from({ length: count }, () => calls.splice(Math.floor(this.#random() * calls.length), 1)[0]!);
  }

  #answer(call: ScriptedCall): void {
    const number = this.#numbers.get(call)!;
    const isNewest = this.#newest.get(`${call.runId}/${call.tokenId}`) === call;
    if (isNewest && !call.signal.aborted) this.#fairAnswers.add(number);
    const { failures = 0, isRaw } = call.input;
    if (call.attempt <= Number(failures)) return call.fail(new ActionError('boom', { code: 'BOOM' }));
    const value = valueOf(call.input);
    call.complete(isRaw === true ? { x: value, call: number } : { value, call: number });
  }
}

async function hasEnded({ engine }: TestEngine): Promise<boolean> {
  const runs = await engine.runs({ subRuns: true, limit: 1_000 });
  return runs.every(({ endedAt }) => endedAt !== null);
}

/** What there is to see of the runs that have not ended, for the message of a failing test. */
async function describeRuns({ engine }: TestEngine): Promise<string> {
  const lines: string[] = [];
  for (const { runId, status, endedAt, quarantine } of await engine.runs({ subRuns: true, limit: 1_000 })) {
    if (endedAt !== null) continue;
    lines.push(`run ${runId} is ${status} ${quarantine ?? ''}`);
    for await (const event of engine.run(runId).events({ follow: false })) lines.push(`  ${JSON.stringify(event)}`);
  }
  return lines.join('\n');
}

export type Random = () => number;

/** Numbers from 0 to 1 that the seed decides (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
