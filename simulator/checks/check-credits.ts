// What must be true of credits: none are made and none are lost (I33, I34). What was deposited is on the account, or
// reserved by runs that have not ended, or spent by those that have.

import type { RecordRow } from '../../packages/heddle/src/actor/ports.ts';
import { breaks, type Look } from './look.ts';
import type { RunFacts } from './run-facts.ts';

interface Reservation {
  readonly runId: string;
  readonly reserved: number;
  readonly spent: number | null;
}

export function checkCredits(look: Look): void {
  const { records } = look.view;
  const deposits = valuesOf<{ readonly amount: number }>(records, 'deposit');
  checkDeposits(look, deposits);
  const reservations = valuesOf<Reservation>(records, 'reservation');
  for (const { runId, reserved, spent } of reservations.values()) checkReservation(look, { runId, reserved, spent });
  for (const [organization, { balance }] of valuesOf<{ readonly balance: number }>(records, 'account')) {
    const deposited = sumOf(deposits, organization, ({ amount }) => amount);
    const gone = sumOf(reservations, organization, ({ reserved, spent }) => Math.min(reserved, spent ?? reserved));
    if (balance < 0 || balance !== deposited - gone)
      breaks('I34', '', `Expected ${organization} to have ${deposited - gone} credits, but it has ${balance}`);
  }
  for (const facts of look.runs.values()) checkGrants(facts, records);
}

function valuesOf<T>(records: readonly RecordRow[], kind: string): ReadonlyMap<string, T> {
  const found = records.filter((record) => record.kind === kind);
  return new Map(found.map(({ key, value }) => [key, JSON.parse(value) as T]));
}

/** Keys begin with the organization, in quotes. */
function sumOf<T>(values: ReadonlyMap<string, T>, organization: string, amountOf: (value: T) => number): number {
  let sum = 0;
  for (const [key, value] of values) if (key.startsWith(`${organization}/`)) sum += amountOf(value);
  return sum;
}

/** A deposit that was answered is there, and none that nobody has made. */
function checkDeposits({ view }: Look, deposits: ReadonlyMap<string, { readonly amount: number }>): void {
  const made = new Map<string, number>();
  for (const { request, answer } of view.operations) {
    if (request.type !== 'deposit') continue;
    const key = `${JSON.stringify(request.organization)}/${request.key}`;
    made.set(key, request.amount);
    if (answer !== undefined && deposits.get(key)?.amount !== request.amount)
      breaks('I33', '', `Expected the deposit ${key} of ${request.amount} that was answered, but it is not there`);
  }
  for (const key of deposits.keys())
    if (!made.has(key)) breaks('I34', '', `Expected the deposit ${key} to be somebody's, but it is nobody's`);
}

/** A run has spent what its tasks cost; when it has ended, the rest is given back. */
function checkReservation({ factsOf, moment }: Look, { runId, reserved, spent }: Reservation): void {
  const facts = factsOf(runId);
  if (!facts) breaks('I34', runId, 'Expected credits to be reserved by a run, but there is none');
  if (reserved > facts.credits.requested)
    breaks('I34', runId, `Expected at most ${facts.credits.requested} credits to be reserved, but ${reserved} are`);
  if (spent !== null && spent !== facts.credits.spent)
    breaks('I33', runId, `Expected ${facts.credits.spent} credits to be spent, but ${spent} are`);
  if (moment === 'rest' && facts.end !== null && spent === null)
    breaks('I33', runId, 'Expected what was not spent to be given back at the end, but it was not');
}

/** What a run was granted, the ledger has granted. */
function checkGrants({ runId, start, tokens, credits }: RunFacts, records: readonly RecordRow[]): void {
  if (start?.organization === undefined || credits.requested === 0) return;
  const prefix = `${JSON.stringify(start.organization)}/${runId}/`;
  for (const { id, isPaid } of tokens.values())
    if (isPaid && !records.some(({ kind, key }) => kind === 'grant' && key === `${prefix}${id}`))
      breaks('I34', runId, `Expected the credits of token ${id} to be granted by the ledger, but they are not`);
}
