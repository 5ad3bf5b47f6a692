// Graph: a definition that passed every check, compiled and indexed for planning. Made once per definition version
// and process, shared by all its runs, never altered.
//
// Always true: every `to` names a node; every expression is compiled; tiers are in ascending priority and keep
// definition order inside; joins are shared by all inbound transitions that agree on them.

import type { Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import type { Expression, Meter } from '../expression/expression.ts';
import type { EventsSince, JsonSchema, MergeExisting, MergeInclude, MergeStrategy } from './definition.ts';
import type { Limits } from './limits.ts';

export interface Graph {
  readonly id: string;
  readonly version: number;
  /** Content hash of the definition without `version` and `meta`. */
  readonly hash: string;
  /** Where a run begins: one, but for drawn graphs. */
  readonly initialNodes: readonly GraphNode[];
  readonly nodes: ReadonlyMap<string, GraphNode>;
  /** In definition order. */
  readonly transitions: readonly Transition[];
  readonly transitionsById: ReadonlyMap<string, Transition>;
  /** By `Join.id`. */
  readonly joins: ReadonlyMap<string, Join>;
  /** Null where no transition has `over: edges`. */
  readonly edges: EdgeGraph | null;
  readonly timeoutMs: number | null;
  /** The engine's limits, lowered by those of the definition. */
  readonly limits: Limits;
  /** Those that the definition itself has lowered. */
  readonly ownLimits: ReadonlySet<string>;
  readonly inputSchema: SchemaCheck | null;
  /** Without the schema's own `required`: it is asked about the keys that are written, one at a time. */
  readonly stateSchema: SchemaCheck | null;
  readonly outputSchema: SchemaCheck | null;
  readonly outputMapping: Mapping | null;
  /** Where the whole output is, for dialects that have no mapping. */
  readonly output: Source | null;
  /** What is shown of a run. Nothing that a run does depends on it. */
  readonly summary: Expression | null;
  readonly policy: Policy;
}

/** The few points on which ways of drawing differ. Set by the compilers of dialects; authors cannot. */
export interface Policy {
  readonly dialect: Dialect;
  /** A failure that no transition handles: fails the branch or run, or is recorded and what comes after is skipped. */
  readonly unhandledFailure: 'fail' | 'record';
  /** A node whose action nobody has: it waits for the action, or fails. */
  readonly unknownAction: 'wait' | 'fail';
  /** No transition matches: the run fails, or the path ends. */
  readonly noMatch: 'fail' | 'end';
  /** What branches that no join took have written: dropped, or kept of the one that finished last. */
  readonly unjoinedBranches: 'discard' | 'last_wins';
  /** A token at a join that is in no group of it: passes straight through, or fails. */
  readonly joinOutsideGroup: 'pass' | 'fail';
  /** Tasks are handed out one at a time, and a wait holds them all. */
  readonly oneAtATime: boolean;
  /** The most nodes that a run may execute; null: only the engine's limits count. */
  readonly tasksMax: number | null;
  /** Results are contexts in which `_branch`, `_wait` and `_waitUntil` steer the engine. */
  readonly controlKeys: boolean;
  /** Results may say by `_branch` which handles are taken; without it all are. */
  readonly namesHandles: boolean;
  /** A loop at its limit whose condition holds: it is passed over, or the path fails. */
  readonly exhaustedLoop: 'pass' | 'fail';
  /** The output of every node is kept and can be read as `nodes`. */
  readonly keepsOutputs: boolean;
  readonly inputPolicy: 'open' | 'serial';
  /** Credits are reserved for all nodes at the start, or node by node. */
  readonly charge: 'run' | 'node';
  /** A node that the compiler made, of which users see nothing. */
  readonly hiddenNode: string | null;
  /** Nodes that nobody drew, which do the work of one that was drawn. */
  readonly madeNodes: readonly string[];
}

export type Dialect = 'token' | 'dataflow' | 'thread' | 'handle';

export const tokenPolicy: Policy = {
  dialect: 'token',
  unhandledFailure: 'fail',
  unknownAction: 'wait',
  noMatch: 'fail',
  unjoinedBranches: 'discard',
  joinOutsideGroup: 'pass',
  oneAtATime: false,
  tasksMax: null,
  controlKeys: false,
  namesHandles: false,
  exhaustedLoop: 'pass',
  keepsOutputs: false,
  inputPolicy: 'open',
  charge: 'node',
  hiddenNode: null,
  madeNodes: [],
};

/**
 * A compiled JSON Schema: what is wrong with a value, an empty list if nothing. Pointers are into the value. `meter`: the
 * steps that this check shares with others.
 */
export type SchemaCheck = (value: Json, meter?: Meter) => readonly Problem[];

export type Mapping = readonly MappingEntry[];

export interface MappingEntry {
  /** As written, for events and messages: `state.score`. */
  readonly target: string;
  /** For output mappings and merges the first key is the section, `state` or `output`. */
  readonly path: Path;
  readonly expression: Expression;
}

export interface GraphNode {
  readonly id: string;
  readonly work: NodeWork;
  readonly inputMapping: Mapping | null;
  readonly outputMapping: Mapping | null;
  readonly retry: RetryPolicy | null;
  readonly timeoutMs: number | null;
  /** Outgoing transitions that a success (a failure) makes eligible, as tiers. */
  readonly onSuccess: readonly Tier[];
  readonly onFailure: readonly Tier[];
  /** Where the slices of a batch go. */
  readonly onSlice: readonly Transition[];
  /** What is shown of its newest visit. Nothing that a run does depends on it. */
  readonly summary: Expression | null;
  /** Credits that one execution costs. */
  readonly cost: number;
  /** In place of the mappings: what its work is given, what it writes, and what it makes of the run's output. */
  readonly inputEdits: readonly Edit[] | null;
  readonly edits: readonly Edit[] | null;
  readonly resultEdits: readonly Edit[] | null;
}

/** One change to an object: the thread's context, an input, an output. They are made in order, each sees those before. */
export type Edit =
  | { readonly type: 'set'; readonly path: Path; readonly source: Source; readonly isRequired: boolean }
  /** Every key of an object is written, objects key by key. */
  | { readonly type: 'merge'; readonly source: Source }
  | { readonly type: 'delete'; readonly path: Path };

/** Where a value comes from. */
export type Source =
  | { readonly type: 'literal'; readonly value: Json }
  /** The first key is a name in scope: `nodes`, `context`, `result`, `input` … */
  | { readonly type: 'path'; readonly path: Path }
  | { readonly type: 'expression'; readonly expression: Expression }
  /** The first that is there. */
  | { readonly type: 'first'; readonly of: readonly Source[] }
  /** A list of those that are there. */
  | { readonly type: 'list'; readonly of: readonly Source[] };

export type NodeWork =
  | { readonly type: 'pass' }
  | { readonly type: 'action'; readonly name: string; readonly version: number | null }
  | {
      readonly type: 'workflow';
      readonly id: string;
      readonly version: number | null;
      readonly onFailure: 'propagate' | 'catch';
      readonly timeoutMs: number | null;
      readonly inheritArtifacts: boolean;
    }
  | { readonly type: 'wait'; readonly kind: 'seconds' | 'until'; readonly value: number | Expression }
  | EventWork
  | InputWork
  | BatchWork;

export interface EventWork {
  readonly type: 'event';
  readonly event: string;
  readonly correlation: Expression | null;
  readonly timeoutMs: number | null;
  readonly since: EventsSince;
  readonly once: boolean;
}

export interface InputWork {
  readonly type: 'input';
  readonly title: string | Expression | null;
  readonly description: string | Expression | null;
  /** As its author wrote it, for display. */
  readonly schema: JsonSchema | null;
  readonly check: SchemaCheck | null;
  readonly deadlineMs: number | null;
}

export interface BatchWork {
  readonly type: 'batch';
  /** Where the slice is seen, as written: `state.papers`. The first key is the section. */
  readonly items: string;
  /** What gives the list; null: it is at the path. */
  readonly collection: Expression | null;
  /** The name of the item, where a slice has one. */
  readonly itemVar: string | null;
  /** As its author calls it, in messages. */
  readonly label: string;
  readonly path: Path;
  /** 0: one slice with all items. */
  readonly batchSize: number;
  readonly parallelBatches: number;
  readonly merge: Merge | null;
  /** Of its slices. */
  readonly tolerateFailures: boolean;
  readonly maxFailures: number | null;
}

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly backoff: 'none' | 'linear' | 'exponential';
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitter: number;
  /** Null: every error is tried again unless the action said that it must not be. */
  readonly retryableErrors: readonly string[] | null;
}

export interface Tier {
  readonly priority: number;
  readonly transitions: readonly Transition[];
}

export interface Transition {
  /** The author's, or `from->to` (with `#2`, `#3` … where that is taken). */
  readonly id: string;
  /** Position in the definition. */
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly priority: number;
  readonly condition: Expression | null;
  readonly spawn: Spawn;
  /** The group that firing this transition opens; null if its tokens stay in the branch they come from. */
  readonly opens: GroupOpening | null;
  readonly loop: Loop | null;
  /** The sibling join at which its tokens arrive. */
  readonly join: Join | null;
  /** Nobody drew it: it is never taken. */
  readonly isProbe: boolean;
  /** True for `over: edges`: its tokens settle an edge of `Graph.edges`. */
  readonly overEdges: boolean;
}

export type Spawn =
  | { readonly type: 'one' }
  | { readonly type: 'count'; readonly count: number }
  | {
      readonly type: 'foreach';
      readonly collection: Expression;
      readonly itemVar: string | null;
      readonly maxParallel: number | null;
    };

export interface GroupOpening {
  /** The author's name, or the id of the node that fans out. */
  readonly name: string;
  readonly tolerateFailures: boolean;
  /** Null: any number, where failures are tolerated at all. */
  readonly maxFailures: number | null;
  /** The join that acts when no branch can arrive. */
  readonly homeJoin: Join | null;
  /** Its branches can reach no other one. */
  readonly isOnlyJoin: boolean;
}

export interface Loop {
  readonly maxIterations: number;
  /** Ids of the loop transitions inside the natural loop of this one; taking this one sets their counts to 0. */
  readonly resets: readonly string[];
}

/** Where siblings come together: one per (target node, group name). */
export interface Join {
  /** `node` or `node/group`: unique in the graph. */
  readonly id: string;
  readonly node: string;
  /** Null: the innermost group of whoever arrives. */
  readonly group: string | null;
  readonly strategy: JoinStrategy;
  /** Null for none; 0 in the definition means none too. */
  readonly timeoutMs: number | null;
  readonly onTimeout: 'fail' | 'proceed_with_available';
  readonly onEarlyComplete: 'cancel' | 'abandon';
  /** In the order in which they are made. */
  readonly merges: readonly Merge[];
}

export type JoinStrategy =
  | { readonly type: 'any' }
  | { readonly type: 'all' }
  | { readonly type: 'mOfN'; readonly count: number | Expression };

/** How the values of branches, or of the slices of a batch, become one. */
export interface Merge {
  /** Null: how each branch settled, as `{index, status, output, error}`. */
  readonly source: Expression | null;
  /** Null, of a batch: the merged value is only the node's result. */
  readonly target: string | null;
  readonly strategy: MergeStrategy;
  readonly existing: MergeExisting;
  readonly include: MergeInclude;
}

/** What edge joins (rules EJ…) need to know. */
export interface EdgeGraph {
  /** Nodes that are edge joins. */
  readonly joins: ReadonlyMap<string, EdgeJoin>;
  /** What the tokens of a branch can come to. The same origin gives the same object. */
  graphOf(origin: BranchOrigin): BranchGraph;
}

export interface EdgeJoin {
  readonly node: string;
  readonly require: 'some' | 'all';
  /** All inbound transitions, in definition order. */
  readonly inbound: readonly Transition[];
}

/** Where a branch begins, and the group whose join its tokens leave it by; null if no join takes them. */
export interface BranchOrigin {
  readonly starts: readonly string[];
  readonly group: string | null;
}

/**
 * The nodes and fan-outs that the tokens of one branch can come to. Those on a common cycle form one region, unless the
 * cycle goes back to an edge join; regions have no cycle among them, so "can this edge still be taken?" is counting.
 */
export interface BranchGraph {
  /** Region of each node, by its id, and of each fan-out, by its key (`fanOutKey`). */
  readonly regionOf: ReadonlyMap<string, number>;
  /** By number. A way between two of them leads to the lower number. */
  readonly regions: readonly Region[];
  readonly joins: readonly BranchJoin[];
  readonly loops: readonly BranchLoop[];
}

export interface Region {
  readonly number: number;
  /** Its nodes and fan-outs. */
  readonly members: readonly string[];
  /** The regions that it leads to, and those that lead to it, without itself, without repeats. */
  readonly next: readonly number[];
  readonly previous: readonly number[];
  /** Without ways back an edge join lies on no cycle: it is alone in its region. */
  readonly join: BranchJoin | null;
  /** It has no members: it lives as long as the loop may go on, and all that leads out of the loop leaves it. */
  readonly loop: BranchLoop | null;
  /** The edges of edge joins that leave it. */
  readonly edges: readonly { readonly id: string; readonly join: BranchJoin }[];
}

/** A loop that goes back to an edge join. */
export interface BranchLoop {
  /** That stands for the loop. */
  readonly region: number;
  /** Where it begins, and where ways back lead to. */
  readonly header: BranchJoin;
  /** Regions in it, with those that stand for loops inside it. */
  readonly regions: readonly number[];
  /** Edge joins in it, without its header. */
  readonly joins: readonly BranchJoin[];
  /** Ids of the transitions that lead back inside it. */
  readonly innerBack: readonly string[];
}

/** Its `inbound` edges are those that do not lead back. */
export interface BranchJoin extends EdgeJoin {
  /** Its position among the joins of the branch graph. */
  readonly index: number;
  readonly region: number;
  /** The edges that can be taken in such a branch, by id, with the region that they leave. */
  readonly sources: ReadonlyMap<string, number>;
  /** Ids of the transitions that lead back to it. */
  readonly back: readonly string[];
}
