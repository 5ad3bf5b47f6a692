// GoOn: a caller who lost their engine opens another on the same store and does everything again, as callers do; all of
// it must come to what it came to in the recording.

import type { Store } from '../../packages/heddle/src/actor/ports.ts';
import { HeddleError } from '../../packages/heddle/src/base/heddle-error.ts';
import { openEngine } from '../../packages/heddle/src/engine/local-engine.ts';
import { Dice } from '../../packages/heddle/src/simulation/dice.ts';
import { VirtualClock, virtualStart } from '../../packages/heddle/src/testing/virtual-clock.ts';
import { makeActions } from './definitions.ts';
import { limits } from './recorder.ts';
import type { Recording } from './recording.ts';
import { endingOf, endOf, finish, makeDeeds, play, type Stage } from './story.ts';

const ledger = { sent: () => undefined, acknowledged: () => undefined };

/** Of a store that is whole: null, or what is wrong. Leaves it closed. */
export async function goOn(recording: Recording, store: Store): Promise<string | null> {
  const stage = await openStage(store);
  try {
    await playAgain(stage, recording);
    const ending = await endingOf(stage.engine);
    const { problems } = await stage.engine.audit();
    if (problems.length > 0) return `Expected a clean audit at the end, but: ${JSON.stringify(problems)}`;
    return ending === recording.ending ? null : `Expected this ending:\n${recording.ending}\nbut found:\n${ending}`;
  } finally {
    await stage.engine.close({ graceMs: 0 });
  }
}

/** Of a damaged store: what has a code is a refusal, and a run that completes all the same completes as it should. */
export async function goOnDamaged(recording: Recording, store: Store): Promise<string | null> {
  const forgives = (error: unknown): boolean => error instanceof HeddleError;
  let stage: Stage | null = null;
  try {
    stage = { ...(await openStage(store)), forgives };
    await playAgain(stage, recording);
    const known = new Set(recording.ending.split('\n'));
    const completed = (await stage.engine.runs({ limit: 1_000, subRuns: true })).filter(
      ({ status }) => status === 'completed',
    );
    const wrong = completed.map(endOf).filter((end) => !known.has(end));
    return wrong.length === 0
      ? null
      : `Expected every run that completes to complete as recorded, but: ${wrong.join('\n')}`;
  } catch (error) {
    if (forgives(error)) return null;
    return `Expected a refusal with a code, but: ${error instanceof Error ? error.stack : String(error)}`;
  } finally {
    await stage?.engine.close({ graceMs: 0 });
  }
}

async function openStage(store: Store): Promise<Stage> {
  const clock = new VirtualClock(virtualStart + 100_000_000);
  const busy = { count: 0 };
  return { engine: await openEngine(store, { clock, actions: makeActions(busy), limits }), clock, busy, ledger };
}

async function playAgain(stage: Stage, { seed }: Recording): Promise<void> {
  await play(stage, makeDeeds(new Dice(seed)));
  await finish(stage);
}
