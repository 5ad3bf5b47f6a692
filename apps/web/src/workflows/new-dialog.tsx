// NewDialog: a name, and the editor opens.

import { Button, Dialog } from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';

export function NewDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const id = useId();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') navigate(addressOf.editor(name.trim()));
  };
  return (
    <Dialog title="Draw a workflow" onClose={onClose}>
      <form className="app-form" onSubmit={submit}>
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Name
          </label>
          <input id={id} className="hd-input" value={name} onChange={({ target }) => setName(target.value)} />
          <span className="hd-field-hint">Runs are started by it, such as plan-trip.</span>
        </div>
        <div className="hd-dialog-actions">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" disabled={name.trim() === ''}>
            Open the editor
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
