// CheckCredits: what was deposited is there or was spent, to the last credit, whatever shard the organization is in and
// whatever shards its runs are in.

import type { Reservation } from '../../packages/heddle/src/index.ts';
import { organizations } from './client.ts';
import type { Complain, Evidence } from './evidence.ts';
import { describe, isAcknowledged, type Ledger } from './ledger.ts';

type Deposits = ReadonlyMap<string, { readonly amount: number }>;

const depositsIn = ({ records }: Evidence): Deposits => records.get('deposit') as Deposits; // the ledger's records

export function checkDeposits(ledger: Ledger, evidence: Evidence, complain: Complain): void {
  const found = depositsIn(evidence);
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
}

export function checkBalance(evidence: Evidence, complain: Complain): void {
  const { records } = evidence;
  const reservations = [...(records.get('reservation') as ReadonlyMap<string, Reservation>).values()];
  const spent = reservations.reduce((sum, reservation) => sum + checkReservation(reservation, evidence, complain), 0);
  const deposited = [...depositsIn(evidence).values()].reduce((sum, { amount }) => sum + amount, 0);
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
