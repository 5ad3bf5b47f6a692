// Reading the trace of a run: what is kept of it, or that and then what comes. Rules TC6 and TC7.

import { readVerified } from '../actor/journal.ts';
import {
  droppedKey,
  type RunTraceEvent,
  rowsFrom,
  seqIn,
  traceEventsIn,
  traceKind,
  tracePrefix,
} from '../actor/trace-log.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import type { ReadOptions } from '../operations/carrier.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { isAborted, placeAfter, RunNews, refuseToFollow } from './read-events.ts';

const recordsPerPage = 100;

/** TC6: as events are read. A trace that reached its limit ends with the event that says so, live too: no more will come. */
export async function* readTrace(
  host: Host,
  runId: string,
  { after, follow = !host.readOnly, signal }: ReadOptions,
): AsyncIterableIterator<RunTraceEvent> {
  if (follow) refuseToFollow(host);
  const start = placeAfter(after, 1);
  await refuseUntraced(host, runId);
  const news = follow ? new RunNews(host, runId, signal) : null;
  try {
    for (let fromSeq = start.row; !isAborted(signal); ) {
      const { seq } = await mustReadRun(host.store, runId); // Before its trace, which may only grow meanwhile.
      const page = await host.store.listRecords(traceKind, { ...rowsFrom(runId, fromSeq), limit: recordsPerPage });
      for (const record of page) {
        yield* traceEventsIn(record, seqIn(record) === start.row ? start.index : 0);
        if (record.key === droppedKey(runId)) return;
        fromSeq = seqIn(record) + 1;
      }
      if (page.length === recordsPerPage) continue;
      fromSeq = Math.max(fromSeq, seq + 1);
      if (!news || !(await news.next(fromSeq))) return;
    }
  } finally {
    news?.stop();
  }
}

/** TC7: a run that was not started with `trace` has no trace, not an empty one. */
async function refuseUntraced({ store }: Host, runId: string): Promise<void> {
  await mustReadRun(store, runId);
  if ((await store.listRecords(traceKind, { prefix: tracePrefix(runId), limit: 1 })).length > 0) return;
  const [first] = await readVerified(store, runId, { fromSeq: 1, limit: 1 });
  const [started] = first ? parseEvents(first.events) : [];
  if (started?.type === 'workflow.started' && started.trace) return; // by a version that kept none
  const remedy = 'start it with trace: true, or with --trace on the command line';
  throw new HeddleError('RUN_NOT_TRACED', `Expected run ${runId} to be traced, but it was started without; ${remedy}`);
}
