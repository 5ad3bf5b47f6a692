// StartDialog: start a run: which workflow, and its input, in a form if the workflow says what it must be like.

import type { Json, JsonSchema } from 'heddle';
import {
  Button,
  Dialog,
  ErrorNotice,
  initialValue,
  SchemaForm,
  toldProblems,
  useAnswer,
  useChange,
} from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import { namesOf } from '../workflow-names.ts';

export interface StartDialogProps {
  /** Which; absent: chosen here. */
  readonly workflow?: string;
  readonly input?: Json;
  readonly onClose: () => void;
}

export function StartDialog({ workflow, input, onClose }: StartDialogProps): ReactElement {
  const [chosen, setChosen] = useState(workflow ?? '');
  const { data: definitions } = useAnswer('listDefinitions', { limit: 1_000 }, { enabled: workflow === undefined });
  const { data: stored, error } = useAnswer('getDefinition', { id: chosen }, { enabled: chosen !== '' });
  const schema = stored?.definition['inputSchema'] as JsonSchema | undefined; // the definition was checked
  const id = useId();
  return (
    <Dialog title={workflow === undefined ? 'Start a run' : `Start ${workflow}`} onClose={onClose}>
      {workflow === undefined ? (
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Workflow
          </label>
          <select id={id} className="hd-input" value={chosen} onChange={({ target }) => setChosen(target.value)}>
            <option value="">Choose…</option>
            {namesOf(definitions?.items ?? []).map(({ id: name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      ) : null}
      {error === null ? null : <ErrorNotice error={error} />}
      {stored === undefined || stored.id !== chosen ? (
        <div className="hd-dialog-actions">
          <Button onClick={onClose}>Close</Button>
        </div>
      ) : (
        <InputForm
          key={stored.hash}
          workflow={stored.id}
          schema={schema ?? true}
          input={input ?? initialValue(schema ?? true)}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface InputFormProps {
  readonly workflow: string;
  readonly schema: JsonSchema;
  readonly input: Json | undefined;
  readonly onClose: () => void;
}

function InputForm({ workflow, schema, input: first, onClose }: InputFormProps): ReactElement {
  const [input, setInput] = useState(first);
  const [, navigate] = useLocation();
  const start = useChange('startRun', {
    changes: ['listRuns', 'countRuns'],
    onDone: ({ runId }) => {
      onClose();
      navigate(addressOf.run(runId));
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    start.run({ workflow, ...(input === undefined ? {} : { input }) });
  };
  const problems = toldProblems(start.error);
  return (
    <form onSubmit={submit} className="app-form">
      <SchemaForm schema={schema} value={input} onChange={setInput} problems={problems} label="Input" />
      {start.error === null ? null : <ErrorNotice error={start.error} />}
      <div className="hd-dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" type="submit" disabled={start.isRunning}>
          Start
        </Button>
      </div>
    </form>
  );
}
