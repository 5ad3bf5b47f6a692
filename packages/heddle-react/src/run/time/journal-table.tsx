// Journal table: the events of a run in words, searchable and filtered by node and type. A click moves the moment there and
// shows the event whole.
//
// Always true: rows are drawn as far as they are in view; of a run that is too long to be kept, a page at a time is there.

import { useVirtualizer } from '@tanstack/react-virtual';
import type { Json } from 'heddle';
import type { RunEvent } from 'heddle/journal';
import { type ReactElement, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../../parts/notice.tsx';
import { durationText, exactText } from '../../parts/time-text.tsx';
import type { RunReading, RunSource } from '../run-source.ts';
import { markOf, nodeOfEvent, sentenceOf } from './event-sentences.ts';
import { filteredPlaces, type JournalFilter, namesIn, noFilter } from './journal-filter.ts';
import { useJournalPage } from './journal-page.tsx';
import { TokenNodes } from './token-nodes.ts';

export interface JournalTableProps {
  readonly source: RunSource;
  readonly reading: RunReading;
  readonly onSelectNode?: (node: string) => void;
  /** What else is said of the event that is shown. */
  readonly details?: (event: RunEvent) => ReactNode;
}

export function JournalTable({ source, reading, onSelectNode, details }: JournalTableProps): ReactElement {
  const { events, page, isLoading, error } = useJournalPage(source, reading);
  const nodes = useMemo(() => new TokenNodes(events), [events]);
  const [filter, setFilter] = useState(noFilter);
  const places = useMemo(() => filteredPlaces(events, nodes, filter), [events, nodes, filter]);
  const choose = (event: RunEvent, place: number): void => {
    source.moveTo(reading.isLarge ? event.seq : place + 1);
    const node = nodeOfEvent(event, nodes);
    if (node !== null) onSelectNode?.(node);
  };
  const current = reading.isLarge
    ? events.findLast(({ seq }) => seq === reading.moment)
    : events[Math.min(reading.moment, events.length) - 1];
  if (isLoading) return <Skeleton lines={8} label="Loading the journal" />;
  return (
    <section className="hd-journal" aria-label="Journal">
      <Filters events={events} nodes={nodes} filter={filter} onChange={setFilter} shown={places.length} />
      {error === null ? null : <ErrorNotice error={error} />}
      {page}
      {places.length === 0 ? (
        <EmptyState title={events.length === 0 ? 'No events yet' : 'No event is like that'}>
          {events.length === 0 ? null : (
            <Button size="small" onClick={() => setFilter(noFilter)}>
              Show all events
            </Button>
          )}
        </EmptyState>
      ) : (
        <EventList events={events} nodes={nodes} places={places} current={current} onChoose={choose} />
      )}
      {current === undefined ? null : <EventDetails event={current}>{details?.(current)}</EventDetails>}
    </section>
  );
}

interface FiltersProps {
  readonly events: readonly RunEvent[];
  readonly nodes: TokenNodes;
  readonly filter: JournalFilter;
  readonly onChange: (filter: JournalFilter) => void;
  readonly shown: number;
}

function Filters({ events, nodes, filter, onChange, shown }: FiltersProps): ReactElement {
  const names = useMemo(() => namesIn(events, nodes), [events, nodes]);
  const isAll = shown === events.length;
  return (
    <div className="hd-journal-filters">
      <input
        type="search"
        className="hd-input"
        aria-label="Search the journal"
        placeholder="Search"
        value={filter.text}
        onChange={({ currentTarget }) => onChange({ ...filter, text: currentTarget.value })}
      />
      <Choice
        label="Node"
        all="All nodes"
        names={names.nodes}
        value={filter.node}
        onChange={(node) => onChange({ ...filter, node })}
      />
      <Choice
        label="Type"
        all="All types"
        names={names.types}
        value={filter.type}
        onChange={(type) => onChange({ ...filter, type })}
      />
      <span role="status" className="hd-journal-count">
        {isAll ? '' : `${shown.toLocaleString('en')} of `}
        {events.length.toLocaleString('en')} events
      </span>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly all: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, all, names, value, onChange }: ChoiceProps): ReactElement => (
  <select
    className="hd-input"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  >
    <option value="">{all}</option>
    {names.map((name) => (
      <option key={name} value={name}>
        {name}
      </option>
    ))}
  </select>
);

interface EventListProps {
  readonly events: readonly RunEvent[];
  readonly nodes: TokenNodes;
  /** Which of them are listed. */
  readonly places: readonly number[];
  readonly current: RunEvent | undefined;
  readonly onChoose: (event: RunEvent, place: number) => void;
}

const rowHeight = 28;

function EventList({ events, nodes, places, current, onChoose }: EventListProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: places.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const at = current === undefined ? -1 : places.findIndex((place) => events[place]?.id === current.id);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [at, virtual]);
  const startedAt = events[0]?.at ?? 0;
  return (
    <div ref={scroller} className="hd-journal-list">
      <ol style={{ height: virtual.getTotalSize() }} aria-label="Events">
        {virtual.getVirtualItems().map(({ index, start }) => {
          const place = places[index] ?? 0;
          const event = events[place];
          return event === undefined ? null : (
            <li
              key={event.id}
              aria-setsize={places.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <button
                type="button"
                className="hd-journal-row"
                data-mark={markOf(event) ?? undefined}
                data-later={at >= 0 && index > at}
                aria-current={index === at ? 'step' : undefined}
                onClick={() => onChoose(event, place)}
              >
                <span className="hd-journal-id">{event.id}</span>
                <time dateTime={new Date(event.at).toISOString()} title={exactText(event.at)}>
                  +{durationText(event.at - startedAt)}
                </time>
                <span className="hd-journal-sentence">{sentenceOf(event, nodes)}</span>
                <span className="hd-journal-type">{event.type}</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function EventDetails({ event, children }: { readonly event: RunEvent; readonly children: ReactNode }): ReactElement {
  const whole = event as unknown as Json; // it came as such
  return (
    <section className="hd-journal-details" aria-label={`Event ${event.id}`}>
      {children}
      <details>
        <summary>
          Event {event.id}: <code>{event.type}</code>
        </summary>
        <JsonView value={whole} label={`event ${event.id}`} />
      </details>
    </section>
  );
}
