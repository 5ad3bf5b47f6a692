// First step: what an empty drawing says: how to begin, and in which way to draw.

import type { ReactElement } from 'react';
import { Button } from '../parts/button.tsx';
import { useEditor } from './editor-context.ts';
import { adapters } from './model/adapters.ts';

export function FirstStep({ onImport }: { readonly onImport: () => void }): ReactElement {
  const { adapter, workflow, dispatch } = useEditor();
  return (
    <div className="hd-first-step">
      <strong>Draw {workflow}</strong>
      <p>
        Choose a node on the left, or press A and type its name. Each one that you add follows the one that is selected.
      </p>
      <fieldset className="hd-field">
        <legend className="hd-field-label">How to draw it</legend>
        {Object.values(adapters).map(({ dialect, title, description, blank }) => (
          <label key={dialect} className="hd-editor-flag">
            <input
              type="radio"
              name="dialect"
              checked={adapter.dialect === dialect}
              onChange={() =>
                dispatch({
                  type: 'replace',
                  label: `Draw as ${title}`,
                  document: { definition: blank(workflow), text: null },
                })
              }
            />
            <span>
              {title} <span className="hd-field-hint">{description}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Button onClick={onImport}>Import a file…</Button>
    </div>
  );
}
