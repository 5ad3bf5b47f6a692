// FindDamage: looks at all rows of a shard, for an audit: whether every row matches its checksum, whether the tags are those of
// their runs. Journals and snapshots have hashes of their own, which the audit checks; the structure is the database's own.
//
// Always true: it reads and changes nothing, and looks at one moment, whoever writes beside it.

import type { Damage } from '../../actor/ports.ts';
import { keysIn } from '../../base/keys-in.ts';
import { type CheckedTable, checkedTables, rowFinding } from '../sql/checked-tables.ts';
import { readTags } from '../sql/stored-run.ts';
import type { SqlValue } from './database.ts';
import { sumOf } from './row-check.ts';
import type { AskShard, ShardTables } from './shard-tables.ts';
import { tagRows } from './tags.ts';

const rowsPerPage = 500;

export function findDamage(tables: ShardTables): Promise<readonly Damage[]> {
  return tables.readTogether(async (read) => {
    const found: Damage[] = [];
    let tags = 0;
    let areRunsIntact = true;
    for (const table of keysIn(checkedTables))
      for await (const page of pagesOf(read, table))
        for (const row of page) {
          const values = checkedTables[table].columns.map((column) => row[column] ?? null);
          const isIntact = sumOf(values) === row['checksum'];
          if (!isIntact) found.push(changed(tables, table, row));
          if (table !== 'runs') continue;
          if (isIntact) tags += tagsOf(row).length;
          else areRunsIntact = false; // nobody knows what tags it had
        }
    const [counted] = await read<{ count: number }>('SELECT count(*) AS count FROM $tags WHERE shard = $1');
    if (areRunsIntact && counted?.count !== tags)
      found.push({
        runId: null,
        message: `Expected ${tags} rows in its table tags, but ${tables.name} has ${counted?.count}`,
      });
    return found;
  });
}

type Row = Readonly<Record<string, SqlValue>>;

/** How the key of a table is ordered and found here, and what of a row is made of several columns. */
const shapes: Readonly<Record<CheckedTable, { readonly key: readonly string[]; readonly select: string }>> = {
  runs: { key: ['run_id'], select: '*' },
  outbox: { key: ['id'], select: '*' },
  keys: { key: ['place'], select: '*' },
  definitions: { key: ['id', 'version'], select: '*' },
  records: { key: ['kind', 'head', 'tail'], select: '*, head || rest AS key' },
};

async function* pagesOf(read: AskShard, table: CheckedTable): AsyncGenerator<readonly Row[]> {
  const { key, select } = shapes[table];
  const names = key.join(', ');
  for (let last: readonly SqlValue[] = []; ; ) {
    const behind = last.length === 0 ? '' : `AND (${names}) > (${key.map((_, at) => `$${at + 2}`).join(', ')})`;
    const page = await read<Record<string, SqlValue>>(
      `SELECT ${select} FROM $${table} WHERE shard = $1 ${behind} ORDER BY ${names} LIMIT ${rowsPerPage}`,
      last,
    );
    yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < rowsPerPage) return;
    last = key.map((column) => end[column] ?? null);
  }
}

function changed({ name }: ShardTables, table: CheckedTable, row: Row): Damage {
  const key = checkedTables[table].key.map((column) => row[column]).join(' ');
  return {
    runId: table === 'runs' ? String(row['run_id']) : null,
    message: `Expected ${name} to be as it was written, but ${rowFinding(table, key)}`,
  };
}

/** Of a row that is intact. */
const tagsOf = (row: Row) =>
  tagRows({ tags: readTags(String(row['tags'])), createdAt: Number(row['created_at']), runId: String(row['run_id']) });
