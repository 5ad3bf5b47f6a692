// StartAgain: a new run of the same workflow, with the input of this one or a changed one.
//
// Always true: what was typed stays until it was taken.

import type { Json, JsonObject, JsonSchema } from 'heddle';
import { type ReactElement, useId, useState } from 'react';
import { useChange } from '../connection/connection.tsx';
import { SchemaForm } from '../forms/schema-form.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import type { RunReading } from './run-source.ts';

export interface StartAgainProps {
  readonly reading: RunReading;
  readonly onClose: () => void;
  readonly onStarted: (runId: string) => void;
}

export function StartAgain({ reading, onClose, onStarted }: StartAgainProps): ReactElement {
  const { definition, figures, run } = reading;
  const schema = schemaOf(definition);
  const [input, setInput] = useState<Json | undefined>(figures?.input);
  const [text, setText] = useState<string | null>(
    schema === null ? JSON.stringify(figures?.input ?? null, null, 2) : null,
  );
  const [isSameVersion, setSameVersion] = useState(true);
  const start = useChange('startRun', {
    onDone: ({ runId }) => onStarted(runId),
    changes: ['listRuns', 'countRuns'],
  });
  const id = useId();
  const typed = text === null ? { value: input } : parse(text);
  const submit = (): void => {
    if (run === null || typed.value === undefined) return;
    start.run({
      workflow: run.workflow,
      input: typed.value,
      ...(isSameVersion ? { version: run.version } : {}),
    });
  };
  return (
    <Dialog
      title={`Start ${run?.workflow ?? 'the workflow'} again`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep things as they are</Button>
          <Button kind="primary" disabled={start.isRunning || typed.value === undefined} onClick={submit}>
            Start
          </Button>
        </>
      }
    >
      <p>A new run begins from the first node. This one stays as it is; nothing of it is taken over but the input.</p>
      {text === null && schema !== null ? (
        <SchemaForm schema={schema} value={input} onChange={setInput} label="Input" />
      ) : (
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Input, as JSON
          </label>
          <textarea
            id={id}
            className="hd-input"
            rows={8}
            spellCheck={false}
            aria-invalid={typed.problem !== undefined}
            value={text ?? ''}
            onChange={({ target }) => setText(target.value)}
          />
          {typed.problem === undefined ? null : <span className="hd-field-problem">{typed.problem}</span>}
        </div>
      )}
      {schema === null ? null : (
        <Button
          size="small"
          disabled={text !== null && typed.value === undefined}
          onClick={() => {
            if (text === null) setText(JSON.stringify(input ?? null, null, 2));
            else {
              setInput(typed.value);
              setText(null);
            }
          }}
        >
          {text === null ? 'Edit as JSON' : 'Edit as a form'}
        </Button>
      )}
      {run === null ? null : (
        <label className="hd-line">
          <input type="checkbox" checked={isSameVersion} onChange={({ target }) => setSameVersion(target.checked)} />
          With version {run.version}, as this run; otherwise with the latest
        </label>
      )}
      {start.error === null ? null : <ErrorNotice error={start.error} />}
    </Dialog>
  );
}

function schemaOf(definition: JsonObject | null): JsonSchema | null {
  const schema = definition?.['inputSchema'];
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonSchema) : null; // registered: it is a schema
}

function parse(text: string): { readonly value?: Json | undefined; readonly problem?: string } {
  try {
    return { value: JSON.parse(text) as Json }; // what JSON is
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
