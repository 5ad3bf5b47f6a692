// RunView: a run on its drawing, folded from the journal on the server: for those who do not fold it themselves.

import { readDefinition } from '../actor/definitions.ts';
import { readVerified } from '../actor/journal.ts';
import type { JournalRow, RunRow } from '../actor/ports.ts';
import { inSlices, type Sliced } from '../actor/slices.ts';
import { stepsToLoad } from '../actor/turn-budget.ts';
import { type Drawing, drawingOf } from '../core/views/drawing.ts';
import type { EdgeView } from '../core/views/edges.ts';
import type { NodeView } from '../core/views/nodes.ts';
import { RunFold } from '../core/views/run-fold.ts';
import type { WorkflowDefinition } from '../dialects/dialect.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { eventsOf } from './read-events.ts';

// DR31: nodes and edges are those that were drawn.
export async function readEdges(host: Host, runId: string): Promise<readonly EdgeView[]> {
  return (await foldNow(host, runId)).edges();
}

export async function readNodes(host: Host, runId: string): Promise<readonly NodeView[]> {
  return (await foldNow(host, runId)).nodeViews();
}

async function foldNow(host: Host, runId: string): Promise<RunFold> {
  const drawing = await readDrawing(host, await mustReadRun(host.store, runId));
  return foldRun(host, runId, new RunFold({ drawing, spansMax: 0, groupsMax: 0 }));
}

async function readDrawing({ store, definitions }: Host, { workflow, version }: RunRow): Promise<Drawing> {
  const graph = await definitions.mustFind(workflow, version);
  const row = await store.findDefinition(workflow, version);
  const { nodes }: Pick<WorkflowDefinition, 'nodes'> = row ? readDefinition(row) : { nodes: [] }; // a run's definition stays
  return drawingOf(
    graph,
    nodes.map(({ id }) => id),
  );
}

const rowsPerPage = 500;

/** The whole journal, a page at a time. */
async function foldRun(host: Host, runId: string, fold: RunFold): Promise<RunFold> {
  for (let fromSeq = 1; ; fromSeq += rowsPerPage) {
    const rows = await readVerified(host.store, runId, { fromSeq, limit: rowsPerPage });
    await inSlices(addRows(fold, runId, rows), host.clock);
    if (rows.length < rowsPerPage) return fold;
  }
}

function* addRows(fold: RunFold, runId: string, rows: readonly JournalRow[]): Sliced<void> {
  for (const row of rows) {
    for (const event of eventsOf(runId, row, 0)) fold.add(event);
    yield stepsToLoad(row.events.length);
  }
}
