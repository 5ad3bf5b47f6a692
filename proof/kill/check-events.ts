// CheckEvents: every event that was acknowledged is kept, in whatever shard; each wait has one of those that were
// published, an event that is used up ends one wait, and one that fires starts one run.

import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import { type Complain, type Evidence, eventsOf, inputOf, rootsOf } from './evidence.ts';
import { describe, isAcknowledged, type Ledger } from './ledger.ts';

/** Of those that are kept until they expire: all but what is used up. */
const keptIn = ({ records }: Evidence): ReadonlySet<string> =>
  new Set([...(records.get('event')?.values() ?? [])].map((event) => (event as { readonly id: string }).id)); // as it is kept

export function checkArrivals(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const published = new Map(ledger.of('publish').map((entry) => [entry.operation.id, entry.operation]));
  const [waits, used] = [new Set<string>(), new Set<string>()];
  for (const { eventId, payload, runId, token } of eventsOf(evidence, 'event.received')) {
    const operation = published.get(eventId);
    if (operation === undefined || !isDeepStrictEqual(operation.payload, payload))
      complain(`Expected event ${eventId} in run ${runId} to have been sent, but it was not, or otherwise`);
    const wait = `${runId}/${token}`;
    if (waits.has(wait)) complain(`Expected one event for token ${wait}, but it has another, ${eventId}`);
    waits.add(wait);
    if (operation?.name !== 'turn') continue;
    if (used.has(eventId)) complain(`Expected event ${eventId} to be used up once, but run ${runId} has it too`);
    used.add(eventId);
  }
  for (const id of evidence.records.get('event-id')?.keys() ?? []) {
    if (!published.has(id)) complain(`Expected event ${id}, which is kept, to have been published, but nobody did`);
  }
  for (const id of keptIn(evidence)) if (used.has(id)) complain(`Expected event ${id} to be used up, but it is kept`);
}

export function checkPublished(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const kept = keptIn(evidence);
  for (const entry of ledger.of('publish').filter(isAcknowledged)) {
    const { id, name } = entry.operation;
    const isKept = name === 'turn' ? evidence.records.get('event-id')?.has(id) : kept.has(id);
    if (!isKept) complain(`Expected the event to be kept, for it was acknowledged, but it is not: ${describe(entry)}`);
  }
}

/** An event that is kept has started one run, and the end of that another one. */
export function checkTriggered(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const roots = rootsOf(evidence);
  const countOf = (workflow: string, order: Json | undefined): number =>
    roots.filter((run) => run.summary.workflow === workflow && (inputOf(run) as JsonObject)['order'] === order).length;
  const kept = keptIn(evidence);
  const orders = new Set<Json | undefined>();
  for (const { operation } of ledger.of('publish')) {
    if (operation.name !== 'paid') continue;
    const { order } = operation.payload;
    orders.add(order);
    const expected = kept.has(operation.id) ? 1 : 0;
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
