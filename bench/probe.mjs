// The probe: bare SQLite with the settings that the engine's store has, to tell what the machine can do at best.

const text = 'x'.repeat(300);

export async function openDatabase(path) {
  const [major] = process.versions.node.split('.');
  const { DatabaseSync } = await import(Number(major) >= 24 ? 'node:sqlite' : '@photostructure/sqlite');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2000');
  return database;
}

export async function openProbe(path) {
  const database = await openDatabase(path);
  database.exec('CREATE TABLE probe (id INTEGER PRIMARY KEY, text TEXT)');
  const insert = database.prepare('INSERT INTO probe (text) VALUES (?)');
  return {
    /** One durable transaction. */
    commitRows(rows) {
      database.exec('BEGIN IMMEDIATE');
      for (let i = 0; i < rows; i++) insert.run(text);
      database.exec('COMMIT');
    },
    close: () => database.close(),
  };
}
