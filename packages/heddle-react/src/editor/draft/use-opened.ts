// Opened: what the editor begins with: the draft of a workflow, or its newest version, or nothing yet.

import type { JsonObject } from 'heddle';
import type { WireClient } from 'heddle/wire';
import { useEffect, useState } from 'react';
import { useConnection } from '../../connection/connection.tsx';
import { adapters } from '../model/adapters.ts';
import { placeOf, readBackup } from './backup.ts';
import { documentOf, type OpenedDraft } from './use-draft.ts';

export type Opening =
  | { readonly state: 'opening' }
  | { readonly state: 'failed'; readonly error: unknown; readonly again: () => void }
  | { readonly state: 'open'; readonly opened: OpenedDraft };

export function useOpened(workflow: string): Opening {
  const { client } = useConnection();
  const [tries, setTries] = useState(0);
  const [opening, setOpening] = useState<Opening>({ state: 'opening' });
  useEffect(() => {
    let isWanted = true;
    setOpening({ state: 'opening' });
    openDraft(client, workflow).then(
      (opened) => isWanted && setOpening({ state: 'open', opened }),
      (error: unknown) =>
        isWanted && setOpening({ state: 'failed', error, again: () => setTries((count) => count + 1) }),
    );
    return () => {
      isWanted = false;
    };
  }, [client, workflow, tries]);
  return opening;
}

async function openDraft(client: WireClient, workflow: string): Promise<OpenedDraft> {
  const { tenant } = await client.call('whoAmI', {});
  const place = placeOf({ url: client.url, tenant, workflow });
  const backup = readBackup(place);
  const blank = adapters.token.blank(workflow);
  // A list says whether there is one; asking for one that is not there would be an error.
  const { items } = await client.call('listDrafts', { workflow });
  if (items.length > 0) {
    const draft = await client.call('getDraft', { workflow });
    // What was drawn over another revision than there is now is saved over that one, which is refused: both are shown.
    const revision = backup === null ? draft.revision : backup.revision;
    return { document: documentOf(draft, blank), revision, base: draft.base, seen: draft, backup, place };
  }
  const newest = await newestVersion(client, workflow);
  const document = { definition: newest?.definition ?? blank, text: null };
  return { document, revision: null, base: newest?.base ?? null, seen: null, backup, place };
}

/** Null if none is registered. */
async function newestVersion(
  client: WireClient,
  workflow: string,
): Promise<{ readonly definition: JsonObject; readonly base: OpenedDraft['base'] } | null> {
  const { items } = await client.call('listDefinitions', { id: workflow, limit: 1 });
  if (items.length === 0) return null;
  const { definition, version, hash } = await client.call('getDefinition', { id: workflow });
  return { definition: withoutVersion(definition), base: { version, hash } };
}

/** What is published gets the next one. */
export function withoutVersion({ version: _, ...definition }: JsonObject): JsonObject {
  return definition;
}
