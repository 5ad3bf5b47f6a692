// Credits: what organizations have, for whoever runs the engine. Rule CR14.

import { listReservations, readBalance } from '../credits/accounts.ts';
import { LedgerRecords } from '../credits/ledger-records.ts';
import { askedPage } from '../operations/pages.ts';
import type { Performers } from './performer.ts';

export const creditPerformers: Performers<'getBalance' | 'deposit' | 'listReservations'> = {
  async getBalance({ host }, { organization }) {
    return { organization, balance: await readBalance(new LedgerRecords(host.store), organization) };
  },

  deposit({ ledger }, { organization, amount, key = null }) {
    return ledger.deposit({ organization, amount, key });
  },

  listReservations({ host }, { organization, ...paging }) {
    return askedPage(
      paging,
      ({ after, limit }) => listReservations(host.store, organization, { after, limit }),
      ({ runId }) => runId,
    );
  },
};
