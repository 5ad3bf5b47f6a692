// Dialect views: a run in the words of its dialect, read from where it is: threads, execution record, dataflow report; and
// the nodes of any drawing. What the views say is decided in `dialects/`.

import { readDefinition } from '../actor/definitions.ts';
import type { Store } from '../actor/ports.ts';
import type { Run } from '../api/run.ts';
import { type EdgeView, edgesOf } from '../core/views/edges.ts';
import { type NodeView, nodesOf } from '../core/views/nodes.ts';
import type { Graph } from '../definition/graph.ts';
import type { NormalDataflow } from '../dialects/dataflow/normal.ts';
import { type DataflowReport, orderOf, readDataflowState, reportDataflow } from '../dialects/dataflow/run-report.ts';
import { type DataflowUpdate, DataflowUpdates } from '../dialects/dataflow/updates.ts';
import type { WorkflowDefinition } from '../dialects/dialect.ts';
import { type Execution, viewExecution } from '../dialects/handle/execution.ts';
import { type ThreadsView, viewThreads } from '../dialects/thread/view.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { readHistory } from './read-events.ts';

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

// DR31: nodes and edges are those that were drawn.
export async function readEdges({ store, definitions }: Host, runId: string): Promise<readonly EdgeView[]> {
  const { workflow, version } = await mustReadRun(store, runId);
  return edgesOf(await readHistory(store, runId), await definitions.mustFind(workflow, version));
}

/** VW11: every node of the drawing in its order, also those that no way leads to, and none that a compiler made. */
export async function readNodes({ store, definitions }: Host, runId: string): Promise<readonly NodeView[]> {
  const { workflow, version } = await mustReadRun(store, runId);
  const graph = await definitions.mustFind(workflow, version);
  return nodesOf(await readHistory(store, runId), graph, await drawnNodes(store, graph));
}

/** The nodes of a definition as its author knows them. */
export async function drawnNodes(store: Store, graph: Graph): Promise<ReadonlySet<string>> {
  const row = await store.findDefinition(graph.id, graph.version);
  const { nodes }: Pick<WorkflowDefinition, 'nodes'> = row ? readDefinition(row) : { nodes: [] }; // a run's definition stays
  const ids = new Set([...nodes.map(({ id }) => id), ...graph.nodes.keys()]);
  const { hiddenNode, madeNodes } = graph.policy;
  for (const id of [hiddenNode, ...madeNodes]) if (id !== null) ids.delete(id);
  return ids;
}
