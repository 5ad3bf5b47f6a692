// Thread contexts: the tree of contexts in which the threads of a run are: the run itself, fan-outs and batches, sub-runs,
// and waits for people or events. Rule TH33.
//
// Always true: ids are unique in the whole tree of runs; a context stands after the one that it is in.

import type { JsonObject } from '../../base/json.ts';
import type { TokenId } from '../../core/events.ts';
import { writtenAt } from '../../core/planning/join-merge.ts';
import { mergeContributions } from '../../core/planning/merge.ts';
import type { Branch, Group, RunState, Token } from '../../core/state.ts';
import type { Edit, Graph, GraphNode } from '../../definition/graph.ts';
import type { Limits } from '../../definition/limits.ts';

export type ExecutionContext = RunContext | GroupContext | SubworkflowContext | SuspensionContext;

interface ContextBase {
  readonly contextId: string;
  /** Null for the root of the tree of runs. */
  readonly parentId: string | null;
  /** What is outstanding in it: threads and contexts, or branches. */
  readonly pendingCount: number;
  readonly status: ContextStatus;
  /** How what comes out of it reaches the context around it. */
  readonly mergeStrategy: string;
}

export type ContextStatus = 'running' | 'waiting' | 'suspended' | 'complete';

export interface RunContext extends ContextBase {
  readonly kind: 'workflow';
  readonly connectors: readonly { readonly from: string; readonly to: string }[];
  readonly limits: RunLimits;
  readonly inputQueue: readonly QueuedInput[];
}

const runLimits = [
  'nodesPerRunMax',
  'tokensAliveMax',
  'branchesPerFanOutMax',
  'branchDepthMax',
  'nestingMax',
  'descendantsMax',
] as const;

/** Those that bound the run itself. */
export type RunLimits = Pick<Limits, (typeof runLimits)[number]>;

/** A prompt of any run of the tree. */
export interface QueuedInput {
  readonly runId: string;
  readonly thread: TokenId;
  readonly correlationId: string;
  /** The first alone is asked. */
  readonly isActive: boolean;
}

export interface GroupContext extends ContextBase {
  readonly kind: 'group';
  /** The fan-out or batch that opened it, and the thread that did. */
  readonly node: string;
  readonly ownerThread: TokenId;
  readonly expectedCount: number;
  /** Branches at the fan-in; slices that are done. */
  readonly arrivedCount: number;
  /** What those that have come so far are merged to. */
  readonly mergedContext: JsonObject;
  /** Of a batch: where slices go, and where it continues. */
  readonly processNode?: string;
  readonly continueNode?: string | null;
  /** Of a batch: slices that have not begun. */
  readonly pendingSlices?: readonly Slice[];
}

/** Items from `start` up to, and without, `end`. */
export interface Slice {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

export interface SubworkflowContext extends ContextBase {
  readonly kind: 'subworkflow';
  readonly childRunId: string;
  readonly parentThread: TokenId;
  /** The keys of the child's input, and the paths to which its result is written; `*` for the whole context. */
  readonly mappings: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  /** The node that is entered when it is done. */
  readonly continuation: string | null;
}

export interface SuspensionContext extends ContextBase {
  readonly kind: 'suspension';
  /** `input`, or the name of the event. */
  readonly awaits: string;
  readonly correlationId: string;
  readonly thread: TokenId;
  /** False: it waits for its turn to ask. */
  readonly isActive: boolean;
}

/** TH33: every context with what encloses it, what is outstanding in it, how it stands, and how it is merged. */
export function listContexts(state: RunState, graph: Graph): ExecutionContext[] {
  if (!state.run) return [];
  const tree: Tree = { state, graph, classes: classifyGroups(state) };
  const tokens = [...state.tokens.values()].toSorted((a, b) => a.id - b.id);
  return [
    workflowContext(tree),
    ...[...state.groups.values()].map((group) => groupContext(tree, group)),
    ...tokens.filter(({ childRunId }) => childRunId !== null).map((token) => subworkflowContext(tree, token)),
    ...tokens.filter(isSuspended).map((token) => suspensionContext(tree, token)),
  ];
}

/** The context that the threads of a branch are in. */
export function contextIdOf(state: RunState, { group }: Branch): string {
  return group ? inRun(state, 'group', group.id) : runIdOf(state);
}

interface Tree {
  readonly state: RunState;
  readonly graph: Graph;
  /** By group; null for the run. */
  readonly classes: ReadonlyMap<Group | null, ContextStatus>;
}

const runIdOf = (state: RunState): string => state.run?.runId ?? '';
const inRun = (state: RunState, kind: string, id: number): string => `${runIdOf(state)}/${kind}/${id}`;

function workflowContext({ state, graph, classes }: Tree): RunContext {
  const parent = state.run?.parent;
  return {
    contextId: runIdOf(state),
    parentId: parent ? `${parent.runId}/subworkflow/${parent.token}` : null,
    kind: 'workflow',
    pendingCount: state.root.live,
    status: classes.get(null) ?? 'complete',
    // The last end makes the result.
    mergeStrategy: 'last_wins',
    connectors: graph.transitions.filter(({ isProbe }) => !isProbe).map(({ from, to }) => ({ from, to })),
    limits: Object.fromEntries(runLimits.map((name) => [name, graph.limits[name]])) as RunLimits, // all of its names
    inputQueue: queueOf(state),
  };
}

export function queueOf({ queue }: RunState): QueuedInput[] {
  return [...queue.values()].map(({ askingRunId, token, correlationId }, place) => ({
    runId: askingRunId,
    thread: token,
    correlationId,
    isActive: place === 0,
  }));
}

function groupContext({ state, graph, classes }: Tree, group: Group): GroupContext {
  const isBatch = group.batch !== null;
  return {
    contextId: inRun(state, 'group', group.id),
    parentId: contextIdOf(state, group.parent),
    kind: 'group',
    pendingCount: group.closed ? 0 : group.total - group.settled,
    status: group.closed ? 'complete' : (classes.get(group) ?? 'waiting'),
    mergeStrategy: strategyOf(graph, group),
    node: group.node,
    ownerThread: group.token,
    expectedCount: group.total,
    arrivedCount: isBatch ? group.settled : group.arrived,
    mergedContext: mergeArrivals(group),
    ...(isBatch && describeBatch(graph, group)),
  };
}

/** What the branches that have come so far are merged to. */
function mergeArrivals({ batch, branches }: Group): JsonObject {
  const come = branches.filter(({ arrival, settled, failed }) =>
    batch === null ? arrival !== null : settled && !failed,
  );
  const contributions = come.flatMap((branch) => {
    const value = writtenAt(branch, 'state.output');
    return value === undefined ? [] : [{ index: branch.index, value }];
  });
  return contributions.length === 0 ? {} : { output: mergeContributions('output_merge', contributions) };
}

function strategyOf(graph: Graph, { batch, node, join, homeJoin }: Group): string {
  if (batch === null) {
    const joined = graph.joins.get(join ?? homeJoin ?? '');
    return joined ? (joined.merges[0]?.strategy ?? 'none') : graph.policy.unjoinedBranches;
  }
  const work = graph.nodes.get(node)?.work;
  return work?.type === 'batch' ? (work.merge?.strategy ?? 'none') : 'none';
}

function describeBatch(
  graph: Graph,
  group: Group,
): Pick<GroupContext, 'processNode' | 'continueNode' | 'pendingSlices'> {
  const [spawn] = group.spawns;
  const size = spawn?.slices?.size ?? 0;
  const totalItems = spawn?.items?.length ?? 0;
  const first = spawn?.spawned ?? 0;
  return {
    processNode: spawn?.node ?? '',
    continueNode: nextOf(graph.nodes.get(group.node)),
    pendingSlices: Array.from({ length: group.total - first }, (_, offset) => {
      const index = first + offset;
      return { index, start: index * size, end: Math.min((index + 1) * size, totalItems) };
    }),
  };
}

const nextOf = (node: GraphNode | undefined): string | null => node?.onSuccess[0]?.transitions[0]?.to ?? null;

function subworkflowContext({ state, graph }: Tree, token: Token): SubworkflowContext {
  const node = graph.nodes.get(token.node);
  return {
    contextId: inRun(state, 'subworkflow', token.id),
    parentId: contextIdOf(state, token.branch),
    kind: 'subworkflow',
    pendingCount: 1,
    status: token.childSuspended ? 'suspended' : 'waiting',
    mergeStrategy: node?.edits?.some(({ type }) => type === 'merge') ? 'merge' : 'mapping',
    childRunId: token.childRunId ?? '',
    parentThread: token.id,
    mappings: { inputs: targetsOf(node?.inputEdits), outputs: targetsOf(node?.edits) },
    continuation: nextOf(node),
  };
}

const targetsOf = (edits: readonly Edit[] | null | undefined): string[] =>
  (edits ?? []).map((edit) => (edit.type === 'merge' ? '*' : edit.path.join('.')));

const isSuspended = ({ status }: Token): boolean => status === 'waiting_for_input' || status === 'waiting_for_event';

function suspensionContext({ state, graph }: Tree, token: Token): SuspensionContext {
  const work = graph.nodes.get(token.node)?.work;
  return {
    contextId: inRun(state, 'suspension', token.id),
    parentId: contextIdOf(state, token.branch),
    kind: 'suspension',
    pendingCount: 1,
    status: 'suspended',
    mergeStrategy: 'merge',
    awaits: work?.type === 'event' ? work.event : 'input',
    correlationId: token.correlationId ?? '',
    thread: token.id,
    isActive: token.asked || token.status === 'waiting_for_event',
  };
}

/** The activity in each group and in the run, at any depth: the liveliest of its threads counts. */
function classifyGroups({ tokens }: RunState): Map<Group | null, ContextStatus> {
  const classes = new Map<Group | null, ContextStatus>();
  for (const token of tokens.values()) {
    const found = classify(token);
    if (found === null) continue;
    for (let { group }: Branch = token.branch; ; { group } = group.parent) {
      const known = classes.get(group);
      if (known === undefined || liveliness[found] > liveliness[known]) classes.set(group, found);
      if (group === null) break;
    }
  }
  return classes;
}

const liveliness: Readonly<Record<ContextStatus, number>> = { complete: 0, suspended: 1, waiting: 2, running: 3 };

/** Null: it follows what others do. */
function classify({ status, childSuspended }: Token): ContextStatus | null {
  switch (status) {
    case 'ready':
    case 'dispatched':
      return 'running';
    case 'retrying':
    case 'waiting_for_timer':
    case 'waiting_for_credits':
    case 'waiting_for_action':
      return 'waiting';
    case 'waiting_for_subworkflow':
      return childSuspended ? 'suspended' : 'waiting';
    case 'waiting_for_input':
    case 'waiting_for_event':
      return 'suspended';
    case 'waiting_for_siblings':
    case 'waiting_for_edges':
    case 'waiting_for_batch':
      return null;
  }
}
