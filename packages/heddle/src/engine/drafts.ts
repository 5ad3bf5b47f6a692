// Drafts: what is being drawn of a workflow, kept until it is published. Rules DT….
//
// Always true: one look or change at a time; a draft is two records that are written in one commit: who and when, which is
// all that lists read, and the content. Publishing registers first and removes then: a process that ends between the two
// leaves a draft of what is registered, and publishing it again registers nothing new and removes it.

import type { AdmitVersion } from '../actor/definitions.ts';
import type { RecordRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { sideCommit } from '../actor/side-writer.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import { parseJson } from '../base/parse-json.ts';
import { isJsonObject } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import { stableStringify } from '../base/stable-json.ts';
import { takeJson } from '../operations/check-value.ts';
import type { Draft, DraftBase, DraftContent, DraftSummary, ListedDraft, PutDraft } from '../operations/drafts.ts';
import { askedPage } from '../operations/pages.ts';
import { refuseInvalid } from './definitions.ts';
import type { Host } from './host.ts';
import type { Performers } from './performer.ts';

const summaryKind = 'draft';
const contentKind = 'draft-content';

export const draftPerformers: Performers<'putDraft' | 'getDraft' | 'listDrafts' | 'removeDraft' | 'publishDraft'> = {
  putDraft({ host }, request) {
    return inTurn(host, () => putDraft(host, request));
  },

  async getDraft({ host }, { workflow }) {
    const draft = await inTurn(host, () => readDraft(host, workflow));
    if (draft === null) throw draftNotFound(workflow);
    return draft;
  },

  async listDrafts({ host }, { workflow: only, ...paging }) {
    if (only !== undefined) {
      const record = await host.store.readRecord(summaryKind, only);
      return { items: record === null ? [] : [await listed(host, summaryIn(record))], next: null };
    }
    return askedPage(
      paging,
      async (page) => {
        const records = await host.store.listRecords(summaryKind, page);
        return Promise.all(records.map((record) => listed(host, summaryIn(record))));
      },
      ({ workflow }) => workflow,
    );
  },

  removeDraft({ host }, { workflow, revision }) {
    return inTurn(host, async () => {
      const draft = await readDraft(host, workflow);
      if (draft === null) return { removed: false };
      if (draft.revision !== revision) throw draftChanged(workflow, revision, draft);
      await remove(host, workflow);
      return { removed: true };
    });
  },

  publishDraft({ host }, { workflow, revision, overBase = false }) {
    return inTurn(host, async () => {
      const draft = await readDraft(host, workflow);
      if (draft === null) throw draftNotFound(workflow);
      if (draft.revision !== revision) throw draftChanged(workflow, revision, draft);
      const admit = overBase ? undefined : refuseOutdated(draft);
      // DT5: with errors nothing changes, and all of them are the answer; a draft is gone when its version is there.
      const source = definitionIn(host, draft);
      const registered = refuseInvalid(await host.definitions.register(source, host.clock.now(), admit));
      await remove(host, workflow);
      return registered;
    });
  },
};

const inTurn = <T>({ turns }: Host, work: () => Promise<T>): Promise<T> => turns.take('drafts', work);

// --------------------------------------------------------------------------------------------------------- records

interface KeptSummary extends DraftSummary {
  /** Of the record of its content. */
  readonly bytes: number;
}

const keptSummaryIn = (record: RecordRow): KeptSummary => valueOf(record) as KeptSummary; // `write` wrote it

function summaryIn(record: RecordRow): DraftSummary {
  const { bytes: _, ...summary } = keptSummaryIn(record);
  return summary;
}

async function readDraft({ store }: Host, workflow: string): Promise<Draft | null> {
  const summary = await store.readRecord(summaryKind, workflow);
  const content = await store.readRecord(contentKind, workflow);
  if (summary === null || content === null) return null;
  return { ...summaryIn(summary), ...(valueOf(content) as DraftContent) }; // `write` wrote both
}

const encoder = new TextEncoder();

async function write(host: Host, { content, text, layout, ...summary }: Draft): Promise<void> {
  const drawn = JSON.stringify({ content, ...given({ text, layout }) });
  const kept: KeptSummary = { ...summary, bytes: encoder.encode(drawn).length };
  await refuseMore(host, kept);
  const record = (kind: string, value: string) => ({ kind, key: summary.workflow, value, dueAt: null });
  const records = [record(summaryKind, JSON.stringify(kept)), record(contentKind, drawn)];
  await host.store.commit(sideCommit({ records }));
}

async function remove({ store }: Host, workflow: string): Promise<void> {
  const records = [summaryKind, contentKind].map((kind) => ({ kind, key: workflow, value: null, dueAt: null }));
  await store.commit(sideCommit({ records }));
}

async function listed({ store }: Host, summary: DraftSummary): Promise<ListedDraft> {
  const row = await store.findDefinition(summary.workflow, null);
  const newest = row && { version: row.version, hash: row.hash };
  return { ...summary, newest, isOutdated: newest !== null && !isSame(summary.base, newest) };
}

const isSame = (one: DraftBase | null, other: DraftBase): boolean =>
  one?.version === other.version && one.hash === other.hash;

// ---------------------------------------------------------------------------------------------------------- saving

async function putDraft(host: Host, request: PutDraft): Promise<Draft> {
  const { workflow, revision, author } = request;
  const drawn = takeDrawn(host, request);
  const draft = await readDraft(host, workflow);
  const base = request.base === undefined ? (draft?.base ?? null) : request.base;
  // DT2: what is there already is saved: whoever lost the answer asks again.
  if (draft !== null && textOf(draft) === textOf({ ...drawn, base })) return draft;
  // DT1: whoever did not see what is there does not write over it, and is shown it.
  if ((draft?.revision ?? null) !== revision) throw draftChanged(workflow, revision, draft);
  const now = host.clock.now();
  const saved = {
    workflow,
    revision: (draft?.revision ?? 0) + 1,
    base,
    ...given({ author }),
    createdAt: draft?.createdAt ?? now,
    updatedAt: now,
    ...drawn,
  };
  await write(host, saved);
  return saved;
}

/** DT3: a draft is any JSON, valid or not, that is together as large as a definition may be. */
function takeDrawn({ limits }: Host, { content, text, layout }: DraftContent): DraftContent {
  const how = { limits, what: 'draft', code: 'DRAFT_INVALID', bytesLimit: 'definitionBytesMax' } as const;
  return takeJson({ content, ...given({ text, layout }) }, how) as unknown as DraftContent; // a copy of it
}

/** By which two are compared. */
const textOf = ({ content, text, layout, base }: DraftContent & Pick<Draft, 'base'>): string =>
  stableStringify({ content, ...given({ text, layout }), base: base && { ...base } });

/** DT4: drafts are as large as definitions, so there are only so many, and together they are only so large. */
async function refuseMore({ store, limits }: Host, { workflow, bytes }: KeptSummary): Promise<void> {
  const { draftsMax, draftsBytesMax } = limits;
  const drafts = (await store.listRecords(summaryKind, { limit: draftsMax })).map(keptSummaryIn);
  const before = drafts.find((draft) => draft.workflow === workflow);
  if (before === undefined && drafts.length >= draftsMax) throw tooMuch('draftsMax', `${draftsMax} drafts`, 'as many');
  // One that becomes smaller is in nobody's way.
  if (before !== undefined && bytes <= before.bytes) return;
  const others = drafts.reduce((sum, draft) => sum + draft.bytes, 0) - (before?.bytes ?? 0);
  if (others + bytes > draftsBytesMax)
    throw tooMuch('draftsBytesMax', `${draftsBytesMax} bytes of drafts`, `${others} beside these ${bytes}`);
}

function tooMuch(limit: 'draftsMax' | 'draftsBytesMax', expected: string, found: string): HeddleError {
  const message = `Expected at most ${expected} (limit ${limit}), but there are ${found}; publish or remove one`;
  return new HeddleError('LIMIT_EXCEEDED', message, { limit });
}

// ------------------------------------------------------------------------------------------------------ publishing

/**
 * DT7: what is registered is the text, where there is one, and else the content: as the next version whatever version it
 * names, and under the draft's workflow, which a content without an id need not repeat.
 */
function definitionIn({ limits }: Host, { workflow, content, text }: Draft): Json {
  const source = text === undefined ? content : parsedText(text, limits);
  if (!isJsonObject(source)) return source; // the parser says what is wrong with it
  const { version: _, ...definition } = source;
  if (definition['id'] === undefined) return { id: workflow, ...definition };
  if (definition['id'] === workflow) return definition;
  const message = `Expected a definition of workflow ${workflow}, whose draft it is, but its id is ${JSON.stringify(definition['id'])}`;
  throw invalidDraft({ severity: 'error', code: 'WORKFLOW_DIFFERS', pointer: '/id', message });
}

function parsedText(text: string, { definitionBytesMax: bytesMax, jsonDepthMax: depthMax }: Host['limits']): Json {
  const parsed = parseJson(text, { bytesMax, depthMax, limitName: 'definitionBytesMax' });
  if ('value' in parsed) return parsed.value;
  throw invalidDraft(parsed.problem);
}

const invalidDraft = (problem: Problem): HeddleError =>
  new HeddleError('DEFINITION_INVALID', `Expected a definition without errors: ${problem.message}`, {
    problems: [problem],
    details: { id: null },
  });

/** DT6: what was registered since the draft was begun is not lost from sight: whoever publishes over it says so. */
function refuseOutdated({ workflow, base }: Draft): AdmitVersion {
  return (hash, newest) => {
    if (newest === null || newest.hash === hash || isSame(base, newest)) return;
    const from = base === null ? 'none' : `version ${base.version}`;
    const message = `Expected the draft of ${workflow} to come from its newest version ${newest.version}, but it came from ${from}`;
    throw new HeddleError('DRAFT_OUTDATED', message, {
      details: { base: base && { ...base }, newest: { version: newest.version, hash: newest.hash } },
      hint: 'Compare the two, then publish with "overBase": true, or save the draft with the newest version as its base.',
    });
  };
}

function draftChanged(workflow: string, seen: number | null, draft: Draft | null): HeddleError {
  const found = draft === null ? 'there is none' : `it is at revision ${draft.revision}`;
  const message = `Expected ${seen === null ? `no draft of ${workflow}` : `the draft of ${workflow} at revision ${seen}`}, but ${found}`;
  return new HeddleError('DRAFT_CHANGED', message, {
    details: { draft: draft as unknown as Json }, // it is JSON
    hint: 'Look at what is there (`details.draft`), then save over its revision.',
  });
}

const draftNotFound = (workflow: string): HeddleError =>
  new HeddleError('DRAFT_NOT_FOUND', `Expected a draft of workflow ${workflow}, but there is none`);
