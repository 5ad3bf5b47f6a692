// RowCheck: every row that no hash chain covers carries a checksum over its columns, which is compared whenever the row is
// read: a bit that turned over on the disk, or another program's change, is found before anybody believes it.

import { StoreError } from '../../actor/store-error.ts';
import { type CheckedTable, checkedTables, rowFinding } from '../sql/checked-tables.ts';
import type { SqlDriver, SqlValue } from './driver.ts';
import type { TextPlace } from './long-texts.ts';
import { damagedSentence } from './sqlite-fault.ts';

/** Columns whose texts may lie in pieces, and whose those are then; the key of the row follows. */
const longColumns: Readonly<Partial<Record<string, TextPlace[0]>>> = {
  'runs.result': 'result',
  'outbox.message': 'outbox',
  'definitions.body': 'definition',
  'records.value': 'record',
};

/** With `crc32` of Node, 0.7 to 1.1 µs for a run's row: 5 % of the time of saturated small steps. */
export function computeSum({ checksum }: SqlDriver, values: readonly SqlValue[]): number {
  return checksum(values.join('\n'));
}

/** DM1: a row that does not match its checksum is not believed. */
export function isIntact(driver: SqlDriver, values: readonly SqlValue[], sum: number): boolean {
  return computeSum(driver, values) === sum;
}

export function mustBeIntact(
  driver: SqlDriver,
  { table, key, values, sum }: { table: CheckedTable; key: string; values: readonly SqlValue[]; sum: number },
): void {
  if (!isIntact(driver, values, sum)) throw damagedRow(driver, table, key);
}

export function damagedRow({ file }: SqlDriver, table: CheckedTable, key: string): StoreError {
  return new StoreError('STORE_DAMAGED', damagedSentence(file, rowFinding(table, key)));
}

/**
 * What is read page by page must continue behind the page before. If SQLite's own order is damaged, pages may begin again,
 * without an end.
 */
export function mustAscend({ file }: SqlDriver, what: string, [after, keys]: [string, readonly string[]]): void {
  let last = after;
  for (const key of keys) {
    if (key < last) throw new StoreError('STORE_DAMAGED', damagedSentence(file, `${what} are not in their order`));
    last = key;
  }
}

export interface CheckedRow {
  readonly row: Readonly<Record<string, SqlValue>>;
  /** In the order of the table's columns. */
  readonly values: readonly SqlValue[];
  readonly key: readonly SqlValue[];
  readonly sum: number;
}

const rowsPerPage = 500;

/** Every row of a table, in the order of its key, whether it is intact or not. */
export function* readRows(driver: SqlDriver, table: CheckedTable): Iterable<CheckedRow> {
  const { key, columns } = checkedTables[table];
  const names = key.join(', ');
  const select = `SELECT ${columns.join(', ')}, checksum FROM ${table}`;
  const order = `ORDER BY ${names} LIMIT ${rowsPerPage}`;
  const first = driver.prepare<Record<string, SqlValue>>(`${select} ${order}`);
  const next = driver.prepare<Record<string, SqlValue>>(
    `${select} WHERE (${names}) > (${key.map(() => '?').join(', ')}) ${order}`,
  );
  const ends = new Set<string>(); // In a table that is out of order the pages may begin again, without an end.
  let last: SqlValue[] = [];
  for (let rows = first.all(); rows.length > 0 && !ends.has(String(last)); ) {
    ends.add(String(last));
    for (const row of rows) {
      const read = (column: string): SqlValue => row[column] ?? null;
      last = key.map(read);
      yield { row, values: columns.map(wholeReader(driver, table, row)), key: last, sum: Number(row['checksum']) };
    }
    rows = next.all(...last);
  }
}

/** Reads a column, of which a row may have pieces. */
function wholeReader({ texts }: SqlDriver, table: CheckedTable, row: CheckedRow['row']): (column: string) => SqlValue {
  const key = checkedTables[table].key.map((column) => row[column]);
  return (column) => {
    const value = row[column] ?? null;
    const what = longColumns[`${table}.${column}`];
    return what === undefined || typeof value !== 'string' ? value : texts.read(value, what, ...key);
  };
}
