// DataTable: rows of anything. Wide, a table; narrow, one card for each row, with the names of the columns beside the values.
//
// Always true: arrow keys move between the rows, and whatever opens a row is a link or a button in its first cell.

import type { KeyboardEvent, ReactElement, ReactNode } from 'react';

export interface Column<Row> {
  readonly label: string;
  readonly show: (row: Row) => ReactNode;
  readonly align?: 'end';
}

export interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  readonly selection?: Selection;
}

export function DataTable<Row>({ label, rows, keyOf, columns, selection }: DataTableProps<Row>): ReactElement {
  const keys = rows.map(keyOf);
  return (
    // The roles stand here again, as browsers forget them when a table is laid out as cards.
    <table className="hd-table" role="table" aria-label={label}>
      <thead role="rowgroup">
        <tr role="row">
          {selection === undefined ? null : (
            <th scope="col" role="columnheader" className="hd-table-check">
              <SelectAll keys={keys} {...selection} />
            </th>
          )}
          {columns.map((column) => (
            <th key={column.label} scope="col" role="columnheader" data-align={column.align}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup" onKeyDown={moveFocus}>
        {rows.map((row, place) => (
          <tr key={keys[place]} role="row" aria-selected={selection?.selected.has(keys[place] ?? '')}>
            {selection === undefined ? null : (
              <td role="cell" className="hd-table-check">
                <SelectRow rowKey={keys[place] ?? ''} {...selection} />
              </td>
            )}
            {columns.map((column) => (
              <td key={column.label} role="cell" data-label={column.label} data-align={column.align}>
                <span className="hd-cell">{column.show(row)}</span>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SelectAll({ keys, selected, onChange }: Selection & { readonly keys: readonly string[] }): ReactElement {
  const isAll = keys.length > 0 && keys.every((key) => selected.has(key));
  return (
    <input
      type="checkbox"
      aria-label="Select all that are shown"
      checked={isAll}
      onChange={() => onChange(new Set(isAll ? [] : keys))}
    />
  );
}

function SelectRow({ rowKey, selected, onChange }: Selection & { readonly rowKey: string }): ReactElement {
  const toggle = (): void => {
    const next = new Set(selected);
    if (!next.delete(rowKey)) next.add(rowKey);
    onChange(next);
  };
  return <input type="checkbox" aria-label={`Select ${rowKey}`} checked={selected.has(rowKey)} onChange={toggle} />;
}

/** From the control that has the focus to its like in the row above or below. */
function moveFocus(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target, currentTarget } = event;
  if (step === undefined || !(target instanceof HTMLElement) || target instanceof HTMLSelectElement) return;
  const row = target.closest('tr');
  const next = [...currentTarget.rows].at([...currentTarget.rows].indexOf(row as HTMLTableRowElement) + step); // the target is in one
  const place = row === null ? -1 : controlsOf(row).indexOf(target);
  const control = next === undefined ? undefined : (controlsOf(next)[place] ?? controlsOf(next)[0]);
  if (control === undefined) return;
  event.preventDefault();
  control.focus();
}

const controlsOf = (row: HTMLElement): HTMLElement[] => [...row.querySelectorAll<HTMLElement>('a, button, input')];
