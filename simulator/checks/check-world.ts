// Check world: the door for everything that is true across runs and of the store: after a crash (D), at the end (E), and
// when the faults have stopped and nothing is left to do (L). What is true of each run alone is checked on the way.
//
// Some invariants ask for what the engine does not have: see `coverage.ts`.

import type { DefinitionRow } from '../../packages/heddle/src/actor/ports.ts';
import { checkClients } from './check-clients.ts';
import { CommitCheck } from './check-commits.ts';
import { checkCredits } from './check-credits.ts';
import type { JournalCheck } from './check-journal.ts';
import { checkLife } from './check-life.ts';
import { checkRecords } from './check-records.ts';
import { statusOf } from './check-run.ts';
import { checkTrees } from './check-trees.ts';
import { BrokenWorld, breaks, type Look } from './look.ts';
import type { RunFacts } from './run-facts.ts';
import { isEqual } from './values.ts';
import type { Violation } from './violation.ts';
import type { Moment, WorldView } from './world-view.ts';

/** The first invariant that is broken; null if all hold. */
export function checkWorld(view: WorldView, moment: Moment): Violation | null {
  const checks = view.checks ?? readJournals(view);
  for (const { violation } of checks.values()) if (violation) return violation;
  const runs = new Map<string, RunFacts>();
  for (const [runId, { facts }] of checks) runs.set(runId, facts);
  const rows = new Map(view.rows.map((row) => [row.runId, row]));
  try {
    checkAll({ view, moment, rows, runs, factsOf: (runId) => runs.get(runId) });
    return null;
  } catch (error) {
    if (!(error instanceof BrokenWorld)) throw error;
    const { invariant, runId, message } = error;
    return { invariant, runId, seq: runs.get(runId)?.seq ?? 0, message };
  }
}

/** All journals, from the first row on, each with the run's row. */
function readJournals(view: WorldView): ReadonlyMap<string, JournalCheck> {
  const bodies = new Map(view.definitions.map((row) => [keyOf(row), row.body]));
  const { limits, hash } = view;
  const bodyOf = (id: string, version: number) => bodies.get(keyOf({ id, version }));
  const commits = new CommitCheck({ limits, hash, bodyOf, isReading: true });
  const journal = [...view.journals].flatMap(([runId, rows]) => rows.map((row) => ({ ...row, runId })));
  const runs = view.rows.map((row) => ({ row, isNew: true }));
  commits.add({ runs, journal, outboxAdded: [], outboxDone: [], keys: [], records: [] });
  return commits.checks;
}

const keyOf = ({ id, version }: Pick<DefinitionRow, 'id' | 'version'>): string => `${version} ${id}`;

function checkAll(look: Look): void {
  checkStored(look);
  checkReported(look);
  checkTrees(look);
  checkRecords(look);
  checkClients(look);
  checkCredits(look);
  checkAlarm(look);
  checkLife(look);
  checkSecrets(look);
  checkGlobals(look);
}

/** I32: of every run that has a journal there is a row, as of its newest entry. */
function checkStored({ view, runs, factsOf }: Look): void {
  for (const { runId, seq } of view.rows)
    if (seq !== (factsOf(runId)?.seq ?? 0))
      breaks('I32', runId, `Expected the row of the run to tell of row ${factsOf(runId)?.seq ?? 0}, not of ${seq}`);
  if (view.rows.filter(({ seq }) => seq > 0).length !== runs.size)
    breaks('I32', '', `Expected as many rows as journals, but found ${view.rows.length} and ${runs.size}`);
}

/** I30: what is read of a run is what its journal adds up to. */
function checkReported({ view, factsOf }: Look): void {
  for (const { runId, state, output, status, quarantine } of view.runs) {
    const facts = factsOf(runId) ?? breaks('I30', runId, 'Expected a run to have a journal, but it has none');
    if (!isEqual(state, facts.context.state))
      breaks(
        'I30',
        runId,
        `Expected the state ${JSON.stringify(facts.context.state)}, but found ${JSON.stringify(state)}`,
      );
    const { end } = facts;
    if (end?.type === 'workflow.completed' && !isEqual(output, end.output))
      breaks('I38', runId, 'Expected the output that is read to be the one in the journal, but it is another');
    if (quarantine === null && status !== statusOf(facts))
      breaks('I40', runId, `Expected the status ${statusOf(facts)}, but found ${status}`);
  }
}

/** I28: the engine is woken no later than its earliest timer asks. */
function checkAlarm({ view, runs }: Look): void {
  if (view.isPunctual)
    for (const [runId, { lateMs }] of runs)
      if (lateMs > 0) breaks('I28', runId, `Expected every timer to fire at its time, but one was ${lateMs} ms late`);
  if (view.alarmAt === undefined) return;
  for (const { runId, nextTimerAt } of view.rows)
    if (nextTimerAt !== null && (view.alarmAt === null || view.alarmAt > nextTimerAt))
      breaks('I28', runId, `Expected to be woken at ${nextTimerAt}, but the alarm is at ${view.alarmAt}`);
}

/** I49: nobody has changed what everybody shares. */
function checkGlobals({ view }: Look): void {
  const change = view.globals?.findChange() ?? null;
  if (change !== null) breaks('I49', '', change);
}

/** I50: what must stay secret stands in nothing that is stored. */
function checkSecrets({ view }: Look): void {
  for (const secret of view.secrets ?? []) {
    for (const [runId, rows] of view.journals)
      if (rows.some(({ events }) => events.includes(secret))) breaks('I50', runId, 'Expected no secret in the journal');
    const isStored = [...view.outbox.map(({ message }) => message), ...view.records.map(({ value }) => value)];
    if (isStored.some((text) => text.includes(secret))) breaks('I50', '', 'Expected no secret in the store');
  }
}
