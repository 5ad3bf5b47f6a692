// BranchTable: the branches of a fan-out, however many: searched, sorted, one of them opened. Only the rows in sight are in
// the page.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useId, useMemo, useRef, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorNotice, Skeleton } from '../parts/notice.tsx';
import { type Look, StatusMark } from '../parts/status-mark.tsx';
import { LastingText } from '../parts/time-text.tsx';
import type { Visits } from './use-visits.ts';
import { type BranchOrder, type BranchRow, branchesOf, findBranches, sortBranches } from './visits.ts';

export interface BranchTableProps {
  readonly visits: Visits;
  /** The instance of the fan-out, and how many branches it has, also those that have not begun. */
  readonly group: number;
  readonly total: number;
  /** The time of the moment: until then what runs has lasted. */
  readonly at: number;
  /** What has not ended lasts until now. */
  readonly isRunning: boolean;
  readonly onOpen: (index: number) => void;
}

const rowHeight = 32;

const columns: readonly { readonly order: BranchOrder; readonly label: string }[] = [
  { order: 'index', label: 'Branch' },
  { order: 'status', label: 'Status' },
  { order: 'node', label: 'At' },
  { order: 'duration', label: 'Took' },
];

const filters: readonly { readonly look: Look | null; readonly label: string }[] = [
  { look: null, label: 'All' },
  { look: 'failed', label: 'Failed' },
  { look: 'active', label: 'Active' },
  { look: 'waiting', label: 'Waiting' },
  { look: 'done', label: 'Done' },
];

export function BranchTable({ visits, group, total, at, isRunning, onOpen }: BranchTableProps): ReactElement {
  const [search, setSearch] = useState('');
  const [look, setLook] = useState<Look | null>(null);
  const [order, setOrder] = useState<Order>({ by: 'index', isDescending: false });
  const begun = useMemo(() => branchesOf(visits.visits, group), [visits.visits, group]);
  const rows = useMemo(
    () => sortBranches(findBranches(begun, search, look), order, at),
    [begun, search, look, order, at],
  );
  const isNew = visits.isLoading && begun.length === 0;
  return (
    <div className="hd-branch-table">
      <Tools search={search} onSearch={setSearch} look={look} onLook={setLook} />
      <p className="hd-muted" role="status">
        {isNew ? `Reading ${total.toLocaleString('en')} branches…` : tally(rows.length, begun.length, total)}
        {visits.isLoading && !isNew ? ' Reading the rest…' : ''}
      </p>
      {visits.error === null ? null : <ErrorNotice error={visits.error} />}
      {isNew ? <Skeleton lines={6} label="Loading the branches" /> : null}
      <Rows rows={rows} order={order} onOrder={setOrder} at={isRunning ? null : at} onOpen={onOpen} />
      <Reading visits={visits} />
    </div>
  );
}

interface ToolsProps {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly look: Look | null;
  readonly onLook: (look: Look | null) => void;
}

function Tools({ search, onSearch, look, onLook }: ToolsProps): ReactElement {
  const id = useId();
  return (
    <div className="hd-branch-tools">
      <label className="hd-visually-hidden" htmlFor={id}>
        Search branches
      </label>
      <input
        id={id}
        type="search"
        className="hd-input"
        placeholder="Number, node or error"
        value={search}
        onChange={({ target }) => onSearch(target.value)}
      />
      <div role="group" aria-label="Status" className="hd-chips">
        {filters.map((filter) => (
          <button
            key={filter.label}
            type="button"
            className="hd-chip"
            aria-pressed={filter.look === look}
            onClick={() => onLook(filter.look)}
          >
            {filter.label}
          </button>
        ))}
      </div>
    </div>
  );
}

/** Of a large run: how to read more of it, and to read it again. */
function Reading({ visits: { readMore, readAgain, isLoading } }: { readonly visits: Visits }): ReactElement | null {
  if (readAgain === null || isLoading) return null;
  return (
    <div className="hd-line">
      {readMore === null ? null : (
        <Button size="small" onClick={readMore}>
          Read more branches
        </Button>
      )}
      <Button size="small" onClick={readAgain}>
        Read again
      </Button>
      <span className="hd-muted">As they were when they were read, whatever moment is shown.</span>
    </div>
  );
}

function tally(found: number, begun: number, total: number): string {
  const all = begun < total ? `${begun.toLocaleString('en')} begun of ${total.toLocaleString('en')}` : '';
  const whole = all === '' ? `${begun.toLocaleString('en')} branches` : `${all} branches`;
  return found === begun ? `${whole}.` : `${found.toLocaleString('en')} found among ${whole}.`;
}

interface Order {
  readonly by: BranchOrder;
  readonly isDescending: boolean;
}

interface RowsProps {
  readonly rows: readonly BranchRow[];
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  readonly at: number | null;
  readonly onOpen: (index: number) => void;
}

function Rows({ rows, order, onOrder, at, onOpen }: RowsProps): ReactElement {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  return (
    <div ref={scroller} className="hd-branch-rows" role="table" aria-label="Branches" aria-rowcount={rows.length + 1}>
      <div role="row" aria-rowindex={1} className="hd-branch-row hd-branch-head">
        {columns.map(({ order: by, label }) => (
          <span key={by} role="columnheader" aria-sort={sortWord(order, by)}>
            <button
              type="button"
              className="hd-sort"
              onClick={() => onOrder({ by, isDescending: order.by === by && !order.isDescending })}
            >
              {label}
              <span aria-hidden="true">{order.by === by ? (order.isDescending ? ' ▾' : ' ▴') : ''}</span>
            </button>
          </span>
        ))}
      </div>
      <div role="rowgroup" className="hd-branch-body" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <Row key={row.index} row={row} place={index} start={start} at={at} onOpen={onOpen} />
          );
        })}
      </div>
    </div>
  );
}

function sortWord(order: Order, by: BranchOrder): 'ascending' | 'descending' | 'none' {
  if (order.by !== by) return 'none';
  return order.isDescending ? 'descending' : 'ascending';
}

interface RowProps {
  readonly row: BranchRow;
  readonly place: number;
  readonly start: number;
  readonly at: number | null;
  readonly onOpen: (index: number) => void;
}

function Row({ row, place, start, at, onOpen }: RowProps): ReactElement {
  const { index, look, word, node, startedAt, endedAt, error } = row;
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      className="hd-branch-row"
      style={{ transform: `translateY(${start}px)`, height: rowHeight }}
    >
      <span role="cell">
        <button type="button" className="hd-row-link" onClick={() => onOpen(index)}>
          #{index}
        </button>
      </span>
      <span role="cell">
        <StatusMark look={look} word={word} />
      </span>
      <span role="cell" className="hd-cut" title={error === null ? node : `${node}: ${error.message}`}>
        {error === null ? node : `${node}: ${error.code}`}
      </span>
      <span role="cell">
        <LastingText from={startedAt} to={endedAt ?? at} />
      </span>
    </div>
  );
}
