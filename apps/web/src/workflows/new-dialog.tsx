// NewDialog: a name, and the editor opens.

import { Button, Dialog } from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';

/** As definitions may be named. */
const namePattern = /^[A-Za-z][\w-]{0,127}$/;

export function NewDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const id = useId();
  const isName = namePattern.test(name.trim());
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isName) navigate(addressOf.editor(name.trim()));
  };
  return (
    <Dialog title="Draw a workflow" onClose={onClose}>
      <form className="app-form" onSubmit={submit}>
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Name
          </label>
          <input id={id} className="hd-input" value={name} onChange={({ target }) => setName(target.value)} />
          <span className="hd-field-hint">
            Letters, digits, - and _, such as plan-trip. Runs are started by this name.
          </span>
          {name.trim() === '' || isName ? null : (
            <span className="hd-field-problem" role="status">
              A name begins with a letter and has no spaces.
            </span>
          )}
        </div>
        <div className="hd-dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={!isName}>
            Open the editor
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
