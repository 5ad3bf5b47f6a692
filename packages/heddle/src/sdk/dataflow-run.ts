// Dataflow run: a run as the dataflow dialect reports it: what stays the same, what each node came to, and the news.

import { readDefinition } from '../actor/definitions.ts';
import { copyJson } from '../base/copy-json.ts';
import type { Json } from '../base/json.ts';
import type { Dialect } from '../definition/graph.ts';
import type { NormalDataflow } from '../dialects/dataflow/normal.ts';
import {
  type DataflowNodeReport,
  type DataflowProgress,
  type DataflowStatus,
  type DataflowTracking,
  dataflowStatus,
  reportNodes,
  trackNodes,
  upstreamsOf,
} from '../dialects/dataflow/report.ts';
import { type DataflowUpdate, DataflowUpdates } from '../dialects/dataflow/updates.ts';
import type { Host } from './host.ts';
import type { Run } from './run.ts';
import { wrongDialect } from './wrong-dialect.ts';

export interface DataflowReport extends DataflowTracking {
  readonly status: DataflowStatus;
  /** In topological order. */
  readonly nodes: readonly DataflowNodeReport[];
  readonly context: DataflowContext;
}

/** What is settled when a run starts and never changes. */
export interface DataflowContext {
  readonly workflow: NormalDataflow;
  readonly orderedNodeIds: readonly string[];
  readonly workflowId: string;
  readonly organizationId: string | null;
  readonly executionId: string;
}

interface Reading extends DataflowProgress {
  readonly outputs: Readonly<Record<string, Json>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly dialect: Dialect;
  readonly version: number;
  readonly context: Omit<DataflowContext, 'workflow'>;
}

/** The report as of now. */
export async function readDataflow(host: Host, runId: string): Promise<DataflowReport> {
  const { dialect, context: settled, version, outputs, errors, ...progress } = await readRun(host, runId);
  // DA41: only a run of a dataflow graph has a dataflow report.
  if (dialect !== 'dataflow') throw wrongDialect(runId, { expected: 'dataflow', found: dialect });
  const row = await host.store.findDefinition(settled.workflowId, version);
  const workflow = (row ? readDefinition(row) : {}) as NormalDataflow; // a run's definition stays
  const context = { workflow, ...settled };
  const order = orderOf(context);
  const tracking = trackNodes(order, { outputs, errors });
  const status = dataflowStatus(progress, order.orderedNodeIds, tracking);
  const report = { status, ...tracking, nodes: reportNodes(order, tracking, status), context };
  return copyJson(report as unknown as Json) as unknown as DataflowReport; // plain data
}

function readRun({ inbox }: Host, runId: string): Promise<Reading> {
  return inbox.read(runId, (state, { id, version, nodes, policy }) => ({
    outcome: state.outcome,
    isSubmitted: state.run === null || state.credits.awaited,
    outputs: { ...state.outputs },
    errors: { ...state.errors },
    dialect: policy.dialect,
    version,
    context: {
      // DA42: the node with which a run begins that has several beginnings is not shown.
      orderedNodeIds: [...nodes.keys()].filter((nodeId) => nodeId !== policy.hiddenNode),
      workflowId: id,
      organizationId: state.run?.organization ?? null,
      executionId: runId,
    },
  }));
}

function orderOf({ orderedNodeIds, workflow }: DataflowContext) {
  return { orderedNodeIds, upstreams: upstreamsOf(workflow.edges ?? []) };
}

const stepPrefix = 'run node ';

/** DA43: what a node came to is found by the name of its step, `run node <id>`. */
export function dataflowStep(report: DataflowReport, name: string): DataflowNodeReport | undefined {
  const id = stepNodeId(name);
  return report.nodes.find(({ nodeId }) => nodeId === id);
}

/** The node of a step; null if the name is not one of a step. */
export function stepNodeId(name: string): string | null {
  return name.startsWith(stepPrefix) ? name.slice(stepPrefix.length) : null;
}

/** The news of a run from its beginning, until it has ended. */
export async function* dataflowUpdates(run: Run): AsyncIterableIterator<DataflowUpdate> {
  const { context } = await run.dataflow();
  const updates = new DataflowUpdates(orderOf(context));
  for await (const event of run.events()) yield* updates.add(event);
}
