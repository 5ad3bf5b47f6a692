// CheckedTables: which columns the checksum of a row covers, on every host whose store is made of tables.
//
// Always true: the columns below are all of a table's columns but the checksum, in the order in which they are summed up;
// a released list never changes.

/** By table: its columns, those of its key first in `key`. */
export const checkedTables = {
  runs: {
    key: ['run_id'],
    columns: [
      'run_id',
      'workflow',
      'version',
      'status',
      'seq',
      'head',
      'next_timer_at',
      'has_work',
      'created_at',
      'updated_at',
      'ended_at',
      'parent_run_id',
      'root_run_id',
      'tags',
      'result',
      'quarantine',
    ],
  },
  outbox: { key: ['id'], columns: ['id', 'recipient', 'message'] },
  keys: { key: ['scope', 'key'], columns: ['scope', 'key', 'fingerprint', 'run_id', 'at'] },
  definitions: { key: ['id', 'version'], columns: ['id', 'version', 'hash', 'body', 'created_at'] },
  records: { key: ['kind', 'key'], columns: ['kind', 'key', 'value', 'due_at'] },
} as const;

export type CheckedTable = keyof typeof checkedTables;

export function rowFinding(table: CheckedTable, key: string): string {
  return `row ${key} of its table ${table} was changed, and does not match its checksum`;
}
