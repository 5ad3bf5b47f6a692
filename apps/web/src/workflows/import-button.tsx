// ImportButton: a file becomes a draft: a definition of any dialect, or what React Flow saved. The editor says what is wrong with it.

import type { Json } from 'heddle';
import { Button, ErrorNotice, useConnection } from 'heddle-react';
import { type ReactElement, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import { textAt } from '../json-objects.ts';

export function ImportButton(): ReactElement {
  const { client } = useConnection();
  const [error, setError] = useState<unknown>(null);
  const picker = useRef<HTMLInputElement>(null);
  const [, navigate] = useLocation();
  const take = async (file: File): Promise<void> => {
    setError(null);
    try {
      const content = JSON.parse(await file.text()) as Json; // it gives nothing else
      const workflow = textAt(content, 'id') ?? file.name.replace(/\.json$/i, '');
      await client.call('putDraft', { workflow, content, revision: null });
      navigate(addressOf.editor(workflow));
    } catch (caught) {
      setError(caught instanceof SyntaxError ? new Error(`Expected JSON, but ${caught.message}`) : caught);
    }
  };
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept=".json,application/json"
        aria-label="File to import"
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          target.value = '';
          if (file !== undefined) void take(file);
        }}
      />
      <Button onClick={() => picker.current?.click()}>Import a file</Button>
      {error === null ? null : <ErrorNotice error={error} />}
    </>
  );
}
