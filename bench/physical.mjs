// The physical limit: how many commits, and how many rows in commits of 1,000, SQLite makes durable per second here.

import { tell, withFile } from './scenario.mjs';

const text = 'x'.repeat(300);

/** The same SQLite and the same settings that the engine's store has. */
async function open(path) {
  const [major] = process.versions.node.split('.');
  const { DatabaseSync } = await import(Number(major) >= 24 ? 'node:sqlite' : '@photostructure/sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000');
  database.exec('CREATE TABLE probe (id INTEGER PRIMARY KEY, text TEXT)');
  return database;
}

function perSecond(database, rowsPerCommit, seconds) {
  const insert = database.prepare('INSERT INTO probe (text) VALUES (?)');
  const until = performance.now() + seconds * 1000;
  const from = performance.now();
  let rows = 0;
  while (performance.now() < until) {
    database.exec('BEGIN');
    for (let i = 0; i < rowsPerCommit; i++) insert.run(text);
    database.exec('COMMIT');
    rows += rowsPerCommit;
  }
  return (rows / (performance.now() - from)) * 1000;
}

await withFile(async (path) => {
  const database = await open(path);
  perSecond(database, 1, 0.5);
  tell({ singlePerSecond: perSecond(database, 1, 2), groupedPerSecond: perSecond(database, 1000, 2) });
  database.close();
});
