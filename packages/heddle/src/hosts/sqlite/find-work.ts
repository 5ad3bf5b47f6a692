// FindWork: what waits to be done: runs with an alarm, runs with tasks, messages not yet received. Each question is
// answered from an index that holds these only.

import type { OutboxRow, Undone } from '../../actor/ports.ts';
import type { SqlDriver } from './driver.ts';
import { isIntact, mustAscend } from './row-check.ts';

export function prepareFindWork(driver: SqlDriver) {
  const due = driver.prepare<{ runId: string }>(
    'SELECT run_id AS runId FROM runs WHERE next_timer_at <= ? ORDER BY next_timer_at, run_id LIMIT ?',
  );
  const alarm = driver.prepare<{ at: number }>(
    `SELECT next_timer_at AS at FROM runs WHERE next_timer_at IS NOT NULL ORDER BY next_timer_at LIMIT 1`,
  );
  const working = driver.prepare<{ runId: string }>(
    'SELECT run_id AS runId FROM runs WHERE has_work = 1 AND run_id > ? ORDER BY run_id LIMIT ?',
  );
  const messages = driver.prepare<OutboxRow & { checksum: number }>(
    'SELECT id, recipient AS "to", message, checksum FROM outbox WHERE id > ? ORDER BY id LIMIT ?',
  );
  return {
    dueRuns: (at, limit) => due.all(at, limit).map(({ runId }) => runId),
    nextAlarmAt: () => alarm.get()?.at ?? null,
    runsWithWork: (after, limit) => {
      const runIds = working.all(after ?? '', limit).map(({ runId }) => runId);
      mustAscend(driver, 'its runs with work', [after ?? '', runIds]);
      return runIds;
    },
    readOutbox: (after, limit) => {
      const rows = messages
        .all(after ?? '', limit)
        .map((row) => ({ ...row, message: driver.texts.read(row.message, 'outbox', row.id) }));
      mustAscend(driver, 'its messages', [after ?? '', rows.map(({ id }) => id)]);
      return rows.map(({ id, to, message, checksum }) => {
        // Not even JSON: the reader reports it, leaves it where it is, and continues with the others (RV1).
        return isIntact(driver, [id, to, message], checksum) ? { id, to, message } : { id, to, message: unreadable };
      });
    },
  } satisfies Undone;
}

const unreadable = '';
