// FindFaults: what must be true of every ending, whatever the shape: everything ended and was recorded once, nothing is
// left on its way, and nothing was handed out that no commit had decided.

import type { Event } from '../../packages/heddle/src/core/events.ts';
import { isTerminal } from '../../packages/heddle/src/core/views/status.ts';
import type { SeenCall } from './outside.ts';
import type { Stage } from './stage.ts';

/** Of these nothing may be left: prompts that ask, waits for events, firings that are owed. */
const passing = ['open-prompt', 'event-wait', 'to-fire'];

export async function findFaults(stage: Stage): Promise<string[]> {
  const { engine, store, shape, reports } = stage;
  const { problems } = await engine.audit();
  const isWhole = shape.tolerates?.damage === undefined;
  const faults = isWhole ? problems.map(({ runId, message }) => `audit of run ${runId}: ${message}`) : [];
  for (const { to, message } of await store.readOutbox(null, 10))
    faults.push(`left in the outbox to ${to}: ${message}`);
  for (const kind of passing) {
    for (const { key, value } of await store.listRecords(kind, { limit: 10 })) {
      faults.push(`left behind: ${kind} ${key} ${value}`);
    }
  }
  if (shape.tolerates?.reports === undefined) faults.push(...reports.map((report) => `reported: ${report}`));
  for (const { runId, workflow, status, quarantine } of await engine.runs({ limit: 1_000, subRuns: true })) {
    if (!isTerminal(status) && quarantine === null) faults.push(`run ${runId} of ${workflow} has not ended: ${status}`);
    faults.push(...(await findTaskFaults(stage, runId)).map((fault) => `run ${runId} of ${workflow}: ${fault}`));
  }
  return faults;
}

async function findTaskFaults({ store, outside }: Stage, runId: string): Promise<string[]> {
  const rows = await store.readJournal(runId, 1, 10_000);
  const events = rows.flatMap((row) => JSON.parse(row.events) as Event[]); // as the engine wrote it
  const calls = outside.calls.filter((call) => call.runId === runId);
  return [...findRecordFaults(events), ...findCallFaults(calls, events)];
}

/** Contract 3 and 4: a task is recorded at most once, and every hand-out outranks the one before. */
function findRecordFaults(events: readonly Event[]): string[] {
  const faults: string[] = [];
  const recorded = new Set<number>();
  const dispatches = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'task.dispatched') {
      const { token, dispatch } = event;
      if (dispatch <= (dispatches.get(token) ?? 0)) faults.push(`token ${token} had hand-out ${dispatch} twice`);
      dispatches.set(token, dispatch);
    } else if (event.type === 'task.completed' || event.type === 'task.failed') {
      if (recorded.has(event.token)) faults.push(`token ${event.token} was recorded twice`);
      recorded.add(event.token);
    }
  }
  return faults;
}

/** A worker is called only for what was committed before, and under one key for all attempts of a task. */
function findCallFaults(calls: readonly SeenCall[], events: readonly Event[]): string[] {
  const faults: string[] = [];
  const handedOut = events.filter((event) => event.type === 'task.dispatched');
  const left = handedOut.map(({ token, attempt }) => `${token}/${attempt}`);
  const keys = new Map<number, string>();
  for (const { nodeId, tokenId, attempt, idempotencyKey } of calls) {
    const place = left.indexOf(`${tokenId}/${attempt}`);
    if (place < 0) faults.push(`${nodeId} (token ${tokenId}) was called more often than the journal handed it out`);
    else left.splice(place, 1);
    const known = keys.get(tokenId) ?? idempotencyKey;
    if (known !== idempotencyKey) faults.push(`token ${tokenId} was called under ${known} and ${idempotencyKey}`);
    keys.set(tokenId, known);
  }
  return faults;
}
