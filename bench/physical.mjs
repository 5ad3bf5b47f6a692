// The physical limit: how many commits, and how many rows in commits of 1,000, SQLite makes durable per second here.

import { openProbe } from './probe.mjs';
import { tell, withFile } from './scenario.mjs';

function rowsPerSecond(probe, rowsPerCommit, seconds) {
  const from = performance.now();
  let rows = 0;
  while (performance.now() < from + seconds * 1000) {
    probe.commitRows(rowsPerCommit);
    rows += rowsPerCommit;
  }
  return (rows / (performance.now() - from)) * 1000;
}

await withFile(async (path) => {
  const probe = await openProbe(path);
  rowsPerSecond(probe, 1, 0.5);
  tell({ singlePerSecond: rowsPerSecond(probe, 1, 2), groupedPerSecond: rowsPerSecond(probe, 1000, 2) });
  probe.close();
});
