// Files: definitions are imported, exported and discarded.

import { type ReactElement, useRef } from 'react';
import { useConnection } from '../connection/connection.tsx';
import { toldError } from '../parts/notice.tsx';
import type { Check } from './check/use-check.ts';
import type { DraftStanding } from './draft/use-draft.ts';
import { withoutVersion } from './draft/use-opened.ts';
import { useEditor } from './editor-context.ts';
import { adapters } from './model/adapters.ts';
import { readImport, saveFile } from './transfer.ts';

export interface Files {
  readonly onImport: () => void;
  readonly onExport: () => void;
  readonly onDiscard: () => void;
  /** Where the browser asks for a file. */
  readonly input: ReactElement;
}

export function useFiles({ draft, check }: { readonly draft: DraftStanding; readonly check: Check }): Files {
  const { workflow, definition, dispatch, say } = useEditor();
  const { client } = useConnection();
  const chooser = useRef<HTMLInputElement>(null);
  const tell = (error: unknown): void => say(toldError(error).message);

  const read = async (file: File): Promise<void> => {
    const imported = await readImport(await file.text(), { workflow, check: check.check });
    if ('reason' in imported) say(imported.reason);
    else
      dispatch({
        type: 'replace',
        label: `Import ${file.name}`,
        document: { definition: imported.definition, text: null },
      });
  };
  /** What was published last takes its place; undo brings it back. */
  const discard = async (): Promise<void> => {
    const { base, revision } = draft;
    const before =
      base === null
        ? adapters.token.blank(workflow)
        : withoutVersion((await client.call('getDefinition', { id: workflow, version: base.version })).definition);
    if (revision !== null) await client.call('removeDraft', { workflow, revision });
    const document = { definition: before, text: null };
    dispatch({ type: 'replace', label: 'Discard the draft', document });
    draft.rebase(base, document);
  };
  return {
    onImport: () => chooser.current?.click(),
    onExport: () => saveFile(workflow, definition),
    onDiscard: () => void discard().catch(tell),
    input: (
      <input
        ref={chooser}
        type="file"
        accept=".json,application/json"
        aria-label="File to import"
        className="hd-visually-hidden"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void read(file).catch(tell);
          currentTarget.value = '';
        }}
      />
    ),
  };
}
