// Graph: a definition that passed every check, compiled and indexed for planning. Made once per definition version
// and process, shared by all its runs, never altered.
//
// Always true: every `to` names a node; every expression is compiled; tiers are in ascending priority and keep
// definition order inside; joins are shared by all inbound transitions that agree on them.

import type { Json } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { Problem } from '../base/problem.ts';
import type { Expression } from '../expression/expression.ts';
import type { MergeStrategy } from './definition.ts';
import type { Limits } from './limits.ts';

export interface Graph {
  readonly id: string;
  readonly version: number;
  /** Content hash of the definition without `version` and `meta`. */
  readonly hash: string;
  readonly initialNode: GraphNode;
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
  readonly inputSchema: SchemaCheck | null;
  /** Without the schema's own `required`: it is asked about the keys that are written, one at a time. */
  readonly stateSchema: SchemaCheck | null;
  readonly outputSchema: SchemaCheck | null;
  readonly outputMapping: Mapping | null;
}

/** A compiled JSON Schema: what is wrong with a value, an empty list if nothing. Pointers are into the value. */
export type SchemaCheck = (value: Json) => readonly Problem[];

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
}

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
  | { readonly type: 'wait'; readonly kind: 'seconds' | 'until'; readonly value: number | Expression };

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
  readonly merge: Merge | null;
}

export type JoinStrategy =
  | { readonly type: 'any' }
  | { readonly type: 'all' }
  | { readonly type: 'mOfN'; readonly count: number | Expression };

export interface Merge {
  readonly source: Expression;
  readonly target: string;
  readonly path: Path;
  readonly strategy: MergeStrategy;
}

/**
 * What edge joins (rules EJ…) need to know. Nodes that lie on a common cycle form one region; regions have no cycle
 * among them, so "can this edge still be taken?" is counting.
 */
export interface EdgeGraph {
  /** Region of each node. */
  readonly regionOf: ReadonlyMap<string, number>;
  /** Nodes of each region. */
  readonly nodesOf: readonly (readonly string[])[];
  /** Regions that a region leads to, without itself, without repeats, ascending. */
  readonly next: readonly (readonly number[])[];
  /** Regions from which a region is entered, likewise. */
  readonly previous: readonly (readonly number[])[];
  /** Nodes that are edge joins. */
  readonly joins: ReadonlyMap<string, EdgeJoin>;
  /** All regions that can be reached from a node's own, itself included. */
  reachableFrom(nodeId: string): ReadonlySet<number>;
}

export interface EdgeJoin {
  readonly node: string;
  readonly require: 'some' | 'all';
  /** All inbound transitions, in definition order. */
  readonly inbound: readonly Transition[];
}
