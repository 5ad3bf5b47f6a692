// FormDialog: a dialog with a form that asks an operation to do something; ConfirmButton: one that asks whether to.

import type { Json, JsonSchema } from 'heddle';
import type { AnswerOf, CallName, RequestOf } from 'heddle/wire';
import { Button, Dialog, ErrorNotice, initialValue, SchemaForm, toldProblems, useChange } from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useState } from 'react';

export interface FormDialogProps<Name extends CallName> {
  readonly title: string;
  readonly schema: JsonSchema;
  readonly value?: Json;
  readonly operation: Name;
  /** What was filled in, as the operation takes it. */
  readonly toRequest: (value: Json | undefined) => RequestOf<Name>;
  readonly changes: readonly CallName[];
  readonly submitLabel: string;
  readonly onClose: () => void;
  readonly onDone?: (answer: AnswerOf<Name>) => void;
}

export function FormDialog<Name extends CallName>(props: FormDialogProps<Name>): ReactElement {
  const { title, schema, operation, toRequest, changes, submitLabel, onClose, onDone = onClose } = props;
  const [value, setValue] = useState(props.value ?? initialValue(schema));
  const change = useChange(operation, { changes, onDone });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    change.run(toRequest(value));
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="app-form" onSubmit={submit}>
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          problems={toldProblems(change.error)}
          label={title}
        />
        {change.error === null ? null : <ErrorNotice error={change.error} />}
        <div className="hd-dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={change.isRunning}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

export interface ConfirmButtonProps<Name extends CallName> {
  readonly label: string;
  /** What the button is about, for those who do not see its row. */
  readonly of: string;
  /** What will happen. */
  readonly text: string;
  readonly operation: Name;
  readonly request: RequestOf<Name>;
  readonly changes: readonly CallName[];
  readonly onDone?: (answer: AnswerOf<Name>) => void;
}

export function ConfirmButton<Name extends CallName>(props: ConfirmButtonProps<Name>): ReactElement {
  const { label, of, text, operation, request, changes, onDone } = props;
  const [isOpen, setOpen] = useState(false);
  const change = useChange(operation, {
    changes,
    onDone: (answer) => {
      setOpen(false);
      onDone?.(answer);
    },
  });
  const close = (): void => {
    setOpen(false);
    change.reset();
  };
  return (
    <>
      <Button size="small" aria-label={`${label} ${of}`} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen ? (
        <Dialog
          title={`${label} ${of}?`}
          onClose={close}
          actions={
            <>
              <Button onClick={close}>Leave it</Button>
              <Button kind="danger" disabled={change.isRunning} onClick={() => change.run(request)}>
                {label}
              </Button>
            </>
          }
        >
          <p className="app-hint">{text}</p>
          {change.error === null ? null : <ErrorNotice error={change.error} />}
        </Dialog>
      ) : null}
    </>
  );
}
