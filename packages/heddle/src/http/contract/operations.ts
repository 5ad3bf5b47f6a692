// Routes: for whoever operates the engine: is it well, what is in it, who may use it.

import { Type } from 'typebox';
import type { Audit } from '../../sdk/audit.ts';
import type { EngineStats } from '../../sdk/upkeep.ts';
import { orNull, page, paging, text, time } from './parts.ts';
import { record, route, view } from './route.ts';
import { everyScope, scopes } from './scope.ts';

const tag = 'Operations';

const scope = Type.Unsafe<string>({ type: 'string', enum: [everyScope, ...scopes] });

const keyInfo = record(
  {
    id: Type.String(),
    name: Type.String(),
    tenant: Type.String(),
    scopes: Type.Array(scope),
    createdAt: time('When it was made.'),
    expiresAt: orNull(time('When it ends.')),
  },
  'ApiKey',
);

const newKey = record({ ...keyInfo.properties, key: Type.String({ description: 'Shown this once.' }) }, 'NewApiKey');

export const operationRoutes = {
  health: route({
    method: 'GET',
    path: '/health',
    scope: 'public',
    tag,
    summary: 'Whether the process answers',
    answer: record({ status: Type.Literal('ok') }),
    status: 200,
  }),
  ready: route({
    method: 'GET',
    path: '/ready',
    scope: 'public',
    tag,
    summary: 'Whether the engine takes work: its store answers and it is not shutting down',
    answer: record({ status: Type.Literal('ready') }),
    status: 200,
  }),
  metrics: route({
    method: 'GET',
    path: '/metrics',
    scope: 'operate',
    tag,
    summary: 'Figures in the text format of Prometheus',
    answer: 'text',
    status: 200,
  }),
  audit: route({
    method: 'POST',
    path: '/v1/audit',
    scope: 'operate',
    tag,
    summary: 'Replay every journal and compare: nothing missing, nothing changed',
    answer: view<Audit>('Audit', 'What was looked at, and what is wrong.'),
    status: 200,
    isRepeatable: true,
  }),
  getStats: route({
    method: 'GET',
    path: '/v1/stats',
    scope: 'operate',
    tag,
    summary: 'How many runs there are, and how large the store is',
    answer: view<EngineStats>('Stats', 'Runs by status, rows of the journal, sizes of the file.'),
    status: 200,
  }),
  vacuum: route({
    method: 'POST',
    path: '/v1/vacuum',
    scope: 'operate',
    tag,
    summary: 'Give unused space of the file back to the disk; nothing else is done meanwhile',
    answer: 'nothing',
    status: 204,
    isRepeatable: true,
  }),
  backUp: route({
    method: 'POST',
    path: '/v1/backups',
    scope: 'operate',
    tag,
    summary: 'Make a consistent copy of the store, where the server keeps them, while it goes on',
    answer: record({ file: Type.String({ description: 'Its name, in the folder of backups.' }) }),
    status: 201,
  }),
  whoAmI: route({
    method: 'GET',
    path: '/v1/me',
    scope: 'any',
    tag,
    summary: 'Which tenant and scopes the key of this request has',
    answer: record({ tenant: Type.String(), scopes: Type.Array(scope), keyId: orNull(Type.String()) }),
    status: 200,
  }),
  createKey: route({
    method: 'POST',
    path: '/v1/keys',
    scope: 'key:admin',
    tag,
    summary: 'Make an API key; its text is shown this once',
    body: record({
      name: text('What it is for.'),
      scopes: Type.Array(scope, { minItems: 1, maxItems: 100 }),
      tenant: Type.Optional(text('Default: the tenant of the key that asks.')),
      expiresAt: Type.Optional(time('When it ends.')),
    }),
    answer: newKey,
    status: 201,
  }),
  listKeys: route({
    method: 'GET',
    path: '/v1/keys',
    scope: 'key:admin',
    tag,
    summary: 'List API keys',
    query: record(paging),
    answer: page(keyInfo),
    status: 200,
  }),
  rotateKey: route({
    method: 'POST',
    path: '/v1/keys/{id}/rotate',
    scope: 'key:admin',
    tag,
    summary: 'Make a new key with the same rights; the old one ends after a while',
    body: record({
      graceMs: Type.Optional(
        Type.Integer({ minimum: 0, description: 'How long the old one goes on. Default: a day.' }),
      ),
    }),
    bodyIsOptional: true,
    answer: newKey,
    status: 201,
  }),
  revokeKey: route({
    method: 'DELETE',
    path: '/v1/keys/{id}',
    scope: 'key:admin',
    tag,
    summary: 'End an API key now',
    answer: 'nothing',
    status: 204,
  }),
};
