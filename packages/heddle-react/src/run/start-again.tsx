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
  const { run, figures, definition } = reading;
  const [draft, setDraft] = useState<Draft>(() => firstDraft(figures?.input ?? null, schemaOf(definition)));
  const [isSameVersion, setSameVersion] = useState(true);
  const start = useChange('startRun', {
    onDone: ({ runId }) => onStarted(runId),
    changes: ['listRuns', 'countRuns'],
  });
  const { value } = typedIn(draft);
  const submit = (): void => {
    if (run === null || value === undefined) return;
    start.run({ workflow: run.workflow, input: value, ...(isSameVersion ? { version: run.version } : {}) });
  };
  return (
    <Dialog
      title={`Start ${run?.workflow ?? 'the workflow'} again`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep things as they are</Button>
          <Button kind="primary" disabled={start.isRunning || value === undefined} onClick={submit}>
            Start
          </Button>
        </>
      }
    >
      <p>A new run begins from the first node. This one stays as it is; nothing of it is taken over but the input.</p>
      <InputFields draft={draft} onChange={setDraft} />
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

/** The input as it is edited: by a form, while there is no text, or as text. */
interface Draft {
  readonly schema: JsonSchema | null;
  readonly value: Json | undefined;
  readonly text: string | null;
}

const asText = (value: Json | undefined): string => JSON.stringify(value ?? null, null, 2);

const firstDraft = (value: Json, schema: JsonSchema | null): Draft => ({
  schema,
  value,
  text: schema === null ? asText(value) : null,
});

interface InputFieldsProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
}

function InputFields({ draft, onChange }: InputFieldsProps): ReactElement {
  const { schema, value, text } = draft;
  const typed = typedIn(draft);
  const switchOver = (): void =>
    onChange(text === null ? { ...draft, text: asText(value) } : { ...draft, value: typed.value, text: null });
  return (
    <>
      {text === null && schema !== null ? (
        <SchemaForm
          schema={schema}
          value={value}
          onChange={(next) => onChange({ ...draft, value: next })}
          label="Input"
        />
      ) : (
        <TextField text={text ?? ''} problem={typed.problem} onChange={(next) => onChange({ ...draft, text: next })} />
      )}
      {schema === null ? null : (
        <div>
          <Button size="small" disabled={typed.value === undefined && text !== null} onClick={switchOver}>
            {text === null ? 'Edit as JSON' : 'Edit as a form'}
          </Button>
        </div>
      )}
    </>
  );
}

interface TextFieldProps {
  readonly text: string;
  readonly problem: string | undefined;
  readonly onChange: (text: string) => void;
}

function TextField({ text, problem, onChange }: TextFieldProps): ReactElement {
  const id = useId();
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        Input, as JSON
      </label>
      <textarea
        id={id}
        className="hd-input"
        rows={8}
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-problem`}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
      <span id={`${id}-problem`} className="hd-field-problem" role="status">
        {problem}
      </span>
    </div>
  );
}

function schemaOf(definition: JsonObject | null): JsonSchema | null {
  const schema = definition?.['inputSchema'];
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? (schema as JsonSchema) : null; // registered: it is a schema
}

/** What is typed, if it is JSON. */
function typedIn({ value, text }: Draft): { readonly value?: Json | undefined; readonly problem?: string } {
  if (text === null) return { value };
  try {
    return { value: JSON.parse(text) as Json }; // what JSON is
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
