// Routes: credits of organizations.

import { Type } from 'typebox';
import { orNull, page, paging, text } from './parts.ts';
import { record, route } from './route.ts';

const credits = { tag: 'Credits', status: 200 } as const;

export const creditRoutes = {
  getBalance: route({
    ...credits,
    method: 'GET',
    path: '/v1/credits/{organization}',
    scope: 'credit:read',
    summary: 'What an organization has',
    answer: record({ organization: Type.String(), balance: Type.Integer() }),
  }),
  deposit: route({
    ...credits,
    method: 'POST',
    path: '/v1/credits/{organization}/deposits',
    scope: 'credit:write',
    summary: 'Give an organization credits',
    body: record({
      amount: Type.Number({ description: 'Whole credits.' }),
      key: Type.Optional(text('With a key it is made once, however often it is asked for.')),
    }),
    answer: record({ applied: Type.Boolean(), balance: Type.Integer() }),
  }),
  listReservations: route({
    ...credits,
    method: 'GET',
    path: '/v1/credits/{organization}/reservations',
    scope: 'credit:read',
    summary: 'What runs have reserved and spent',
    query: record(paging),
    answer: page(
      record({ runId: Type.String(), reserved: Type.Integer(), spent: orNull(Type.Integer()) }, 'Reservation'),
    ),
  }),
};
