// Changes: the difference of two values as a list of paths: added, removed, changed. What is long is cut, and opens.

import type { Json } from 'heddle';
import { type ReactElement, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { jsonDifference, type PathChange } from './json-difference.ts';

export interface ChangesProps {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

const kindWords: Readonly<Record<PathChange['kind'], string>> = {
  added: '+ added',
  removed: '− removed',
  changed: '~ changed',
};

export function Changes({ before, after }: ChangesProps): ReactElement {
  const { changes, isCut } = useMemo(() => jsonDifference(before, after), [before, after]);
  if (changes.length === 0) return <p className="hd-json-note">Nothing.</p>;
  return (
    <>
      <ul className="hd-changes">
        {changes.map(({ path, kind, before: earlier, after: later }) => (
          <li key={path} data-kind={kind}>
            <span className="hd-change-kind">{kindWords[kind]}</span>
            <code className="hd-change-path">{path === '' ? 'everything' : path}</code>
            <span className="hd-change-values">
              {kind === 'added' ? null : <CutValue value={earlier} />}
              {kind === 'changed' ? <span> → </span> : null}
              {kind === 'removed' ? null : <CutValue value={later} />}
            </span>
          </li>
        ))}
      </ul>
      {isCut ? <p className="hd-json-note">And more: the first {changes.length} are listed.</p> : null}
    </>
  );
}

const shownCharacters = 160;

function CutValue({ value }: { readonly value: Json | undefined }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const text = JSON.stringify(value) ?? 'nothing';
  if (text.length <= shownCharacters) return <code>{text}</code>;
  if (isOpen) return <JsonView value={value} label="value" />;
  return (
    <>
      <code>{text.slice(0, shownCharacters)}…</code>{' '}
      <Button size="small" onClick={() => setOpen(true)}>
        Show all
      </Button>
    </>
  );
}
