// LongTable: a table of any number of rows; only those in sight are in the page, and all of them are counted for screen readers.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type ReactNode, useRef } from 'react';

export interface LongTableProps<Row> {
  readonly label: string;
  readonly className: string;
  readonly titles: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly isSelected: (row: Row) => boolean;
  /** The cells of a row. */
  readonly children: (row: Row) => ReactNode;
}

const rowHeight = 32;

export function LongTable<Row>(props: LongTableProps<Row>): ReactElement {
  const { label, className, titles, rows, keyOf, isSelected, children } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  return (
    <div ref={scroller} className={className} tabIndex={0} role="region" aria-label={label}>
      <table aria-rowcount={rows.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <tr
                key={keyOf(row)}
                aria-rowindex={index + 2}
                data-selected={isSelected(row)}
                style={{ transform: `translateY(${start}px)` }}
              >
                {children(row)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
