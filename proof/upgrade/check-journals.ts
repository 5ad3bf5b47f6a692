// The journals of a recording: every chain of hashes is whole, and the events alone lead to the state that was recorded.

import { createHash } from 'node:crypto';
import { verifyChain } from '../../packages/heddle/src/actor/journal.ts';
import type { JournalRow } from '../../packages/heddle/src/actor/ports.ts';
import { hashOfView, publicViewOf } from './public-view.ts';
import type { RecordedRun, Recording } from './recording.ts';

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');

export function checkJournals({ runs, journals }: Recording): readonly string[] {
  return runs.flatMap((run) => {
    const wrong = checkJournal(run, journals[run.runId] ?? []);
    return wrong === null ? [] : [`run ${run.runId} of ${run.workflow}: ${wrong}`];
  });
}

function checkJournal(run: RecordedRun, rows: readonly JournalRow[]): string | null {
  try {
    verifyChain(hash, { seq: 0, head: '' }, rows);
    const view = publicViewOf(rows);
    if (hashOfView(view) === run.hash) return null;
    return `Expected its journal to replay to the recorded state, but it gives ${JSON.stringify(view).slice(0, 2_000)}`;
  } catch (error) {
    return `Expected its journal to replay, but ${(error as Error).message}`;
  }
}
