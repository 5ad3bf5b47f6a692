// Run ending: every run ends as its oracle says, or because somebody cancelled it or its time was up; and nothing hangs.

import type { RunRecord } from '../workload.ts';
import type { Findings } from './findings.ts';
import { show } from './values.ts';

/** `ends`: how the run ends by itself, decided in `row`; null if, by its own doing, it would still go on. */
export interface Expected {
  readonly ends: 'completed' | 'failed' | null;
  readonly row: number;
}

export function checkEnding(
  run: RunRecord,
  expected: Expected,
  { timeoutMs }: { readonly timeoutMs: number | null },
  findings: Findings,
): void {
  const last = run.events.at(-1);
  if (last?.type === 'workflow.cancelled' && expected.ends === null) return expectStatus(run, 'cancelled', findings);
  if (last?.type === 'workflow.timed_out' && expected.ends === null && timeoutMs !== null) {
    const startedAt = run.events[0]?.at ?? 0;
    findings.expect(last.at >= startedAt + timeoutMs, () => {
      return `Expected the run to have ${timeoutMs} ms, but it timed out after ${last.at - startedAt}`;
    });
    return expectStatus(run, 'timed_out', findings);
  }
  if (expected.ends === null) {
    findings.add(`Expected the run to go on, but it is ${run.status} with ${show(last)}`);
    return;
  }
  findings.expect(last?.type === `workflow.${expected.ends}` && last.seq === expected.row, () => {
    return `Expected the run to be ${expected.ends} in row ${expected.row}, but its last event is ${show(last)}`;
  });
  expectStatus(run, expected.ends, findings);
}

function expectStatus(run: RunRecord, status: string, findings: Findings): void {
  findings.expect(run.status === status && run.nextTimerAt === null && run.quarantine === null, () => {
    return `Expected the run to be ${status} and at rest, but it is ${run.status}, next timer ${run.nextTimerAt}, quarantine ${run.quarantine}`;
  });
  findings.expect((run.error === null) === (status === 'completed'), () => {
    return `Expected a run that is ${status} to have an error unless it completed, but found ${show(run.error)}`;
  });
}
