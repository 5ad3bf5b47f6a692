// CheckDeletions: a run that was deleted is gone, with all below it and all that was theirs, and never comes back; one
// whose deletion nobody heard of is whole or gone.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { openSqliteDriver } from '../../packages/heddle/src/hosts/sqlite/open.ts';
import { contentOf } from './actions.ts';
import type { Complain, Evidence } from './evidence.ts';
import { describe, isAcknowledged, type Ledger, runIdOf } from './ledger.ts';
import { filesOf, type Place } from './place.ts';

export async function checkDeletions(
  ledger: Ledger,
  evidence: Evidence,
  { place, complain }: { readonly place: Place; readonly complain: Complain },
): Promise<void> {
  checkFamilies(ledger, evidence, complain);
  for (const file of filesOf(place)) {
    await checkRows(file, evidence.gone, complain);
    checkFiles(ledger, evidence, { file, complain });
  }
}

/** A run is there with all below it, or gone with it. */
export function checkFamilies(ledger: Ledger, { runs }: Evidence, complain: Complain): void {
  for (const entry of ledger.of('delete').filter(({ sent }) => sent > 0)) {
    const { family } = entry.operation;
    const left = family.filter((runId) => runs.has(runId));
    if (left.length > 0 && isAcknowledged(entry))
      complain(
        `Expected run ${left.join()} to be gone, for that was acknowledged, but it is there: ${describe(entry)}`,
      );
    else if (left.length > 0 && left.length < family.length)
      complain(
        `Expected a run with all below it or nothing of it, but only ${left.join()} is left: ${describe(entry)}`,
      );
  }
}

/** What outlives a run: the keys of starts (KP4), that it was deleted, and what it was granted and cost. */
const kept: ReadonlySet<string> = new Set(['keys', 'deletion', 'grant', 'reservation']);

interface Table {
  readonly name: string;
}

type Row = Readonly<Record<string, string | number | null>>;

/** Nothing in the whole file names it. */
async function checkRows(file: string, gone: ReadonlySet<string>, complain: Complain): Promise<void> {
  const driver = await openSqliteDriver(file, { readOnly: true });
  try {
    const tables = driver.prepare<Table>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const { name } of tables) {
      for (const row of driver.prepare<Row>(`SELECT * FROM ${name}`).all()) {
        const where = name === 'records' ? String(row['kind']) : name;
        const runId = kept.has(where) ? undefined : namedIn(JSON.stringify(row), gone);
        if (runId !== undefined)
          complain(`Expected nothing of run ${runId}, which was deleted, but ${where} has ${JSON.stringify(row)}`);
        if (where === 'artifact-check')
          complain(
            `Expected all to be removed that deleted runs left, but ${JSON.stringify(row)} is still to be looked at`,
          );
      }
    }
  } finally {
    driver.close();
  }
}

const runIdPattern = /[\w-]+/g;

const namedIn = (text: string, gone: ReadonlySet<string>): string | undefined =>
  (text.match(runIdPattern) ?? []).find((runId) => gone.has(runId));

/**
 * Each run of `file` put bytes that no other one has put. If nobody heard so, a crash may have left them without an owner
 * (AR8): such bytes are nobody's.
 */
function checkFiles(
  ledger: Ledger,
  { effects, gone }: Evidence,
  { file, complain }: { readonly file: string; readonly complain: Complain },
): void {
  const haveWritten = new Set(effects.filter(({ phase }) => phase === 'after').map(({ runId }) => runId));
  for (const start of ledger.of('start').filter(({ operation }) => operation.workflow === 'file')) {
    const runId = runIdOf(start);
    if (runId === null || !gone.has(runId) || !haveWritten.has(runId)) continue;
    const id = createHash('sha256').update(contentOf(start.operation.input['number'])).digest('hex');
    if (existsSync(path.join(`${file}-artifacts`, id.slice(0, 2), id.slice(2))))
      complain(`Expected artifact ${id} to be gone with run ${runId}, but it is there`);
  }
}
