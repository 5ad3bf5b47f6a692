// RunFilters: the filter of the list of runs, as controls, and as chips that take their part of it away.

import { runStatuses } from 'heddle/journal';
import { Button, useAnswer } from 'heddle-react';
import { type ReactElement, useEffect, useId, useState } from 'react';
import { namesOf } from '../workflow-names.ts';
import { everyRun, isFiltered, type RunSearch, readSpan, readTag, type Span } from './run-search.ts';

export interface RunFiltersProps {
  readonly search: RunSearch;
  readonly onChange: (search: RunSearch) => void;
}

const spanLabels: Readonly<Record<Span, string>> = { '1h': 'last hour', '24h': 'last 24 hours', '7d': 'last 7 days' };

export function RunFilters({ search, onChange }: RunFiltersProps): ReactElement {
  // A new filter begins with the newest.
  const change = (part: Partial<RunSearch>): void => onChange({ ...search, ...part, after: null });
  return (
    <search className="app-filters">
      <SearchText text={search.search} onChange={(text) => change({ search: text })} />
      <StatusChoice chosen={search.statuses} onChange={(chosen) => change({ statuses: chosen })} />
      <WorkflowChoice workflow={search.workflow} onChange={(workflow) => change({ workflow })} />
      <Choice
        label="Started"
        value={search.since ?? ''}
        options={[['', 'at any time'], ...Object.entries(spanLabels)]}
        onChange={(value) => change({ since: readSpan(value) })}
      />
      <TagInput onAdd={(tag) => change({ tags: { ...search.tags, ...tag } })} />
      <label className="hd-check">
        <input
          type="checkbox"
          checked={search.withSubRuns}
          onChange={({ target }) => change({ withSubRuns: target.checked })}
        />
        Sub-runs too
      </label>
      <Chips search={search} onChange={change} />
    </search>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, options, onChange }: ChoiceProps): ReactElement {
  const id = useId();
  return (
    <span className="app-filter">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="hd-input" value={value} onChange={({ target }) => onChange(target.value)}>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </span>
  );
}

interface StatusChoiceProps {
  readonly chosen: RunSearch['statuses'];
  readonly onChange: (chosen: RunSearch['statuses']) => void;
}

/** Adds one to those that are chosen; its chip takes it away. */
function StatusChoice({ chosen, onChange }: StatusChoiceProps): ReactElement {
  const left = runStatuses.filter((status) => !chosen.includes(status));
  return (
    <Choice
      label="Status"
      value=""
      options={[
        ['', chosen.length === 0 ? 'any' : 'or…'],
        ...left.map((status) => [status, status.replace('_', ' ')] as const),
      ]}
      onChange={(value) => onChange(runStatuses.filter((status) => chosen.includes(status) || status === value))}
    />
  );
}

function WorkflowChoice({
  workflow,
  onChange,
}: {
  readonly workflow: string | null;
  readonly onChange: (workflow: string | null) => void;
}): ReactElement {
  const { data } = useAnswer('listDefinitions', { limit: 1_000 });
  const names = new Set([...namesOf(data?.items ?? []).map(({ id }) => id), ...(workflow === null ? [] : [workflow])]);
  return (
    <Choice
      label="Workflow"
      value={workflow ?? ''}
      options={[['', 'any'], ...[...names].map((name) => [name, name] as const)]}
      onChange={(value) => onChange(value === '' ? null : value)}
    />
  );
}

const typingMs = 300;

/** Asked for when the typing rests. */
function SearchText({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}): ReactElement {
  const [typed, setTyped] = useState(text);
  const [last, setLast] = useState(text);
  if (text !== last) {
    setLast(text);
    setTyped(text);
  }
  useEffect(() => {
    if (typed === text) return undefined;
    const timer = setTimeout(() => onChange(typed), typingMs);
    return () => clearTimeout(timer);
  });
  return (
    <input
      type="search"
      className="hd-input app-filter-text"
      aria-label="Search by run id, workflow or tag"
      placeholder="Run id, workflow or tag"
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

function TagInput({ onAdd }: { readonly onAdd: (tag: Readonly<Record<string, string>>) => void }): ReactElement {
  const [text, setText] = useState('');
  const add = (): void => {
    const [tag] = readTag(text);
    if (tag === undefined) return;
    onAdd({ [tag[0]]: tag[1] });
    setText('');
  };
  return (
    <input
      className="hd-input app-filter-tag"
      aria-label="Tag, as name=value; Enter adds it"
      placeholder="tag=value ⏎"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key }) => key === 'Enter' && add()}
    />
  );
}

function Chips({
  search,
  onChange,
}: {
  readonly search: RunSearch;
  readonly onChange: (part: Partial<RunSearch>) => void;
}): ReactElement | null {
  if (!isFiltered(search)) return null;
  const chips: readonly (readonly [string, Partial<RunSearch>])[] = [
    ...search.statuses.map(
      (status) =>
        [
          `status: ${status.replace('_', ' ')}`,
          { statuses: search.statuses.filter((each) => each !== status) },
        ] as const,
    ),
    ...(search.workflow === null ? [] : [[`workflow: ${search.workflow}`, { workflow: null }] as const]),
    ...Object.entries(search.tags).map(([name, value]) => {
      const { [name]: _gone, ...rest } = search.tags;
      return [`${name}: ${value}`, { tags: rest }] as const;
    }),
    ...(search.since === null ? [] : [[`started: ${spanLabels[search.since]}`, { since: null }] as const]),
    ...(search.search === '' ? [] : [[`search: ${search.search}`, { search: '' }] as const]),
  ];
  return (
    <div className="app-chips" role="group" aria-label="Filters">
      {chips.map(([label, without]) => (
        <button key={label} type="button" className="app-chip" onClick={() => onChange(without)}>
          {label}
          <span aria-hidden="true"> ×</span>
          <span className="hd-visually-hidden">, remove</span>
        </button>
      ))}
      <Button size="small" kind="quiet" onClick={() => onChange(everyRun)}>
        Clear
      </Button>
    </div>
  );
}
