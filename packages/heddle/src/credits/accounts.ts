// Accounts: the rules of the ledger: what a deposit, a reserve and a settlement do to a balance. Rules CR….
//
// Always true: each reads everything before it writes anything, so that one that cannot be read leaves no trace; a
// balance is a whole number and never below 0.

import type { Store } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { CreditAnswer } from '../core/commands.ts';
import type { Charge } from '../core/effects.ts';
import type { LedgerRecords, Reservation } from './ledger-records.ts';

export interface Deposit {
  readonly organization: string;
  readonly amount: number;
  /** Tells a repeated deposit from another one. */
  readonly key: string | null;
}

export interface DepositReply {
  /** False: it was made before, with the same key. */
  readonly applied: boolean;
  readonly balance: number;
}

/** A name in quotes ends where its quotes do, whatever is in it. */
const accountKey = (organization: string): string => JSON.stringify(organization);
const reservationKey = (organization: string, runId: string): string => `${accountKey(organization)}/${runId}`;

type Reserve = Extract<Charge, { type: 'reserve' }>;
type Settle = Extract<Charge, { type: 'settle' }>;

export async function reserve(
  records: LedgerRecords,
  { organization, runId, token, amount }: Reserve,
): Promise<CreditAnswer> {
  const grantKey = `${reservationKey(organization, runId)}/${token ?? 'run'}`;
  const known = await records.read('grant', grantKey);
  const before = await readBalance(records, organization);
  const reservation = await readReservation(records, { organization, runId });
  const answer = { type: 'credits.answer', ...given({ token }) } as const;
  // CR8: a run asks once for a token, or for the whole of it: asked again, the answer is the same and nothing changes.
  if (known) return { ...answer, ...known, balance: before };
  // CR7: all of it or nothing, and never more than there is; a run that was settled gets no more.
  const granted = amount <= before && reservation.spent === null;
  const balance = granted ? before - amount : before;
  records.write('grant', grantKey, { granted, amount });
  if (granted) {
    records.write('account', accountKey(organization), { balance });
    writeReservation(records, organization, { ...reservation, reserved: reservation.reserved + amount });
  }
  return { ...answer, granted, amount, balance };
}

/** CR9: the end of a run gives back what it reserved and did not spend, once; never more than that, whatever it says. */
export async function settle(records: LedgerRecords, { organization, runId, spent }: Settle): Promise<void> {
  const balance = await readBalance(records, organization);
  const reservation = await readReservation(records, { organization, runId });
  if (reservation.spent !== null) return;
  const unspent = Math.min(reservation.reserved, reservation.reserved - spent);
  writeReservation(records, organization, { ...reservation, spent });
  if (unspent > 0) records.write('account', accountKey(organization), { balance: balance + unspent });
}

/** CR10: a deposit with a key is made once; the same key with another amount is refused. */
export async function deposit(records: LedgerRecords, { organization, amount, key }: Deposit): Promise<DepositReply> {
  const depositKey = key === null ? null : `${accountKey(organization)}/${key}`;
  const known = depositKey === null ? null : await records.read('deposit', depositKey);
  const before = await readBalance(records, organization);
  if (known && known.amount !== amount) throw keyReused(organization, { key, amount, known: known.amount });
  if (known) return { applied: false, balance: before };
  const balance = before + amount;
  if (!Number.isSafeInteger(balance)) throw balanceTooLarge(organization, { before, amount });
  records.write('account', accountKey(organization), { balance });
  if (depositKey !== null) records.write('deposit', depositKey, { amount });
  return { applied: true, balance };
}

/** CR6: an organization that has no account has nothing. */
export async function readBalance(records: LedgerRecords, organization: string): Promise<number> {
  return (await records.read('account', accountKey(organization)))?.balance ?? 0;
}

/** Ascending by run id, after the run `after`. */
export async function listReservations(
  store: Store,
  organization: string,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<readonly Reservation[]> {
  const behind = after === undefined ? {} : { after: reservationKey(organization, after) };
  const rows = await store.listRecords('reservation', { prefix: reservationKey(organization, ''), ...behind, limit });
  return rows.map((row) => valueOf(row) as Reservation); // `writeReservation` wrote it
}

async function readReservation(
  records: LedgerRecords,
  { organization, runId }: { organization: string; runId: string },
): Promise<Reservation> {
  const known = await records.read('reservation', reservationKey(organization, runId));
  return known ?? { runId, reserved: 0, spent: null };
}

function writeReservation(records: LedgerRecords, organization: string, reservation: Reservation): void {
  records.write('reservation', reservationKey(organization, reservation.runId), reservation);
}

function keyReused(
  organization: string,
  { key, amount, known }: { key: string | null; amount: number; known: number },
): HeddleError {
  const message = `Expected the deposit of ${known} that key ${key} of organization ${organization} was first used with, but found ${amount}`;
  return new HeddleError('IDEMPOTENCY_KEY_REUSED', message);
}

function balanceTooLarge(organization: string, { before, amount }: { before: number; amount: number }): HeddleError {
  const message = `Expected organization ${organization} to have at most ${Number.MAX_SAFE_INTEGER} credits, but it has ${before} and the deposit is ${amount}`;
  return new HeddleError('OPTION_INVALID', message);
}
