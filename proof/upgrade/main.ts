// The upgrade proof: what released versions have stored is opened by this one, stands as it stood, and goes on as they
// would have gone on with it. What cannot be opened is refused with a sentence that says what to do.
//
//   node scripts/prove.mjs run upgrade             opens every recording
//   node scripts/prove.mjs run upgrade --record    makes the recording of this version; once for each release

import path from 'node:path';
import { parseArgs } from 'node:util';
import { schemaVersion } from '../../packages/heddle/src/hosts/sqlite/migrations.ts';
import { checkDatabase } from './check-database.ts';
import { checkDecisions } from './check-decisions.ts';
import { checkJournals } from './check-journals.ts';
import { checkRefusals } from './check-refusals.ts';
import { record } from './record.ts';
import { listRecordings, type Recording, readRecording } from './recording.ts';

/** From the root of the repository, where proofs are run. */
const folder = path.resolve('proof/upgrade/recorded');

const { values: options } = parseArgs({ options: { record: { type: 'boolean' }, seed: { type: 'string' } } });
if (options.record) await record(folder);
else await prove();

async function prove(): Promise<void> {
  const violations: string[] = [];
  let runs = 0;
  let commits = 0;
  const recordings: Recording[] = [];
  for (const place of await listRecordings(folder)) recordings.push(await readRecording(place));
  for (const recording of recordings) {
    runs += recording.runs.length;
    const decided = await checkDecisions(recording);
    commits += decided.commits;
    const found = [...checkJournals(recording), ...decided.wrong, ...(await checkDatabase(recording))];
    violations.push(...found.map((what) => `recording of version ${recording.version}: ${what}`));
  }
  violations.push(...(await checkRefusals(recordings)), ...checkComplete(recordings));
  for (const violation of violations) process.stdout.write(`${violation}\n`);
  const counts = { 'recorded runs': runs, files: recordings.length, 'commits decided again': commits };
  process.stdout.write(`${JSON.stringify({ proof: 'upgrade', counts, violations: violations.length })}\n`);
  if (violations.length > 0) process.exitCode = 1;
}

function checkComplete(recordings: readonly Recording[]): readonly string[] {
  const versions = new Set(recordings.map(({ version }) => version));
  const missing = Array.from({ length: schemaVersion }, (_, index) => index + 1).filter((v) => !versions.has(v));
  return missing.map(
    (version) => `Expected a recording of version ${version} of the store, but there is none; make it with --record`,
  );
}
