// Dataflow view: what a run of a dataflow graph has come to, in the words of that dialect. Pure functions of what each
// node put out or failed with; statuses, skipped nodes, reasons and blockers are stored nowhere. Rules DA29 to DA34.

import type { Json } from '../../base/json.ts';
import type { Problem } from '../../base/problem.ts';
import type { RunOutcome } from '../../core/state.ts';

export type DataflowStatus = 'submitted' | 'executing' | 'completed' | 'error' | 'exhausted';

/** What stays the same during a run: the nodes, each after all that it takes from, and which those are. */
export interface DataflowOrder {
  readonly orderedNodeIds: readonly string[];
  readonly upstreams: ReadonlyMap<string, readonly string[]>;
}

/** What changes during a run. A node is in at most one of executed, skipped and errors. */
export interface DataflowTracking {
  readonly nodeOutputs: Readonly<Record<string, Json>>;
  readonly executedNodes: readonly string[];
  readonly skippedNodes: readonly string[];
  readonly nodeErrors: Readonly<Record<string, string>>;
}

export type DataflowNodeReport =
  | { readonly nodeId: string; readonly status: 'idle' | 'executing' }
  | { readonly nodeId: string; readonly status: 'completed'; readonly outputs: Json }
  | FailedNode
  | SkippedNode;

export interface FailedNode {
  readonly nodeId: string;
  readonly status: 'failed';
  /** The message alone. */
  readonly error: string;
  readonly failure: { readonly kind: 'execution_error'; readonly message: string };
  readonly outputs: null;
}

export interface SkippedNode {
  readonly nodeId: string;
  readonly status: 'skipped';
  /** The only one there is. */
  readonly skipReason: 'upstream_failure';
  /** The nodes that it takes from and that failed or were skipped. */
  readonly blockedBy: readonly string[];
  readonly outputs: null;
}

/** The nodes that each node takes from, without repeats, in the order of the edges. */
export function listUpstreams(
  edges: readonly { readonly source: string; readonly target: string }[],
): ReadonlyMap<string, readonly string[]> {
  const upstreams = new Map<string, Set<string>>();
  for (const { source, target } of edges) {
    const sources = upstreams.get(target) ?? new Set();
    upstreams.set(target, sources.add(source));
  }
  return new Map([...upstreams].map(([id, sources]) => [id, [...sources]]));
}

/** DA29: executed and skipped nodes are listed in topological order, whatever the order in which they ended. */
export function trackNodes(
  order: DataflowOrder,
  { outputs, errors }: { outputs: Readonly<Record<string, Json>>; errors: Readonly<Record<string, string>> },
): DataflowTracking {
  const nodeOutputs: Record<string, Json> = {};
  const nodeErrors: Record<string, string> = {};
  const executedNodes: string[] = [];
  const blocked = new Set<string>();
  for (const id of order.orderedNodeIds) {
    const output = Object.hasOwn(outputs, id) ? outputs[id] : undefined;
    const error = Object.hasOwn(errors, id) ? errors[id] : undefined;
    if (output !== undefined) {
      nodeOutputs[id] = output;
      executedNodes.push(id);
    } else if (error !== undefined) {
      nodeErrors[id] = error;
      blocked.add(id);
    } else if (isBlocked(order, id, (upstream) => blocked.has(upstream))) blocked.add(id);
  }
  const skippedNodes = [...blocked].filter((id) => !Object.hasOwn(nodeErrors, id));
  return { nodeOutputs, executedNodes, skippedNodes, nodeErrors };
}

/** DA30: a node is skipped as soon as one node that it takes from has failed or was skipped, and for no other reason. */
function isBlocked({ upstreams }: DataflowOrder, id: string, hasNotRun: (upstream: string) => boolean): boolean {
  return (upstreams.get(id) ?? []).some(hasNotRun);
}

/** Whether a node must not run: it has failed or was skipped already, or one that it takes from has. */
export function shouldSkipNode(order: DataflowOrder, tracking: DataflowTracking, nodeId: string): boolean {
  const hasNotRun = failedOrSkipped(tracking);
  return hasNotRun(nodeId) || isBlocked(order, nodeId, hasNotRun);
}

function failedOrSkipped({ skippedNodes, nodeErrors }: DataflowTracking): (id: string) => boolean {
  const skipped = new Set(skippedNodes);
  return (id) => skipped.has(id) || Object.hasOwn(nodeErrors, id);
}

/** DA31: a graph executes until every node has run, failed or was skipped; then it has completed if all have run. */
export function trackedStatus(
  orderedNodeIds: readonly string[],
  tracking: DataflowTracking,
): 'executing' | 'completed' | 'error' {
  const executed = new Set(tracking.executedNodes);
  const hasNotRun = failedOrSkipped(tracking);
  if (!orderedNodeIds.every((id) => executed.has(id) || hasNotRun(id))) return 'executing';
  const isClean = tracking.skippedNodes.length === 0 && Object.keys(tracking.nodeErrors).length === 0;
  return isClean ? 'completed' : 'error';
}

/** How far a run is, beside its nodes. */
export interface DataflowProgress {
  /** It waits for credits, or has not been started. */
  readonly isSubmitted: boolean;
  readonly outcome: RunOutcome | null;
}

/** DA32: a run that ended otherwise than by its nodes (cancelled, out of time, beyond a limit) is in error too. */
export function dataflowStatus(
  { isSubmitted, outcome }: DataflowProgress,
  orderedNodeIds: readonly string[],
  tracking: DataflowTracking,
): DataflowStatus {
  if (outcome === 'exhausted') return 'exhausted';
  if (outcome !== null && outcome !== 'completed') return 'error';
  return isSubmitted ? 'submitted' : trackedStatus(orderedNodeIds, tracking);
}

/** DA33: executed counts before failed, failed before skipped; a node in no list executes while the run does. */
export function reportNodes(
  order: DataflowOrder,
  tracking: DataflowTracking,
  status: DataflowStatus,
): DataflowNodeReport[] {
  const executed = new Set(tracking.executedNodes);
  const hasNotRun = failedOrSkipped(tracking);
  const { nodeOutputs, nodeErrors } = tracking;
  return order.orderedNodeIds.map((nodeId): DataflowNodeReport => {
    if (executed.has(nodeId)) return { nodeId, status: 'completed', outputs: nodeOutputs[nodeId] ?? {} };
    const error = Object.hasOwn(nodeErrors, nodeId) ? nodeErrors[nodeId] : undefined;
    if (error !== undefined) return failedNode(nodeId, error);
    if (hasNotRun(nodeId)) return skippedNode(nodeId, order, hasNotRun);
    return { nodeId, status: status === 'executing' ? 'executing' : 'idle' };
  });
}

// DA45: a failed node carries its error as an object with a kind and a message, and the message as a text.
export function failedNode(nodeId: string, message: string): FailedNode {
  const failure = { kind: 'execution_error', message } as const;
  return { nodeId, status: 'failed', error: message, failure, outputs: null };
}

export function skippedNode(
  nodeId: string,
  { upstreams }: DataflowOrder,
  hasNotRun: (id: string) => boolean,
): SkippedNode {
  const blockedBy = (upstreams.get(nodeId) ?? []).filter(hasNotRun);
  return { nodeId, status: 'skipped', skipReason: 'upstream_failure', blockedBy, outputs: null };
}

/** DA34: a graph that was refused is in error, and the error says everything that is wrong with it. */
export function refusedDataflow(problems: readonly Problem[]): { readonly status: 'error'; readonly error: string } {
  const messages = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return { status: 'error', error: `Workflow validation failed: ${messages.join(', ')}` };
}
