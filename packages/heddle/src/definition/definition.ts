// Definition: the native (token) workflow as its author writes it, after aliases are resolved. Plain JSON.
//
// What is legal beyond the shape stands in `parse.ts`; what it means stands in SPEC.md.

import type { Json, JsonObject } from '../base/json.ts';

export interface Definition {
  readonly id: string;
  readonly version?: number;
  readonly name?: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema;
  readonly stateSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly outputMapping?: MappingSource;
  readonly initialNode: string;
  readonly nodes: readonly NodeDefinition[];
  readonly transitions?: readonly TransitionDefinition[];
  /** What is shown of a run: an expression that reads `input`, `state` and `output`. */
  readonly summary?: string;
  readonly timeoutMs?: number;
  /** `open` (default): any number of prompts at once. `serial`: one at a time in the whole tree of runs. */
  readonly inputPolicy?: 'open' | 'serial';
  readonly limits?: Readonly<Record<string, number>>;
  readonly meta?: Json;
}

export type JsonSchema = boolean | JsonObject;

/** Keys are targets (`state.score`), values expressions (`result.score`). */
export type MappingSource = Readonly<Record<string, string>>;

export interface NodeDefinition {
  readonly id: string;
  readonly name?: string;
  readonly action?: string | { readonly name: string; readonly version?: number };
  readonly workflow?: string | WorkflowCall;
  readonly wait?: WaitDefinition;
  readonly input?: true | PromptDefinition;
  readonly batch?: BatchDefinition;
  readonly inputMapping?: MappingSource;
  readonly outputMapping?: MappingSource;
  readonly retry?: RetryDefinition;
  readonly timeoutMs?: number;
  readonly cost?: number;
  /** What is shown of its newest visit: an expression that reads `input`, `state` and `result`. */
  readonly summary?: string;
  readonly meta?: Json;
}

export interface WorkflowCall {
  readonly id: string;
  readonly version?: number;
  readonly onFailure?: 'propagate' | 'catch';
  readonly timeoutMs?: number;
  readonly inheritArtifacts?: boolean;
}

/** A number is a value, a string an expression. `until` gives milliseconds since 1970 or an ISO 8601 text. */
export type WaitDefinition =
  | { readonly seconds: number | string }
  | { readonly until: number | string }
  | EventWaitDefinition;

/** Waits for a published event of that name and, where given, of that key. */
export interface EventWaitDefinition {
  readonly event: string;
  /** An expression; its value as text must equal the event's key. Absent: events without a key. */
  readonly correlation?: string;
  /** The node fails after this many milliseconds. */
  readonly timeoutMs?: number;
  /** From when on events count: the start of the run (default), the beginning of the wait, or whenever they came. */
  readonly since?: EventsSince;
  /** True: the event is used up, and ends no other wait. */
  readonly once?: boolean;
}

export type EventsSince = 'start' | 'wait' | 'any';

/** A text as it is, or an expression that gives it. */
export type PromptText = string | { readonly expression: string };

export interface PromptDefinition {
  readonly title?: PromptText;
  /** What a person needs to know for an answer. */
  readonly description?: PromptText;
  /** What an answer must look like. */
  readonly schema?: JsonSchema;
  /** The node fails if no answer came after this many milliseconds. */
  readonly deadlineMs?: number;
}

export interface BatchDefinition {
  /** Where the list is: a path such as `state.papers`. In the process path it holds the slice. */
  readonly items: string;
  /** 0 (default): one slice with all items. */
  readonly batchSize?: number;
  /** Slices running at one time. Default: 1. */
  readonly parallelBatches?: number;
  readonly merge?: BatchMergeDefinition;
}

/** What the slices come to: the node's result and, with a target, also written there. */
export type BatchMergeDefinition = Omit<MergeDefinition, 'target'> & Partial<Pick<MergeDefinition, 'target'>>;

export interface RetryDefinition {
  readonly maxAttempts: number;
  readonly backoff?: 'none' | 'linear' | 'exponential';
  readonly initialDelayMs?: number;
  readonly maxDelayMs?: number;
  /** 0 … 1: the share of the delay that is left to chance. */
  readonly jitter?: number;
  readonly retryableErrors?: readonly string[];
}

export interface TransitionDefinition {
  readonly id?: string;
  readonly from: string;
  readonly to: string;
  readonly priority?: number;
  readonly condition?: string | boolean | JsonObject;
  readonly on?: 'success' | 'failure' | 'any' | 'slice';
  readonly spawnCount?: number;
  readonly foreach?: { readonly collection: string; readonly itemVar?: string; readonly maxParallel?: number };
  readonly siblingGroup?: string;
  readonly onBranchFailure?: 'fail' | 'end';
  readonly maxFailures?: number;
  /** The node of the join that acts when no branch can arrive, where several could (rule FO7). */
  readonly emptyJoin?: string;
  readonly loop?: { readonly maxIterations: number };
  readonly synchronization?: SynchronizationDefinition;
  readonly meta?: Json;
}

export type SynchronizationDefinition = SiblingSynchronization | EdgeSynchronization;

export interface SiblingSynchronization {
  readonly siblingGroup?: string;
  /** Default: `all`. */
  readonly strategy?: 'any' | 'all' | { readonly mOfN: number | string };
  readonly timeoutMs?: number;
  readonly onTimeout?: 'fail' | 'proceed_with_available';
  readonly onEarlyComplete?: 'cancel' | 'abandon';
  /** Several are made in order. An empty list says that nothing is to be merged. */
  readonly merge?: MergeDefinition | readonly MergeDefinition[];
}

export interface EdgeSynchronization {
  readonly over: 'edges';
  readonly require?: 'some' | 'all';
}

export interface MergeDefinition {
  /** Evaluated once per branch. Default: `_branch.output`, with `include: settled` `{index, status, output, error}`. */
  readonly source?: string;
  readonly target: string;
  readonly strategy: MergeStrategy;
  readonly existing?: MergeExisting;
  readonly include?: MergeInclude;
}

/**
 * What becomes of the value that the target holds. `replace` (default): it is replaced. `overlay` (default of
 * `output_merge`): objects are laid over it, other values replace it. `extend`: it comes before the first branch.
 */
export type MergeExisting = 'replace' | 'overlay' | 'extend';

/** Which branches contribute. `arrived` (default), or `settled`: also those that failed or ended elsewhere. */
export type MergeInclude = 'arrived' | 'settled';

export type MergeStrategy =
  | 'append'
  | 'collect'
  | 'concat'
  | 'merge_object'
  | 'keyed_by_branch'
  | 'last_wins'
  | 'output_merge';
