// Random programs, played to the end in random order: the invariants hold, and what comes out is what the oracle says.
// A failure prints the seed and the path: run the same test with `HEDDLE_SEED` and `HEDDLE_PATH` to see it again.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import { compileProgram } from './compile-program.testsuite.ts';
import { type AcceptanceHost, onEveryHost } from './hosts.testsuite.ts';
import { checkJournal, type Reading } from './invariants.testsuite.ts';
import { journalOf } from './lifecycle.testsuite.ts';
import { predict } from './oracle.testsuite.ts';
import { memoryStage, play, type Schedule } from './play.testsuite.ts';
import { type Block, type ProgramOptions, programs } from './program.testsuite.ts';

const seeds = [1, 20_260_101, 0x48_65_64_64];

/** Programs with few tasks show nothing, with many nothing new. */
const sized = (options: ProgramOptions): fc.Arbitrary<Block> =>
  programs(options).filter((program) => {
    const { attempts } = predict(program, 'x');
    return attempts >= 4 && attempts <= 120;
  });

const schedules = (isMeddling: boolean): fc.Arbitrary<Schedule> =>
  fc.record({
    seed: fc.nat(),
    restarts: fc.constantFrom(0, 0, 0, 1, 2, 4),
    isMeddling: fc.constant(isMeddling),
  });

/** Without shrinking, which takes longer than a test may; `HEDDLE_SHRINK=1` shrinks all the same. */
const settings = (seed: number, numRuns: number): fc.Parameters<[Block, Schedule]> => ({
  seed: Number(process.env.HEDDLE_SEED ?? seed),
  numRuns: Number(process.env.HEDDLE_RUNS ?? numRuns),
  endOnFailure: process.env.HEDDLE_SHRINK === undefined,
  ...(process.env.HEDDLE_PATH === undefined ? {} : { path: process.env.HEDDLE_PATH }),
});

async function readAll(
  { engine }: TestEngine,
  definitions: ReadonlyMap<string, Definition>,
  fairAnswers: ReadonlySet<number>,
): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const summary of await engine.runs({ subRuns: true, limit: 1_000 })) {
    if (summary.workflow === '') continue; // Called off before it began.
    const run = engine.run(summary.runId);
    const journal: RunEvent[] = await journalOf(run);
    const reading = checkJournal(journal, { definition: definitions.get(summary.workflow)!, fairAnswers });
    const { state, status } = await run.state();
    expect(state).toEqual(reading.state); // I17, I30
    expect(summary.status).toBe(status); // I40
    expect(summary.endedAt !== null).toBe(reading.end !== null); // I37
    if (status !== 'paused') expect(summary.nextTimerAt).toBe(reading.nextTimerAt); // I27, I28
    readings.set(summary.runId, reading);
  }
  return readings;
}

/** Plays a program and checks everything that must hold whatever it is; answers with how the run ended. */
async function playAndCheck(
  program: Block,
  schedule: Schedule,
  host: AcceptanceHost = memoryStage,
): Promise<{ status: string; output: unknown }> {
  const definitions = new Map(compileProgram(program).map((definition) => [definition.id, definition]));
  const everything: ReadonlySet<number> = { has: () => true } as unknown as ReadonlySet<number>;
  const look = (running: TestEngine) => readAll(running, definitions, everything).then(() => undefined);
  const { test: played, runId, fairAnswers, keys } = await play(program, schedule, look, host);
  try {
    const readings = await readAll(played, definitions, fairAnswers);
    for (const { end, liveTokens, nextTimerAt } of readings.values()) {
      expect([end?.type, liveTokens, nextTimerAt]).toEqual([expect.stringMatching(/^workflow\./), 0, null]); // I2, I37
    }
    expect(readings.has(runId)).toBe(true);
    for (const [task, used] of keys) expect([...used]).toEqual([task]); // I24
    expect(await played.engine.audit()).toMatchObject({ problems: [] }); // I30, I31
    expect(await played.store.readOutbox(null, 10)).toEqual([]); // I39
    const { status, output } = await played.engine.run(runId).result();
    return { status, output };
  } finally {
    await played.engine.close({ graceMs: 0 });
  }
}

/** What comes out is what the oracle says. */
async function compare(program: Block, schedule: Schedule, host?: AcceptanceHost): Promise<void> {
  const { prediction } = predict(program, 'x');
  const { status, output } = await playAndCheck(program, schedule, host);
  if (prediction.status === 'failed') expect(status).toBe('failed');
  else
    expect({ status, output }).toEqual({
      status: 'completed',
      output: JSON.parse(JSON.stringify({ x: prediction.x })),
    });
}

const calm = { failing: 3, isRacy: false };
const racy = { failing: 6, isRacy: true };

describe('random programs', () => {
  test.each(seeds)('[T472] without races, what comes out is what the oracle says (seed %i)', async (seed) => {
    await fc.assert(
      fc.asyncProperty(sized(calm), schedules(false), (...drawn) => compare(...drawn)),
      settings(seed, 40),
    );
  });

  test.each(seeds)('[T472] with races, timeouts and meddling the invariants hold (seed %i)', async (seed) => {
    const property = fc.asyncProperty(
      sized(racy),
      schedules(true),
      async (...drawn) => void (await playAndCheck(...drawn)),
    );
    await fc.assert(property, settings(seed, 60));
  });
});

onEveryHost('random programs', (host) => {
  test('[T472] every token ends, one continuation per fan-in, the value that the oracle says', async () => {
    const property = fc.asyncProperty(sized(calm), schedules(false), (...drawn) => compare(...drawn, host));
    await fc.assert(property, settings(7, 8));
  });

  test('[T472] with races, every token ends, one continuation per fan-in', async () => {
    const property = fc.asyncProperty(
      sized(racy),
      schedules(true),
      async (...drawn) => void (await playAndCheck(...drawn, host)),
    );
    await fc.assert(property, settings(7, 8));
  });
});
