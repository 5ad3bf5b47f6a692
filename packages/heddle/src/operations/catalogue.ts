// Operations on the catalogue: the node types that an editor can offer.

import type { InputInfo, NodeTypeInfo } from '../dialects/catalogue/describe.ts';
import type { Credential, MadeHandles, SettingsMigration } from '../dialects/catalogue/entry.ts';
import type { OutputPort } from '../dialects/dataflow/dataflow.ts';
import { answer, operation } from './operation.ts';
import { type Page, type Paging, page, paging } from './parts.ts';
import { anyText, choice, count, flag, json, list, map, object, optional, orNull, type Schema } from './schema.ts';

const jsonSchema: Schema<NonNullable<OutputPort['schema']>> = { kind: { type: 'json' }, about: 'JSON Schema.' };

const port = {
  name: anyText(),
  type: optional(anyText('What its values are, in a word.')),
  title: optional(anyText()),
  description: optional(anyText()),
  schema: optional(jsonSchema),
};

const input = object<InputInfo>(
  {
    ...port,
    value: optional(json('Its default.')),
    required: optional(flag()),
    repeated: optional(flag('It gathers the values of all its edges in a list.')),
    isExpression: optional(flag<true>('A text in it is an expression, also without =.')),
  },
  'NodeTypeInput',
);

const handles: Schema<NonNullable<NodeTypeInfo['handles']>> = {
  kind: {
    type: 'either',
    of: [
      list(anyText()),
      object<MadeHandles>(
        {
          from: anyText('The setting that is a list: one handle for each member. Without any handle: main.'),
          key: optional(anyText('Of its members, if they are objects.')),
          also: optional(list(anyText('There in any case.'))),
        },
        'MadeHandles',
      ),
    ],
  },
  about: 'The handles that edges may leave, beside error. Absent: those that its results name, main if they name none.',
};

const nodeType = object<NodeTypeInfo>(
  {
    type: anyText('What nodes of it say as their type.'),
    version: count('Of its settings.'),
    title: anyText(),
    description: optional(anyText()),
    category: optional(anyText()),
    icon: optional(anyText('The name of a picture.')),
    source: choice(['core', 'program', 'workers'], "The engine's own, given by its program, or announced by workers."),
    inputs: optional(list(input)),
    outputs: optional(list(object<OutputPort>(port, 'NodeTypeOutput'))),
    handles: optional(handles),
    credentials: optional(
      list(object<Credential>({ name: anyText('Of the secret.'), description: optional(anyText()) }, 'Credential')),
    ),
    sideEffects: flag('Whether it does more than compute its outputs.'),
    isContainer: optional(flag<true>('Nodes may be drawn in it.')),
    deprecated: optional(anyText('Why it should not be used any more.')),
    migrations: optional(
      map<SettingsMigration>(
        map(orNull(anyText('An expression over settings; null: the setting is gone.'))),
        'By version: how its settings become those of the next.',
      ),
    ),
  },
  'NodeType',
);

export const catalogueOperations = {
  listNodeTypes: operation<Paging, Page<NodeTypeInfo>>({
    tag: 'Definitions',
    summary: 'The node types that drawn graphs can have',
    description: "The engine's own, those of its program and of workers, and all other actions; by type.",
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: object<Paging>(paging),
    answers: answer(page(nodeType)),
  }),
};
