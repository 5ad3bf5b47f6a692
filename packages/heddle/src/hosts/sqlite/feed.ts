// Feed: the journal rows of all runs, in the order of their commits. The table's own key is the position.
//
// Always true: a position is given once. SQLite gives the next after the highest that is there; so whoever deletes the
// newest row leaves a mark in its place, a row of no run: see `delete-runs.ts`.

import type { Feed, FeedRow } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';

/** The run of the mark that keeps the newest position. */
export const noRun = '';

/** Rows that are looked at for one page of one workflow. */
const examinedMax = 5_000;

export function prepareFeed(driver: SqlDriver) {
  const end = driver.prepare<{ position: number }>(
    'SELECT position FROM journal WHERE position > 0 ORDER BY position DESC LIMIT 1',
  );
  const reach = driver.prepare<{ position: number }>(
    'SELECT position FROM journal WHERE position > ? ORDER BY position LIMIT 1 OFFSET ?',
  );
  const select = driver.prepare<FeedRow>(
    `SELECT j.position, j.run_id AS runId, r.workflow, j.seq, j.at, j.events, j.hash, coalesce(b.hash, '') AS "before"
     FROM journal AS j CROSS JOIN runs AS r ON r.run_id = j.run_id
     LEFT JOIN journal AS b ON b.run_id = j.run_id AND b.seq = j.seq - 1
     WHERE j.position > ? AND j.position <= ? AND (?3 IS NULL OR r.workflow = ?3) ORDER BY j.position LIMIT ?`,
  );
  const feedEnd = (): number => end.get()?.position ?? 0;
  return {
    feedEnd,
    // FD4: a page looks at a bounded number of rows, and tells how far it has come.
    readFeed: ({ after, limit, workflow = null }) =>
      driver.readTogether(() => {
        const until = reach.get(after, Math.max(limit, examinedMax) - 1)?.position ?? Math.max(after, feedEnd());
        const rows = select
          .all(after, until, workflow, limit)
          .map((row) => ({ ...row, events: driver.texts.read(row.events, 'journal', row.runId, row.seq) }));
        return { rows, position: rows.length < limit ? until : (rows.at(-1)?.position ?? until) };
      }),
  } satisfies Feed;
}
