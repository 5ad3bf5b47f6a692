// CheckLedger: acknowledged ⊆ journal ⊆ sent. Everything that the client heard of is there, once; and nothing is there that
// nobody sent.

import { isDeepStrictEqual } from 'node:util';
import { checkBalance, checkDeposits } from './check-credits.ts';
import { checkArrivals, checkPublished, checkTriggered } from './check-events.ts';
import { type Complain, type Evidence, eventsOf, inputOf, rootsOf } from './evidence.ts';
import { describe, type Entry, isAcknowledged, type Ledger, runIdOf, wasApplied } from './ledger.ts';
import type { Control } from './protocol.ts';

export function checkLedger(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const seen = checkWhatIsThere(ledger, evidence, complain);
  checkStarts(ledger, seen, { evidence, complain });
  checkReplies(ledger, evidence, complain);
  checkPublished(ledger, evidence, complain);
  checkControls(ledger, evidence, complain);
  checkDeposits(ledger, evidence, complain);
}

/** Of a copy too, that is younger than some of what was acknowledged. Answers with the runs of keys. */
export function checkWhatIsThere(ledger: Ledger, evidence: Evidence, complain: Complain): ReadonlyMap<string, string> {
  checkArrivals(ledger, evidence, complain);
  checkTriggered(ledger, evidence, complain);
  checkBalance(evidence, complain);
  return checkRoots(ledger, evidence, complain);
}

/** What was sent, and each once. */
function checkRoots(ledger: Ledger, evidence: Evidence, complain: Complain): ReadonlyMap<string, string> {
  const starts = new Map(ledger.of('start').map((entry) => [entry.operation.key, entry]));
  const seen = new Map<string, string>();
  for (const run of rootsOf(evidence)) {
    const { runId, workflow, tags } = run.summary;
    if (workflow === 'ship' || workflow === 'thank') continue; // Triggers start these.
    const key = tags['key'] ?? '';
    const entry = starts.get(key);
    const isSent = entry !== undefined && entry.sent > 0 && entry.operation.workflow === workflow;
    if (!isSent || !isDeepStrictEqual(inputOf(run), entry.operation.input))
      complain(`Expected run ${runId} of ${workflow} to have been sent as it is, but found no such start (key ${key})`);
    if (seen.has(key)) complain(`Expected one run of key ${key}, but there are ${seen.get(key)} and ${runId}`);
    seen.set(key, runId);
  }
  for (const { summary } of evidence.runs.values()) {
    const { parentRunId, runId } = summary;
    if (parentRunId !== null && !evidence.runs.has(parentRunId))
      complain(`Expected the parent of run ${runId}, but it is not there`);
  }
  return seen;
}

function checkStarts(
  ledger: Ledger,
  seen: ReadonlyMap<string, string>,
  { evidence, complain }: { readonly evidence: Evidence; readonly complain: Complain },
): void {
  for (const entry of ledger.of('start')) {
    const { key } = entry.operation;
    const runId = runIdOf(entry);
    const isGone = runId !== null && evidence.gone.has(runId) && !seen.has(key);
    if (runId !== null && seen.get(key) !== runId && !isGone)
      complain(
        `Expected run ${runId} to be there, for its start was acknowledged, but found ${seen.get(key)}: ${describe(entry)}`,
      );
  }
}

function checkReplies(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const replies = new Map(ledger.of('reply').map((entry) => [entry.operation.correlationId, entry]));
  const taken = new Set<string>();
  for (const { correlationId, payload, runId } of eventsOf(evidence, 'input.resumed')) {
    const entry = replies.get(correlationId);
    if (entry === undefined || !isDeepStrictEqual(entry.operation.payload, payload))
      complain(
        `Expected the answer of prompt ${correlationId} in run ${runId} to have been sent, but found ${JSON.stringify(payload)}`,
      );
    if (taken.has(correlationId))
      complain(`Expected prompt ${correlationId} to be answered once, but it was answered twice`);
    taken.add(correlationId);
  }
  for (const [correlationId, entry] of replies) {
    const root = evidence.runs.get(entry.operation.runId);
    // Kept while it was paused, and then it was cancelled; or it was deleted.
    const mayBeDropped = root?.summary.status === 'cancelled' || evidence.gone.has(entry.operation.runId);
    if (isAcknowledged(entry) && !taken.has(correlationId) && !mayBeDropped)
      complain(`Expected the answer to be taken, for it was acknowledged, but it was not: ${describe(entry)}`);
  }
}

function checkControls(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const controls = ledger.of('control');
  for (const { summary } of rootsOf(evidence)) {
    const { runId, status } = summary;
    if (status === 'cancelled' && !ledger.wasAsked('cancel', runId))
      complain(`Expected run ${runId} to end by itself, but it was cancelled by nobody`);
  }
  for (const entry of controls) {
    const { type, runId } = entry.operation;
    const status = evidence.runs.get(runId)?.summary.status;
    if (type === 'cancel' && wasApplied(entry) && status !== 'cancelled' && !evidence.gone.has(runId))
      complain(`Expected run ${runId} to be cancelled, for that was acknowledged, but it is ${status}`);
  }
  checkPauses(controls, evidence, complain);
}

/** Each that was acknowledged is in the journal, and no more than were sent. */
function checkPauses(controls: readonly Entry<Control>[], evidence: Evidence, complain: Complain): void {
  for (const run of rootsOf(evidence)) {
    for (const [type, event] of [
      ['pause', 'workflow.paused'],
      ['resume', 'workflow.unpaused'],
    ] as const) {
      const own = controls.filter(({ operation }) => operation.type === type && operation.runId === run.summary.runId);
      const sent = own.reduce((sum, entry) => sum + entry.sent, 0);
      const applied = own.filter(wasApplied).length;
      const found = run.events.filter((each) => each.type === event).length;
      if (found < applied || found > sent)
        complain(`Expected ${applied} to ${sent} times ${event} in run ${run.summary.runId}, but found ${found}`);
    }
  }
}
