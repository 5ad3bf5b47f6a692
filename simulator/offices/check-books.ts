// CheckBooks: what was deposited is what is there and what was spent, in all shards together, and every run paid for what it
// was given.

import { listReservations, readBalance } from '../../packages/heddle/src/credits/accounts.ts';
import { LedgerRecords, type Reservation } from '../../packages/heddle/src/credits/ledger-records.ts';
import type { EndedWorld, RunRecord } from '../workload.ts';

/** Those that pay. */
export const organizations = ['acme', 'globex'];

export async function checkBooks(ended: EndedWorld, payers: readonly string[] = organizations): Promise<string | null> {
  for (const organization of payers) {
    const wrong = await checkBook(ended, organization);
    if (wrong !== null) return `${organization}: ${wrong}`;
  }
  return null;
}

async function checkBook({ runs, operations, stores }: EndedWorld, organization: string): Promise<string | null> {
  const reservations: Reservation[] = [];
  let balance = 0;
  for (const store of stores) {
    reservations.push(...(await listReservations(store, organization, { after: undefined, limit: 10_000 })));
    balance += await readBalance(new LedgerRecords(store), organization);
  }
  let spentByAll = 0;
  for (const { runId, reserved, spent } of reservations) {
    const run = runs.find((each) => each.runId === runId);
    if (!run) return `Expected a run for the reservation of ${runId}, but there is none`;
    if (spent !== costOf(run)) return `Expected run ${runId} to have spent ${costOf(run)}, but it is ${spent}`;
    if (reserved < spent) return `Expected run ${runId} to spend no more than it reserved, but ${spent} > ${reserved}`;
    spentByAll += spent;
  }
  const deposited = depositsOf(operations, organization);
  if (balance < 0) return `Expected no balance below 0, but found ${balance}`;
  return balance + spentByAll === deposited
    ? null
    : `Expected the ${deposited} credits that were deposited, but ${balance} are there and ${spentByAll} were spent`;
}

/** Of the tasks that were handed out, each once. */
function costOf({ events }: RunRecord): number {
  return events.reduce((sum, event) => sum + (event.type === 'task.dispatched' ? (event.cost ?? 0) : 0), 0);
}

/** By key: one that is sent again is made once. */
function depositsOf(operations: EndedWorld['operations'], organization: string): number {
  const amounts = new Map<string, number>();
  for (const { request } of operations)
    if (request.type === 'deposit' && request.organization === organization) amounts.set(request.key, request.amount);
  return [...amounts.values()].reduce((sum, amount) => sum + amount, 0);
}
