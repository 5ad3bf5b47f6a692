// Routes: definitions.

import { Type } from 'typebox';
import { json, jsonObject, orNull, page, paging, problem, time } from './parts.ts';
import { record, route } from './route.ts';

const tag = 'Definitions';

const registered = record(
  {
    problems: Type.Array(problem),
    id: orNull(Type.String()),
    version: orNull(Type.Integer()),
    hash: orNull(Type.String({ description: 'The content hash.' })),
    isNew: Type.Boolean({ description: 'False if equal content was registered before.' }),
  },
  'Registered',
);

const info = record(
  { id: Type.String(), version: Type.Integer(), hash: Type.String(), createdAt: time('When it was registered.') },
  'DefinitionInfo',
);

export const definitionRoutes = {
  registerDefinition: route({
    method: 'POST',
    path: '/v1/definitions',
    scope: 'definition:write',
    tag,
    summary: 'Register a definition',
    description:
      'Stores it as a new version, unless equal content is there. With errors nothing is stored: the answer is a problem document that lists all of them.',
    body: json,
    answer: registered,
    status: 200,
    isRepeatable: true,
  }),
  validateDefinition: route({
    method: 'POST',
    path: '/v1/definitions/validate',
    scope: 'definition:read',
    tag,
    summary: 'Say everything that is wrong with a definition',
    body: json,
    answer: record({ problems: Type.Array(problem) }),
    status: 200,
    isRepeatable: true,
  }),
  listDefinitions: route({
    method: 'GET',
    path: '/v1/definitions',
    scope: 'definition:read',
    tag,
    summary: 'List definitions, every version',
    query: record({ ...paging, id: Type.Optional(Type.String({ description: 'Only versions of this workflow.' })) }),
    answer: page(info),
    status: 200,
  }),
  getDefinition: route({
    method: 'GET',
    path: '/v1/definitions/{id}',
    scope: 'definition:read',
    tag,
    summary: 'Export a definition as it was registered',
    query: record({ version: Type.Optional(Type.Integer({ minimum: 1, description: 'The latest if absent.' })) }),
    answer: record({ ...info.properties, definition: jsonObject }, 'StoredDefinition'),
    status: 200,
  }),
};
