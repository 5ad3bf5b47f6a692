// JsonView: any value as JSON, foldable and searchable. What is long is cut, and shown on demand.
//
// Always true: a value is shown as text, whatever it holds; only what is unfolded is in the page.

import type { Json } from 'heddle';
import { type ReactElement, useMemo, useState } from 'react';
import { CopyButton } from './id-text.tsx';
import { findInJson, hasValues } from './json-search.ts';

const textCharactersShown = 400;
const membersShown = 100;
const openDepth = 2;
const smallMax = 8;
/** From so many values on, they are looked for rather than looked through. */
const searchedFrom = 20;
const foundShown = 100;

export interface JsonViewProps {
  readonly value: Json | undefined;
  /** What it is, for screen readers and the copy button. */
  readonly label: string;
}

export function JsonView({ value, label }: JsonViewProps): ReactElement {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'undefined', [value]);
  const isSearched = useMemo(() => value !== undefined && hasValues(value, searchedFrom), [value]);
  const [search, setSearch] = useState('');
  const wanted = search.trim();
  if (value === undefined) return <span className="hd-json-note">nothing</span>;
  return (
    <div className="hd-json" role="group" aria-label={label}>
      <CopyButton text={text} label={`Copy ${label}`} />
      {isSearched ? (
        <input
          type="search"
          className="hd-input hd-json-search"
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
      ) : null}
      {isSearched && wanted !== '' ? (
        <Found value={value} text={wanted} />
      ) : (
        <Value value={value} name={null} depth={0} />
      )}
    </div>
  );
}

/** Each value with the way to it. */
function Found({ value, text }: { readonly value: Json; readonly text: string }): ReactElement {
  const { found, isCut } = useMemo(() => findInJson(value, text, foundShown), [value, text]);
  return (
    <>
      <p className="hd-json-note" role="status">
        {found.length === 0 ? 'Nothing is like that' : `${found.length} found`}
        {isCut ? '; there may be more' : ''}
      </p>
      {found.map((each) => (
        <div key={each.path}>
          <Name name={each.path} />
          <Scalar value={each.value} />
        </div>
      ))}
    </>
  );
}

interface ValueProps {
  readonly value: Json;
  readonly name: string | null;
  readonly depth: number;
}

function Value({ value, name, depth }: ValueProps): ReactElement {
  return value !== null && typeof value === 'object' ? (
    <Members value={value} name={name} depth={depth} />
  ) : (
    <div className="hd-json-row" style={{ '--hd-depth': depth }}>
      <span className="hd-json-toggle" aria-hidden="true" />
      <span>
        <Name name={name} />
        <Scalar value={value} />
      </span>
    </div>
  );
}

const Name = ({ name }: { readonly name: string | null }): ReactElement | null =>
  name === null ? null : <span className="hd-json-key">{name}: </span>;

function Scalar({ value }: { readonly value: Exclude<Json, object> }): ReactElement {
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value);
  if (isWhole || text.length <= textCharactersShown) return <span>{text}</span>;
  return (
    <span>
      {text.slice(0, textCharactersShown)}…{' '}
      <button type="button" className="hd-button" data-size="small" onClick={() => setWhole(true)}>
        Show all {text.length.toLocaleString('en')} characters
      </button>
    </span>
  );
}

/** A few plain values: there is nothing to fold. */
function isSmall(value: object): boolean {
  const members = Object.values(value);
  return members.length <= smallMax && members.every((member) => typeof member !== 'object' || member === null);
}

function Members({ value, name, depth }: ValueProps & { readonly value: object }): ReactElement {
  const [isOpen, setOpen] = useState(depth < openDepth || isSmall(value));
  const [shown, setShown] = useState(membersShown);
  const entries = Object.entries(value as Record<string, Json>); // of JSON: an array's by their places
  const isList = Array.isArray(value);
  const size = `${isList ? '[' : '{'}${entries.length}${isList ? ']' : '}'}`;
  return (
    <>
      <div className="hd-json-row" style={{ '--hd-depth': depth }}>
        <button
          type="button"
          className="hd-json-toggle"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? 'Fold' : 'Unfold'} ${name ?? 'value'}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? '▾' : '▸'}
        </button>
        <span>
          <Name name={name} />
          <span className="hd-json-note">{size}</span>
        </span>
      </div>
      {isOpen
        ? entries
            .slice(0, shown)
            .map(([key, member]) => <Value key={key} value={member} name={key} depth={depth + 1} />)
        : null}
      {isOpen && entries.length > shown ? (
        <div className="hd-json-row" style={{ '--hd-depth': depth + 1 }}>
          <button
            type="button"
            className="hd-button"
            data-size="small"
            onClick={() => setShown(shown + membersShown * 10)}
          >
            Show more of {entries.length.toLocaleString('en')}
          </button>
        </div>
      ) : null}
    </>
  );
}
