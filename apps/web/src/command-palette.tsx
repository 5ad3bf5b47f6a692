// CommandPalette: every page, workflow and run by a few letters. Ctrl-K (or Cmd-K) opens it.

import { Dialog, RunStatusMark, useAnswer, useMay } from 'heddle-react';
import { type KeyboardEvent, type ReactElement, type ReactNode, useEffect, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { addressOf } from './addresses.ts';
import { placesFor } from './places.ts';
import { namesOf } from './workflow-names.ts';

const foundMax = 12;
/** A run is looked for by the beginning of its id only if there is so much of it; workflows and tags by less. */
const searchLengthMin = 2;

export function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      open();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  });
}

interface Found {
  readonly path: string;
  readonly label: string;
  readonly kind: ReactNode;
}

export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const id = useId();
  const found = useFound(text.trim());
  const chosen = Math.min(at, found.length - 1);
  const go = (place: Found | undefined): void => {
    if (place === undefined) return;
    onClose();
    navigate(place.path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') go(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        className="hd-input"
        role="combobox"
        aria-label="A page, a workflow, or the beginning of a run id"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found.length === 0 ? undefined : `${id}-${chosen}`}
        placeholder="A page, a workflow, or the beginning of a run id"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label="Found" className="app-found">
        {found.map((place, index) => (
          <button
            key={place.path}
            type="button"
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onClick={() => go(place)}
          >
            <span>{place.label}</span>
            <span className="app-found-kind">{place.kind}</span>
          </button>
        ))}
      </div>
      {found.length === 0 ? <p className="app-hint">Nothing is called that.</p> : null}
    </Dialog>
  );
}

function useFound(text: string): readonly Found[] {
  const may = useMay();
  const { data: me } = useAnswer('whoAmI', {});
  const isLong = text.length >= searchLengthMin;
  const { data: definitions } = useAnswer('listDefinitions', { limit: 1_000 }, { enabled: may('definition:read') });
  const { data: runs } = useAnswer(
    'listRuns',
    { search: text, subRuns: true, limit: foundMax },
    { enabled: isLong && may('run:read'), keepsLast: true },
  );
  const matches = (label: string): boolean => label.toLowerCase().includes(text.toLowerCase());
  const pages = (me === undefined ? [] : placesFor(me))
    .filter(({ label }) => matches(label))
    .map(({ path, label }) => ({ path, label, kind: 'page' }));
  const workflows = namesOf(definitions?.items ?? [])
    .filter(({ id }) => matches(id))
    .map(({ id }) => ({ path: addressOf.workflow(id), label: id, kind: 'workflow' }));
  const found = (isLong ? (runs?.items ?? []) : []).map(({ runId, workflow, status }) => ({
    path: addressOf.run(runId),
    label: `${workflow} ${runId}`,
    kind: <RunStatusMark status={status} />,
  }));
  return [...pages, ...workflows, ...found].slice(0, foundMax);
}
