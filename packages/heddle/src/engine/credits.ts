// Credits: what organizations have, for whoever runs the engine. Rule CR14.

import { readOnlyError } from '../actor/refusals.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { type DepositReply, listReservations, readBalance } from '../credits/accounts.ts';
import type { Ledger } from '../credits/ledger.ts';
import { LedgerRecords, type Reservation } from '../credits/ledger-records.ts';
import type { DepositOptions } from '../operations/credits.ts';
import type { Paging } from '../operations/parts.ts';
import { checkOptions, refuseTexts } from './check-options.ts';
import type { Host } from './host.ts';

export class Credits {
  readonly #host: Pick<Host, 'store' | 'readOnly'>;
  readonly #ledger: Ledger;

  constructor(host: Pick<Host, 'store' | 'readOnly'>, ledger: Ledger) {
    this.#host = host;
    this.#ledger = ledger;
  }

  /** Durable when it answers. With a key it is made once, however often it is asked for. */
  async deposit(organization: string, amount: number, options: DepositOptions = {}): Promise<DepositReply> {
    if (this.#host.readOnly) throw readOnlyError();
    checkOptions('deposit', options, { key: 'text' });
    const { key } = options;
    refuseTexts([['the organization', organization]]);
    refuseAmount(amount);
    return this.#ledger.deposit({ organization, amount, key: key ?? null });
  }

  /** 0 for whoever has no account. */
  async balance(organization: string): Promise<number> {
    refuseTexts([['the organization', organization]]);
    return readBalance(new LedgerRecords(this.#host.store), organization);
  }

  /** What runs have reserved and spent, by run id, a page at a time; `after` is the last run id of the page before. */
  async reservations(organization: string, page: Paging = {}): Promise<readonly Reservation[]> {
    checkOptions('reservations', page, { after: 'text', limit: 'whole' });
    refuseTexts([['the organization', organization]]);
    return listReservations(this.#host.store, organization, { after: page.after, limit: page.limit ?? 50 });
  }
}

/** CR14: credits are counted in whole numbers, so that no part of one is ever lost. */
export function refuseAmount(amount: unknown): void {
  if (Number.isSafeInteger(amount) && (amount as number) >= 0) return;
  const found = typeof amount === 'number' ? String(amount) : typeof amount;
  throw new HeddleError('OPTION_INVALID', `Expected the amount to be a whole number from 0 on, but found ${found}`);
}
