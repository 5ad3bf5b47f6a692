// CheckLedger: acknowledged ⊆ journal ⊆ sent. Everything that the client heard of is there, once; and nothing is there that
// nobody sent.

import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Reservation } from '../../packages/heddle/src/index.ts';
import { organizations } from './client.ts';
import type { Complain, Evidence, RunEvidence } from './evidence.ts';
import { describe, type Entry, isAcknowledged, type Ledger, runIdOf, wasApplied } from './ledger.ts';
import type { Control } from './protocol.ts';

export function checkLedger(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  checkStarts(ledger, evidence, complain);
  checkReplies(ledger, evidence, complain);
  checkEvents(ledger, evidence, complain);
  checkTriggered(ledger, evidence, complain);
  checkControls(ledger, evidence, complain);
  checkCredits(ledger, evidence, complain);
}

const rootsOf = ({ runs }: Evidence): readonly RunEvidence[] =>
  [...runs.values()].filter(({ summary }) => summary.parentRunId === null);

const inputOf = ({ events: [first] }: RunEvidence): Json | undefined =>
  first?.type === 'workflow.started' ? first.input : undefined;

function checkStarts(ledger: Ledger, evidence: Evidence, complain: Complain): void {
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
  for (const [key, entry] of starts) {
    const runId = runIdOf(entry);
    const isGone = runId !== null && evidence.gone.has(runId) && !seen.has(key);
    if (runId !== null && seen.get(key) !== runId && !isGone)
      complain(
        `Expected run ${runId} to be there, for its start was acknowledged, but found ${seen.get(key)}: ${describe(entry)}`,
      );
  }
  for (const { summary } of evidence.runs.values()) {
    const { parentRunId, runId } = summary;
    if (parentRunId !== null && !evidence.runs.has(parentRunId))
      complain(`Expected the parent of run ${runId}, but it is not there`);
  }
}

function eventsOf<T extends RunEvent['type']>({ runs }: Evidence, type: T): readonly Extract<RunEvent, { type: T }>[] {
  const isOfType = (event: RunEvent): event is Extract<RunEvent, { type: T }> => event.type === type;
  return [...runs.values()].flatMap(({ events }) => events.filter(isOfType));
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

function checkEvents(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const published = new Map(ledger.of('publish').map((entry) => [entry.operation.id, entry]));
  for (const { eventId, payload, runId } of eventsOf(evidence, 'event.received')) {
    const entry = published.get(eventId);
    if (entry === undefined || !isDeepStrictEqual(entry.operation.payload, payload))
      complain(`Expected event ${eventId} in run ${runId} to have been sent, but it was not, or otherwise`);
  }
  const kept = evidence.records.get('event-id');
  for (const id of kept?.keys() ?? []) {
    if (!published.has(id)) complain(`Expected event ${id}, which is kept, to have been published, but nobody did`);
  }
  for (const [id, entry] of published) {
    if (isAcknowledged(entry) && !kept?.has(id))
      complain(`Expected the event to be kept, for it was acknowledged, but it is not: ${describe(entry)}`);
  }
}

/** An event that is kept has started one run, and the end of that another one. */
function checkTriggered(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const roots = rootsOf(evidence);
  const countOf = (workflow: string, order: Json | undefined): number =>
    roots.filter((run) => run.summary.workflow === workflow && (inputOf(run) as JsonObject)['order'] === order).length;
  const orders = new Set<Json | undefined>();
  for (const { operation } of ledger.of('publish')) {
    if (operation.name !== 'paid') continue;
    const { order } = operation.payload;
    orders.add(order);
    const expected = evidence.records.get('event-id')?.has(operation.id) ? 1 : 0;
    for (const workflow of ['ship', 'thank']) {
      const found = countOf(workflow, order);
      if (found !== expected)
        complain(`Expected ${expected} run of ${workflow} for event ${operation.id}, but there are ${found}`);
    }
  }
  for (const run of roots.filter(({ summary: { workflow } }) => workflow === 'ship' || workflow === 'thank')) {
    const { order } = inputOf(run) as JsonObject;
    if (!orders.has(order))
      complain(`Expected an event for run ${run.summary.runId}, but nobody published ${JSON.stringify(order)}`);
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

/** What was deposited is there or was spent, to the last credit. */
function checkCredits(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const { records } = evidence;
  const found = records.get('deposit') as ReadonlyMap<string, { readonly amount: number }>; // The ledger's records.
  const sent = new Map(
    ledger
      .of('deposit')
      .map((entry) => [`${JSON.stringify(entry.operation.organization)}/${entry.operation.key}`, entry]),
  );
  for (const [key, { amount }] of found) {
    if (sent.get(key)?.operation.amount !== amount)
      complain(`Expected deposit ${key} of ${amount} to have been sent, but it was not`);
  }
  for (const [key, entry] of sent) {
    if (isAcknowledged(entry) && !found.has(key))
      complain(`Expected the deposit to be made, for it was acknowledged: ${describe(entry)}`);
  }
  const reservations = [...(records.get('reservation') as ReadonlyMap<string, Reservation>).values()];
  const spent = reservations.reduce((sum, reservation) => sum + checkReservation(reservation, evidence, complain), 0);
  const deposited = [...found.values()].reduce((sum, { amount }) => sum + amount, 0);
  const accounts = records.get('account') as ReadonlyMap<string, { readonly balance: number }>;
  const balance = accounts.get(JSON.stringify(organizations.rich))?.balance ?? 0;
  if (balance !== deposited - spent) complain(`Expected a balance of ${deposited} - ${spent}, but found ${balance}`);
}

/** Answers with what the run has spent: what it handed out. */
function checkReservation(
  { runId, reserved, spent }: Reservation,
  { runs, gone }: Evidence,
  complain: Complain,
): number {
  if (gone.has(runId)) return spent ?? 0; // Nobody knows any more what it handed out.
  const events = runs.get(runId)?.events ?? [];
  const costs = events.reduce((sum, event) => sum + (event.type === 'task.dispatched' ? (event.cost ?? 0) : 0), 0);
  if (spent !== costs || reserved < costs)
    complain(
      `Expected run ${runId} to have spent the ${costs} of what it handed out, but it reserved ${reserved} and spent ${spent}`,
    );
  return spent ?? 0;
}
