// Dialect views: a run in the words of its dialect, read from where it is: threads, execution record, dataflow report. What
// the views say is decided in `dialects/`.

import { readDefinition } from '../actor/definitions.ts';
import type { Run } from '../api/run.ts';
import type { NormalDataflow } from '../dialects/dataflow/normal.ts';
import { type DataflowReport, orderOf, readDataflowState, reportDataflow } from '../dialects/dataflow/run-report.ts';
import { type DataflowUpdate, DataflowUpdates } from '../dialects/dataflow/updates.ts';
import { type Execution, viewExecution } from '../dialects/handle/execution.ts';
import { type ThreadsView, viewThreads } from '../dialects/thread/view.ts';
import type { Host } from './host.ts';

export function readThreads({ inbox }: Host, runId: string): Promise<ThreadsView> {
  return inbox.read(runId, viewThreads);
}

export function readExecution({ inbox }: Host, runId: string): Promise<Execution> {
  return inbox.read(runId, viewExecution);
}

export async function readDataflow({ inbox, store }: Host, runId: string): Promise<DataflowReport> {
  const reading = await inbox.read(runId, readDataflowState);
  const row = await store.findDefinition(reading.context.workflowId, reading.version);
  return reportDataflow(reading, (row ? readDefinition(row) : {}) as NormalDataflow); // a run's definition stays
}

/** The news of a run from its beginning, until it has ended. */
export async function* dataflowUpdates(run: Run): AsyncIterableIterator<DataflowUpdate> {
  const { context } = await run.dataflow();
  const updates = new DataflowUpdates(orderOf(context));
  for await (const event of run.events()) yield* updates.add(event);
}
