// Draft: what is being drawn of a workflow, kept on the server as it is edited.
//
// Always true: nothing typed is lost: what could not be saved is tried again, and kept in the browser when the page goes;
// what somebody else saved meanwhile is never written over, and theirs never takes the place of ours without a choice.

import type { JsonObject } from 'heddle';
import type { AnswerOf } from 'heddle/wire';
import { useCallback, useEffect, useRef, useState } from 'react';
import { codeOf, type HeddleConnection, useAnswer, useConnection } from '../../connection/connection.tsx';
import type { Document } from '../model/history.ts';
import { isObject } from '../model/places.ts';
import { type Backup, forgetBackup, keepBackup } from './backup.ts';

export type Draft = AnswerOf<'getDraft'>;
export type DraftBase = NonNullable<Draft['base']>;

export type DraftState = 'none' | 'saved' | 'unsaved' | 'saving' | 'failed' | 'changed';

/** The draft that was seen last, also one that is gone by now: what is listed of it later is no news. */
export type SeenDraft = Pick<Draft, 'createdAt' | 'revision'>;

/** What the editor begins with. */
export interface OpenedDraft {
  readonly document: Document;
  /** Null: there is no draft yet. */
  readonly revision: number | null;
  /** The version it came from; null for a new workflow. */
  readonly base: DraftBase | null;
  readonly seen: SeenDraft | null;
  /** Kept in the browser, of a page that went before it was saved. */
  readonly backup: Backup | null;
  /** Where the browser keeps what belongs to it. */
  readonly place: string;
}

const quietMs = 500;
const retryMs = 3_000;
const lookMs = 3_000;

export interface DraftStanding {
  readonly state: DraftState;
  readonly revision: number | null;
  readonly base: DraftBase | null;
  /** What somebody else saved; null if nobody did. */
  readonly theirs: Draft | null;
  /** The newest version is another one than the draft came from. */
  readonly newest: DraftBase | null;
  /** Saves what is not saved yet; resolves with the revision that is then there. */
  readonly flush: () => Promise<number | null>;
  /** Ours is saved over theirs. */
  readonly keepOurs: () => void;
  /** Theirs is edited from now on; the caller shows it. */
  readonly takeTheirs: (shown: Document) => void;
  /** The draft is gone: published, or discarded. */
  readonly rebase: (base: DraftBase | null, document: Document) => void;
}

interface Kept {
  readonly revision: number | null;
  readonly base: DraftBase | null;
  /** What is on the server. */
  readonly document: Document;
  readonly seen: SeenDraft | null;
}

interface UseDraft {
  readonly workflow: string;
  readonly opened: OpenedDraft;
  readonly document: Document;
  readonly author?: string | undefined;
  /** Without it nothing is saved. */
  readonly mayWrite: boolean;
}

export function useDraft(use: UseDraft): DraftStanding {
  const { workflow, opened, document } = use;
  const { client } = useConnection();
  const saving = useSaving(use);
  const { kept, isSaving, error, theirs, save, setKept, setTheirs, setError } = saving;
  const listed = useListedDraft(workflow);
  const isNews = listed !== null && !isSaving && isNewTo(kept.seen, listed);
  useEffect(() => {
    if (!isNews) return undefined;
    let isWanted = true;
    const look = async (): Promise<void> => {
      const found = await client.call('getDraft', { workflow });
      if (isWanted) setTheirs(found);
    };
    look().catch(() => undefined); // it is looked for again
    return () => {
      isWanted = false;
    };
  }, [isNews, client, workflow, setTheirs]);

  return {
    state: stateOf({ isSaving, isUnsaved: document !== kept.document, error, theirs, kept }),
    revision: kept.revision,
    base: kept.base,
    theirs,
    newest: listed?.newest ?? null,
    flush: () => save(),
    keepOurs: () => void (theirs !== null && save(theirs).catch(() => undefined)), // told by `error`
    takeTheirs: (shown) => {
      if (theirs === null) return;
      setKept({ revision: theirs.revision, base: theirs.base, document: shown, seen: theirs });
      setTheirs(null);
      setError(null);
      forgetBackup(opened.place);
    },
    rebase: (base, shown) => {
      setKept({ revision: null, base, document: shown, seen: kept.seen });
      setError(null);
      forgetBackup(opened.place);
    },
  };
}

const isNewTo = (seen: SeenDraft | null, listed: SeenDraft): boolean =>
  seen?.createdAt !== listed.createdAt || listed.revision > seen.revision;

interface Saving {
  readonly kept: Kept;
  readonly isSaving: boolean;
  readonly error: unknown;
  readonly theirs: Draft | null;
  /** `over`: what somebody else saved, and is to be replaced. */
  readonly save: (over?: Draft) => Promise<number | null>;
  readonly setKept: (kept: Kept) => void;
  readonly setTheirs: (theirs: Draft | null) => void;
  readonly setError: (error: unknown) => void;
}

/** What changes is saved when it has been quiet for a moment; what failed is tried again. */
function useSaving({ workflow, opened, document, author, mayWrite }: UseDraft): Saving {
  const connection = useConnection();
  const [kept, setKept] = useState<Kept>(opened);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Draft | null>(null);
  const newest = useRef({ document, kept });
  newest.current = { document, kept };

  const save = useCallback(
    async (over?: Draft): Promise<number | null> => {
      const { document: mine, kept: before } = newest.current;
      if (over === undefined && mine === before.document) return before.revision;
      setSaving(true);
      try {
        const seen = over?.revision ?? before.revision;
        const put = { workflow, document: mine, revision: seen, base: before.base, author };
        const { revision, base, createdAt } = await putDraft(connection, put);
        setKept({ revision, base, document: mine, seen: { revision, createdAt } });
        setError(null);
        setTheirs(null);
        forgetBackup(opened.place);
        return revision;
      } catch (problem) {
        const found = codeOf(problem) === 'DRAFT_CHANGED' ? draftIn(problem) : null;
        if (found === null) setError(problem);
        else setTheirs(found);
        throw problem;
      } finally {
        setSaving(false);
      }
    },
    [connection, workflow, opened.place, author],
  );

  const isDue = document !== kept.document && !isSaving && theirs === null && mayWrite;
  useEffect(() => {
    if (!isDue) return undefined;
    // What went wrong is in `error` or `theirs`.
    const timer = setTimeout(() => void save().catch(() => undefined), error === null ? quietMs : retryMs);
    return () => clearTimeout(timer);
  }, [document, isDue, error, save]);
  useBackup(opened.place, newest);
  return { kept, isSaving, error, theirs, save, setKept, setTheirs, setError };
}

interface Standing {
  readonly isSaving: boolean;
  readonly isUnsaved: boolean;
  readonly error: unknown;
  readonly theirs: Draft | null;
  readonly kept: Kept;
}

function stateOf({ isSaving, isUnsaved, error, theirs, kept }: Standing): DraftState {
  if (theirs !== null) return 'changed';
  if (error !== null) return 'failed';
  if (isSaving) return 'saving';
  if (isUnsaved) return 'unsaved';
  return kept.revision === null ? 'none' : 'saved';
}

interface PutDraft {
  readonly workflow: string;
  readonly document: Document;
  readonly revision: number | null;
  readonly base: DraftBase | null;
  readonly author?: string | undefined;
}

function putDraft({ client }: HeddleConnection, { document, author, ...request }: PutDraft): Promise<Draft> {
  return client.call('putDraft', {
    ...request,
    content: document.definition,
    ...(document.text === null ? {} : { text: document.text }),
    ...(author === undefined ? {} : { author }),
  });
}

/** What the server refused a draft with is the one that it has. */
function draftIn(error: unknown): Draft | null {
  const details = error instanceof Error && 'details' in error ? error.details : null;
  const found = typeof details === 'object' && details !== null && 'draft' in details ? details.draft : null;
  return found as Draft | null; // by rule DT2
}

/** What goes when the page does is kept in the browser. */
function useBackup(place: string, newest: { readonly current: { document: Document; kept: Kept } }): void {
  useEffect(() => {
    const keep = (): void => {
      const { document, kept } = newest.current;
      if (document !== kept.document) keepBackup(place, { document, revision: kept.revision });
    };
    addEventListener('pagehide', keep);
    return () => {
      keep();
      removeEventListener('pagehide', keep);
    };
  }, [place, newest]);
}

type Listed = AnswerOf<'listDrafts'>['items'][number];

/** The draft as it is listed, looked at again and again; null if there is none. */
function useListedDraft(workflow: string): Listed | null {
  const { data } = useAnswer('listDrafts', { workflow }, { everyMs: lookMs });
  return data?.items[0] ?? null;
}

export const documentOf = ({ content, text }: Pick<Draft, 'content' | 'text'>, blank: JsonObject): Document => ({
  definition: isObject(content) ? content : blank,
  text: text ?? null,
});
