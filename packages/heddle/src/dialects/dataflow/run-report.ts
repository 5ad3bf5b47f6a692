// Run report: a run as the dataflow dialect reports it: what stays the same, and what each node came to.

import { copyJson } from '../../base/copy-json.ts';
import type { Json } from '../../base/json.ts';
import type { RunState } from '../../core/state.ts';
import type { Graph } from '../../definition/graph.ts';
import { wrongDialect } from '../dialect.ts';
import type { NormalDataflow } from './normal.ts';
import {
  type DataflowNodeReport,
  type DataflowOrder,
  type DataflowProgress,
  type DataflowStatus,
  type DataflowTracking,
  dataflowStatus,
  listUpstreams,
  reportNodes,
  trackNodes,
} from './report.ts';

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

/** What the report of a run needs of its state. */
export interface DataflowReading extends DataflowProgress {
  readonly version: number;
  readonly outputs: Readonly<Record<string, Json>>;
  readonly errors: Readonly<Record<string, string>>;
  readonly context: Omit<DataflowContext, 'workflow'>;
}

export function readDataflowState(state: RunState, { id, version, nodes, policy }: Graph): DataflowReading {
  // DA41: only a run of a dataflow graph has a dataflow report.
  if (policy.dialect !== 'dataflow') throw wrongDialect(state, { expected: 'dataflow', found: policy.dialect });
  return {
    version,
    outcome: state.outcome,
    isSubmitted: state.run === null || state.credits.awaited,
    outputs: { ...state.outputs },
    errors: { ...state.errors },
    context: {
      // DA42: the node with which a run begins that has several beginnings is not shown.
      orderedNodeIds: [...nodes.keys()].filter((nodeId) => nodeId !== policy.hiddenNode),
      workflowId: id,
      organizationId: state.run?.organization ?? null,
      executionId: state.run?.runId ?? '',
    },
  };
}

/** A copy: nothing of it changes with the run. */
export function reportDataflow(reading: DataflowReading, workflow: NormalDataflow): DataflowReport {
  const { outputs, errors } = reading;
  const context = { workflow, ...reading.context };
  const order = orderOf(context);
  const tracking = trackNodes(order, { outputs, errors });
  const status = dataflowStatus(reading, order.orderedNodeIds, tracking);
  const report = { status, ...tracking, nodes: reportNodes(order, tracking, status), context };
  return copyJson(report);
}

/** The nodes of a run in their order, with what each takes from. */
export function orderOf({ orderedNodeIds, workflow }: DataflowContext): DataflowOrder {
  return { orderedNodeIds, upstreams: listUpstreams(workflow.edges ?? []) };
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
