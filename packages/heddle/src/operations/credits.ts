// Operations on credits: what organizations pay for their runs with.

import type { DepositReply } from '../credits/accounts.ts';
import type { Reservation } from '../credits/ledger-records.ts';
import { answer, operation } from './operation.ts';
import { type Page, type Paging, page, paging } from './parts.ts';
import { anyText, count, flag, object, optional, orNull, text, whole } from './schema.ts';

export interface OneOrganization {
  readonly organization: string;
}

const organization = text('The organization.');

export interface Balance {
  readonly organization: string;
  /** 0 for whoever has no account. */
  readonly balance: number;
}

export interface DepositOptions {
  /** With a key it is made once, however often it is asked for. */
  readonly key?: string;
}

export interface DepositRequest extends DepositOptions {
  readonly organization: string;
  /** Whole credits. */
  readonly amount: number;
}

const reservation = object<Reservation>({ runId: anyText(), reserved: count(), spent: orNull(count()) }, 'Reservation');

const common = { tag: 'Credits', where: 'key' } as const;

export const creditOperations = {
  getBalance: operation<OneOrganization, Balance>({
    ...common,
    summary: 'What an organization has',
    scope: 'credit:read',
    repeatable: true,
    takes: object<OneOrganization>({ organization }),
    answers: answer(object<Balance>({ organization: anyText(), balance: count() })),
  }),
  deposit: operation<DepositRequest, DepositReply>({
    ...common,
    summary: 'Give an organization credits',
    changes: true,
    scope: 'credit:write',
    repeatable: 'key',
    takes: object<DepositRequest>({
      organization,
      // CR14: credits are counted in whole numbers, so that no part of one is ever lost.
      amount: whole('Whole credits.', { min: 0 }),
      key: optional(text('With a key it is made once, however often it is asked for.')),
    }),
    answers: answer(object<DepositReply>({ applied: flag(), balance: count() })),
  }),
  listReservations: operation<OneOrganization & Paging, Page<Reservation>>({
    ...common,
    summary: 'What runs have reserved and spent',
    scope: 'credit:read',
    repeatable: true,
    takes: object<OneOrganization & Paging>({ organization, ...paging }),
    answers: answer(page(reservation)),
  }),
};
