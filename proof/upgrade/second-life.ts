// Second life: an engine goes on with a store until everything in it has ended. What it does (time passes, people answer,
// an event is published, paused runs go on) is the same for the release that made a recording and for all after it, so
// that the endings can be compared.

import type { RunRow, Store } from '../../packages/heddle/src/actor/ports.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunResult, RunSummary } from '../../packages/heddle/src/operations/run-results.ts';
import type { TestEngine } from '../../packages/heddle/src/testing/test-engine.ts';
import type { Ending } from './recording.ts';

const minuteMs = 60_000;
const minutesEach = 10;
const lookedMax = 1_000;

/** Two virtual hours, after which nothing of a recording is left to do. */
export async function goOn(test: TestEngine): Promise<void> {
  await test.settle();
  for (let minutes = 0; minutes < 120; minutes += minutesEach) {
    await wakeAll(test);
    await test.advance(minutesEach * minuteMs);
  }
}

async function wakeAll({ engine, settle }: TestEngine): Promise<void> {
  for (const { runId } of await engine.runs({ status: 'paused', limit: lookedMax, subRuns: true }))
    await engine.run(runId).resume();
  for (const { runId, correlationId } of await engine.prompts({ limit: lookedMax }))
    await engine.run(runId).reply(correlationId, { approved: true });
  await engine.publish('ready', { by: 'the recording' }, { correlation: 'A1' });
  await settle();
}

/** All runs that a store holds. */
export async function allRuns(store: Store): Promise<readonly RunRow[]> {
  return (await store.pageRuns({ limit: lookedMax })).rows;
}

export function endingOf({ status, output, error }: RunResult | RunSummary): Ending {
  return { status, output: output ?? (null as Json), error: error?.code ?? null };
}

/** What became of runs that a recording does not know: those that triggers started since. */
export function laterEndingsOf(runs: readonly RunSummary[], known: ReadonlySet<string>): readonly string[] {
  const later = runs.filter(({ runId }) => !known.has(runId));
  return later.map((run) => `${run.workflow}: ${JSON.stringify(endingOf(run))}`).toSorted();
}
