// File trial: the same in a file: some text of some row is changed behind the engine's back. What is stored is found to be
// another by its checksum or its chain, before anything is made of it.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteStore } from '../../../packages/heddle/src/hosts/sqlite/open.ts';
import { loadSqlite } from '../../../packages/heddle/src/hosts/sqlite/sqlite-module.ts';
import type { Dice } from '../../../packages/heddle/src/simulation/dice.ts';
import { show, type Trial } from '../trial.ts';
import { damageText } from './damage-text.ts';
import { checkDamaged, makeScene, type Scene, victims } from './row-trial.ts';

/** In memory where that is possible: what is stored is damaged on purpose, so nothing is gained by waiting for a disk. */
const folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'heddle-hostile-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

type Ids = Pick<Scene, 'victimId' | 'healthyId'>;
const templates = new Map<number, Promise<Ids>>();
const fileOf = (name: string): string => path.join(folder, `${name}.db`);

async function makeTemplate(index: number): Promise<Ids> {
  const store = await openSqliteStore(fileOf(`template-${index}`));
  const { victimId, healthyId } = await makeScene(store, victims[index] ?? victims[0]);
  return { victimId, healthyId };
}

/** Texts, and which of them have to do with the victim. */
const columns: readonly [Column, ...Column[]] = [
  { table: 'journal', column: 'events', of: 'run_id' },
  { table: 'journal', column: 'hash', of: 'run_id' },
  { table: 'definitions', column: 'body', of: 'id' },
  { table: 'definitions', column: 'hash', of: 'id' },
  { table: 'records', column: 'value', of: null },
  { table: 'runs', column: 'status', of: 'run_id' },
  { table: 'runs', column: 'head', of: 'run_id' },
  { table: 'runs', column: 'tags', of: 'run_id' },
];

interface Column {
  readonly table: string;
  readonly column: string;
  /** The column that says whose it is; null: anybody's. */
  readonly of: 'run_id' | 'id' | null;
}

let files = 0;

export async function makeFileTrial(dice: Dice): Promise<Trial> {
  const index = dice.draw(victims.length);
  const ids = await (templates.get(index) ??
    templates.set(index, makeTemplate(index)).get(index) ??
    makeTemplate(index));
  const column = dice.pick(columns);
  const file = fileOf(`trial-${files++}`);
  for (const end of ['', '.key'])
    if (existsSync(`${fileOf(`template-${index}`)}${end}`))
      copyFileSync(`${fileOf(`template-${index}`)}${end}`, `${file}${end}`);
  const what = await damageFile(file, column, ids, dice);
  return {
    input: () => `a file with a run that is at ${victims[index]?.initialNode}; ${what}`,
    check: async () =>
      checkDamaged(
        { store: await openSqliteStore(file), ...ids },
        { what, reason: column.table === 'journal' ? /journal|damaged/i : null },
      ),
  };
}

async function damageFile(file: string, { table, column, of }: Column, { victimId }: Ids, dice: Dice): Promise<string> {
  const Sqlite = await loadSqlite();
  const database = new Sqlite(file, { readOnly: false, enableForeignKeyConstraints: false, defensive: false });
  const owner = of === null ? [] : [of === 'id' ? 'victim' : victimId];
  const where = of === null ? '' : ` WHERE ${of} = ?`;
  const rows = database.prepare(`SELECT ${column} AS text FROM ${table}${where}`).all(...owner) as { text: string }[];
  const { text } = dice.pick(rows) ?? { text: '' };
  const damaged = damageText(/^[[{]/.test(text) ? text : JSON.stringify(text), dice);
  const update = `UPDATE ${table} SET ${column} = ? WHERE ${column} = ?${of === null ? '' : ` AND ${of} = ?`}`;
  const { changes } = database.prepare(update).run(damaged, text, ...owner);
  database.close();
  return `${Number(changes)} ${column} of ${table} is ${show(damaged, 300)}`;
}
