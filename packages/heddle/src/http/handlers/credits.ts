// Handlers: credits of organizations.

import { askedPage } from '../page.ts';
import type { HandlersOf } from './handler.ts';

export const creditHandlers: HandlersOf<'getBalance' | 'deposit' | 'listReservations'> = {
  async getBalance({ params }, { engine }) {
    const { organization } = params;
    return { organization, balance: await engine.credits.balance(organization) };
  },
  deposit({ params, body }, { engine }) {
    const { amount, ...options } = body;
    return engine.credits.deposit(params.organization, amount, options);
  },
  listReservations({ params, query }, { engine }) {
    const ask = (page: { readonly after?: string; readonly limit: number }) =>
      engine.credits.reservations(params.organization, page);
    return askedPage(query, ask, ({ runId }) => runId);
  },
};
