// Handlers: credits of organizations.

import { askedPage } from '../page.ts';
import type { HandlersOf } from './handler.ts';

export const creditHandlers: HandlersOf<'getBalance' | 'deposit' | 'listReservations'> = {
  async getBalance({ organization }, { engine }) {
    return { organization, balance: await engine.credits.balance(organization) };
  },
  deposit({ organization, amount, ...options }, { engine }) {
    return engine.credits.deposit(organization, amount, options);
  },
  listReservations({ organization, ...paging }, { engine }) {
    return askedPage(
      paging,
      (page) => engine.credits.reservations(organization, page),
      ({ runId }) => runId,
    );
  },
};
