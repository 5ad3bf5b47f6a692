// NewDialog: a name, and the editor opens.

import { workflowNameHint } from 'heddle/dialects';
import { Button, Dialog } from 'heddle-react';
import { type ReactElement, type SyntheticEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from '../addresses.ts';
import { nameLike } from '../workflow-names.ts';

export function NewDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [name, setName] = useState('');
  const [, navigate] = useLocation();
  const id = useId();
  const problem = name.trim() === '' ? null : workflowNameHint(name.trim());
  const isName = name.trim() !== '' && problem === null;
  const offer = problem === null ? null : nameLike(name);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isName) navigate(addressOf.editor(name.trim()));
    else if (offer !== null) setName(offer);
  };
  return (
    <Dialog title="Draw a workflow" onClose={onClose}>
      <form className="app-form" onSubmit={submit}>
        <div className="hd-field">
          <label className="hd-field-label" htmlFor={id}>
            Name
          </label>
          <input id={id} className="hd-input" value={name} onChange={({ target }) => setName(target.value)} />
          <span className="hd-field-hint">Such as plan-trip. Runs are started by this name.</span>
          {problem === null ? null : (
            <span className="hd-field-problem" role="status">
              {problem}
            </span>
          )}
          {offer === null ? null : (
            <span>
              <Button size="small" type="submit">
                Use {offer}
              </Button>
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
