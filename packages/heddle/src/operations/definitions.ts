// Operations on definitions: register, check, list, export.

import type { Registered } from '../actor/definitions.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import { answer, operation } from './operation.ts';
import { type Page, page, paging, problem } from './parts.ts';
import { anyObject, anyText, count, flag, json, list, object, optional, orNull, text, time, whole } from './schema.ts';

/** A definition as somebody has written it: whatever it is, the answer says what is wrong with it. */
export interface GivenDefinition {
  readonly definition: Json;
}

export interface CheckedDefinition {
  /** Errors and warnings; none if all is well. */
  readonly problems: readonly Problem[];
}

export interface DefinitionSummary {
  readonly id: string;
  readonly version: number;
  readonly hash: string;
  readonly createdAt: number;
}

export interface ListedDefinition extends DefinitionSummary {
  /** Its first 200 characters. */
  readonly description?: string;
}

export interface StoredDefinition extends DefinitionSummary {
  /** Registered again, it is the same version. */
  readonly definition: JsonObject;
}

export interface DefinitionListQuery {
  /** The versions of one workflow. */
  readonly id?: string;
  /** `id@version`: the last of the page before. */
  readonly after?: string;
  /** All if absent. */
  readonly limit?: number;
}

export interface OneDefinition {
  /** The workflow. */
  readonly id: string;
  /** The latest if absent. */
  readonly version?: number;
}

const given = object<GivenDefinition>({ definition: json() });
const summary = { id: anyText(), version: count(), hash: anyText(), createdAt: time('When it was registered.') };
const listed = { ...summary, description: optional(anyText('Its first 200 characters.')) };
export const registered = object<Registered>(
  {
    problems: list(problem),
    id: orNull(anyText()),
    version: orNull(count()),
    hash: orNull(anyText('The content hash.')),
    isNew: flag('False if equal content was registered before.'),
  },
  'Registered',
);

const tag = 'Definitions';

export const definitionOperations = {
  registerDefinition: operation<GivenDefinition, Registered>({
    tag,
    summary: 'Register a definition',
    description:
      'Stores it as a new version, unless equal content is there. With errors nothing is stored: the answer is a problem document that lists all of them.',
    where: 'home',
    changes: true,
    scope: 'definition:write',
    repeatable: true,
    takes: given,
    answers: answer(registered),
  }),
  validateDefinition: operation<GivenDefinition, CheckedDefinition>({
    tag,
    summary: 'Say everything that is wrong with a definition',
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: given,
    answers: answer(object<CheckedDefinition>({ problems: list(problem) })),
  }),
  listDefinitions: operation<DefinitionListQuery, Page<ListedDefinition>>({
    tag,
    summary: 'List definitions, every version',
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: object<DefinitionListQuery>({ ...paging, id: optional(text('Only versions of this workflow.')) }),
    answers: answer(page(object<ListedDefinition>(listed, 'DefinitionInfo'))),
  }),
  getDefinition: operation<OneDefinition, StoredDefinition>({
    tag,
    summary: 'Export a definition as it was registered',
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: object<OneDefinition>({ id: text('The workflow.'), version: optional(whole('The latest if absent.')) }),
    answers: answer(object<StoredDefinition>({ ...summary, definition: anyObject() }, 'StoredDefinition')),
  }),
};
