// CheckContinuations: whoever opens a backup in place of what was lost goes on with it: everything that was under way in
// it comes to its end, as it would have without a crash; of what was on its way between the shards of a fleet nothing is
// lost, and nothing happens twice.
//
// Always true: a copy is opened for writing only when everything else about it was checked.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEngine, type Engine, type RunSummary } from '../../packages/heddle/src/index.ts';
import { actionsOf } from './actions.ts';
import { checkEnds, type Ends } from './check-ends.ts';
import { checkWhatIsThere } from './check-ledger.ts';
import { type Complain, gatherEvidence, inspectStore, readRunsAt } from './evidence.ts';
import type { Ledger } from './ledger.ts';
import { perform } from './perform.ts';
import { type Place, storeAt } from './place.ts';
import { eventFor, numberOfKey, wordOf } from './workflows.ts';

/** It works, if it changes something in this time, however slow the machine is. */
const stuckMs = 60_000;
const lookEveryMs = 10;
/** So many looks at an engine that has nothing to do. */
const quietLooks = 4;
const neverMade = (): Promise<string> => Promise.reject(new Error('Expected no backup of a backup'));

interface Surroundings {
  readonly ledger: Ledger;
  readonly undisturbed: Ends;
  readonly complain: Complain;
}

export async function checkContinuation(copy: Place, { ledger, undisturbed, complain }: Surroundings): Promise<void> {
  const tell: Complain = (complaint) => complain(`Continued from ${copy.path}: ${complaint}`);
  try {
    for (const left of await goOn(copy)) tell(`Expected everything to come to its end, but ${left}`);
    for (const complaint of await inspectStore(copy, 0)) tell(complaint);
    const effects = `${copy.path}.effects`; // its own are not looked at
    writeFileSync(effects, '');
    const evidence = await gatherEvidence({ place: copy, effects }, ledger);
    checkWhatIsThere(ledger, evidence, tell);
    checkEnds(evidence, undisturbed, tell);
  } catch (error) {
    tell(`Expected it to go on, but found ${String(error)}`);
  }
}

/** Answers with what does not come to its end. */
async function goOn(copy: Place): Promise<readonly string[]> {
  const numbers = new Map<string, number>();
  const engine = await createEngine({
    store: storeAt(copy),
    actions: actionsOf(() => undefined),
    limits: { dispatchesMax: 1_000_000 },
  });
  try {
    for (const { runId, tags, workflow } of await startedIn(copy)) {
      const number = numberOfKey(tags['key'] ?? '');
      numbers.set(runId, number);
      // It may not have been published yet when the copy was made.
      const event = eventFor(workflow, number);
      if (event) await engine.publish(event.name, event.payload, { id: event.id, correlation: event.correlation });
    }
    return await untilRest(engine, numbers);
  } finally {
    await engine.close();
  }
}

/** What the client has started. */
async function startedIn(copy: Place): Promise<readonly RunSummary[]> {
  const runs = await readRunsAt(copy);
  return [...runs.values()].map(({ summary }) => summary).filter(({ tags }) => tags['key'] !== undefined);
}

async function untilRest(engine: Engine, numbers: ReadonlyMap<string, number>): Promise<readonly string[]> {
  let [seen, changedAt] = ['', performance.now()];
  for (let quiet = 0; ; await sleep(lookEveryMs)) {
    for (const { runId } of await engine.runs({ status: 'paused' })) await engine.run(runId).resume();
    for (const { correlationId, rootRunId, nodeId } of await engine.prompts({ limit: 1_000 }))
      await engine.run(rootRunId).reply(correlationId, wordOf(numbers.get(rootRunId) ?? 0, nodeId));
    const left = (await perform(engine, { type: 'unfinished' }, neverMade)) as readonly string[]; // as it is answered
    quiet = left.length === 0 && engine.isIdle ? quiet + 1 : 0;
    if (left.join() !== seen) [seen, changedAt] = [left.join(), performance.now()];
    if (quiet === quietLooks || performance.now() > changedAt + stuckMs) return left;
  }
}
