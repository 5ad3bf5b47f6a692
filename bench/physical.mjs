// The physical limit: how many commits, and how many rows in commits of 1,000, SQLite makes durable per second here.

import { openSqliteDriver } from '../packages/heddle/dist/hosts/sqlite/open.js';
import { tell, withFile } from './scenario.mjs';

const text = 'x'.repeat(300);

function perSecond(driver, rowsPerCommit, seconds) {
  const insert = driver.prepare('INSERT INTO probe (text) VALUES (?)');
  const until = performance.now() + seconds * 1000;
  const from = performance.now();
  let rows = 0;
  while (performance.now() < until) {
    driver.transaction(() => {
      for (let i = 0; i < rowsPerCommit; i++) insert.run(text);
    });
    rows += rowsPerCommit;
  }
  return (rows / (performance.now() - from)) * 1000;
}

await withFile(async (path) => {
  const driver = await openSqliteDriver(path);
  driver.exec('CREATE TABLE probe (id INTEGER PRIMARY KEY, text TEXT)');
  perSecond(driver, 1, 0.5);
  tell({ singlePerSecond: perSecond(driver, 1, 2), groupedPerSecond: perSecond(driver, 1000, 2) });
  driver.close();
});
