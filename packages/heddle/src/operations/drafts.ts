// Operations on drafts: workflows that are being drawn, one for each, kept beside what is registered.

import type { Registered } from '../actor/definitions.ts';
import type { Json } from '../base/json.ts';
import { registered } from './definitions.ts';
import { answer, operation } from './operation.ts';
import { type Page, type Paging, page, paging, type Removed, removed } from './parts.ts';
import type { OneWorkflow } from './retention.ts';
import { anyText, count, flag, json, object, optional, orNull, text, time, whole } from './schema.ts';

/** The version that a draft came from. */
export interface DraftBase {
  readonly version: number;
  readonly hash: string;
}

export interface DraftSummary {
  readonly workflow: string;
  /** Rises with every change. */
  readonly revision: number;
  /** Null for a workflow that was drawn anew. */
  readonly base: DraftBase | null;
  /** Who wrote it last, as they said. */
  readonly author?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface ListedDraft extends DraftSummary {
  /** The newest version of the workflow; null if none is registered. */
  readonly newest: DraftBase | null;
  /** Whether that is another one than the draft came from. */
  readonly isOutdated: boolean;
}

export interface DraftListQuery extends Paging {
  /** Only this one, if it is there. */
  readonly workflow?: string;
}

/** What somebody has drawn: whatever it is, publishing says what is wrong with it. */
export interface DraftContent {
  readonly content: Json;
  /** JSON as it was typed, which may not parse yet: goes before the content. */
  readonly text?: string;
  /** How an editor shows it. */
  readonly layout?: Json;
}

export interface Draft extends DraftSummary, DraftContent {}

export interface PutDraftOptions extends Omit<DraftContent, 'content'> {
  /** The one that the writer saw last; null: there is none. */
  readonly revision: number | null;
  /** As before, if absent. */
  readonly base?: DraftBase | null;
  readonly author?: string;
}

export interface PutDraft extends PutDraftOptions, OneWorkflow, Pick<DraftContent, 'content'> {}

export interface OneDraft extends OneWorkflow {
  /** The one that was seen last. */
  readonly revision: number;
}

export interface PublishDraftOptions {
  /** Also over a version that is newer than the one that the draft came from. */
  readonly overBase?: boolean;
}

const workflow = text('The workflow.');
const revision = whole('The one that was seen last.');
const base = object<DraftBase>({ version: whole(), hash: text('The content hash.') }, 'DraftBase');

const summary = {
  workflow: anyText(),
  revision: count('Rises with every change.'),
  base: orNull(base),
  author: optional(anyText('Who wrote it last, as they said.')),
  createdAt: time('When it was begun.'),
  updatedAt: time('When it was changed last.'),
};

const content = {
  content: json('The definition as far as it is drawn.'),
  text: optional(anyText('JSON as it was typed, which may not parse yet; goes before the content.')),
  layout: optional(json('How an editor shows it.')),
};

const draft = object<Draft>({ ...summary, ...content }, 'Draft');
const oneWorkflow = object<OneWorkflow>({ workflow });

const tag = 'Drafts';

export const draftOperations = {
  putDraft: operation<PutDraft, Draft>({
    tag,
    summary: 'Save the draft of a workflow',
    description:
      'It need not be valid. Whoever did not see the newest revision is refused with `DRAFT_CHANGED`, and `details.draft` is what is there.',
    where: 'home',
    changes: true,
    scope: 'definition:write',
    repeatable: true,
    takes: object<PutDraft>(
      {
        workflow,
        revision: orNull(whole('The one that was seen last; null: there is none.')),
        base: optional(orNull(base)),
        author: optional(text('Who writes it.')),
        ...content,
      },
      'PutDraft',
    ),
    answers: answer(draft),
  }),
  getDraft: operation<OneWorkflow, Draft>({
    tag,
    summary: 'Show the draft of a workflow',
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: oneWorkflow,
    answers: answer(draft),
  }),
  listDrafts: operation<DraftListQuery, Page<ListedDraft>>({
    tag,
    summary: 'List drafts by workflow, without their content',
    where: 'home',
    scope: 'definition:read',
    repeatable: true,
    takes: object<DraftListQuery>({ ...paging, workflow: optional(text('Only the draft of this workflow.')) }),
    answers: answer(
      page(
        object<ListedDraft>(
          {
            ...summary,
            newest: orNull(base),
            isOutdated: flag('There is a newer version than the one that it came from.'),
          },
          'ListedDraft',
        ),
      ),
    ),
  }),
  removeDraft: operation<OneDraft, Removed>({
    tag,
    summary: 'Discard the draft of a workflow',
    where: 'home',
    changes: true,
    scope: 'definition:write',
    takes: object<OneDraft>({ workflow, revision }),
    answers: answer(removed),
  }),
  publishDraft: operation<OneDraft & PublishDraftOptions, Registered>({
    tag,
    summary: 'Register the draft of a workflow as its next version, and remove it',
    description:
      'With errors nothing changes: the answer is a problem document that lists all of them. A workflow that has a newer version than the one that the draft came from is refused with `DRAFT_OUTDATED`, unless `overBase` is true.',
    where: 'home',
    changes: true,
    scope: 'definition:write',
    takes: object<OneDraft & PublishDraftOptions>(
      { workflow, revision, overBase: optional(flag('Also over a newer version.')) },
      'PublishDraft',
    ),
    answers: answer(registered),
  }),
};
