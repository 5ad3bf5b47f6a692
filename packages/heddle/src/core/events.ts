// Events: the facts of a run, in the past tense. They are the only thing that changes its state, they are what the
// journal keeps, and they are what users see.
//
// Always true: an event carries every value that its applier needs; released events never change their meaning.

import type { Failure } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { TaskEvent } from './task-events.ts';

export type { Given, RememberedStep } from './task-events.ts';

export type TokenId = number;
export type GroupId = number;

/** A branch of a group instance. Group 0 is the run itself, whose only branch has index 0. */
export type BranchRef = readonly [group: GroupId, index: number];

/** A value written to a path such as `state.score`; without a value, what was there is removed. */
export type Write = readonly [target: string, value: Json] | readonly [target: string];

export type IterationCounts = Readonly<Record<string, number>>;

export type Event =
  | WorkflowEvent
  | TokenEvent
  | TaskEvent
  | GroupEvent
  | EdgeEvent
  | SubworkflowEvent
  | InputEvent
  | AwaitedEvent
  | CreditEvent
  | { readonly type: 'context.updated'; readonly branch: BranchRef; readonly writes: readonly Write[] };

export type EventType = Event['type'];
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

// ----------------------------------------------------------------------------------------------------------- runs

export interface ParentLink {
  readonly runId: string;
  readonly token: TokenId;
}

export interface RunStart {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  readonly hash: string;
  readonly input: Json;
  readonly rootRunId: string;
  readonly parent: ParentLink | null;
  /** How many sub-workflow calls lie above. */
  readonly depth: number;
  /** Node visits and descendants that this run and those below it may still use. */
  readonly nodeBudget: number;
  readonly descendantBudget: number;
  readonly deadline: number | null;
  /** The run id that idempotency keys are made of: its own, or that of the run it retries. */
  readonly keyRunId: string;
  readonly retryOf: string | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly trace: boolean;
  /** The graph has edge joins: branches count who is where. */
  readonly countsNodes: boolean;
  /** By the policy of its dialect: the output of every node is kept; tasks are handed out one at a time. */
  readonly keepsOutputs?: true;
  readonly oneAtATime?: true;
  /** What started it: `{type, depth, firedAt, …}`; read as `_trigger`. */
  readonly trigger?: JsonObject;
  /** Whose credits pay for it, and how many are reserved before it begins. */
  readonly organization?: string;
  readonly reserve?: number;
  /** Runs whose artifacts its tasks may read besides its own. */
  readonly artifactRuns?: readonly string[];
  /** When it begins, if that is later than its start. */
  readonly startAt?: number;
  /** A retry: when the first run of its line started; events count from there. */
  readonly eventsFrom?: number;
}

export type WorkflowEvent =
  | ({ readonly type: 'workflow.started'; readonly at: number } & RunStart)
  /** The tokens and the state of the run that this one retries, as of just before its failure. */
  | { readonly type: 'workflow.restored'; readonly state: Json; readonly isWhole?: true }
  | { readonly type: 'workflow.completed'; readonly at: number; readonly output: Json }
  | { readonly type: 'workflow.failed'; readonly at: number; readonly error: Failure }
  | { readonly type: 'workflow.cancelled'; readonly at: number; readonly reason: string }
  | { readonly type: 'workflow.timed_out'; readonly at: number; readonly error: Failure }
  /** Credits were refused. */
  | { readonly type: 'workflow.exhausted'; readonly at: number; readonly error: Failure }
  /** Only people or outside events can wake it; and no longer so. */
  | { readonly type: 'workflow.suspended'; readonly at: number }
  | { readonly type: 'workflow.resumed'; readonly at: number }
  /** What its output will be, unless it is set again. */
  | { readonly type: 'workflow.result_set'; readonly token: TokenId; readonly output: Json }
  | { readonly type: 'workflow.paused'; readonly at: number }
  | {
      readonly type: 'workflow.unpaused';
      readonly at: number;
      /** They have their turn one by one (`held.taken`); absent: none is left. */
      readonly keepsHeld?: true;
    }
  /** A result or answer that came while paused, kept until the run resumes. */
  | { readonly type: 'workflow.held'; readonly command: JsonObject }
  /** The first of those that were held has its turn; what it came to follows. */
  | { readonly type: 'held.taken' };

// --------------------------------------------------------------------------------------------------------- tokens

/** What a token carries along its path. Absent fields are inherited by nobody and read as none. */
export interface Lineage {
  readonly iterations?: IterationCounts;
  readonly lastError?: Failure;
  /** The failure that a failure route was taken for, once a success has cleared it as the last error. */
  readonly failure?: Failure;
}

export type TokenEvent =
  | ({
      readonly type: 'token.created';
      /** The first of `count` consecutive ids. */
      readonly token: TokenId;
      readonly node: string;
      /** The token it comes from; absent for the root. */
      readonly from?: TokenId;
      /** The transition that fired; absent for the root and for continuations. */
      readonly via?: string;
      readonly branch: BranchRef;
      /** More than one: siblings, with branch indices that rise from `branch[1]`. */
      readonly count?: number;
    } & Lineage)
  | {
      readonly type: 'token.waiting';
      readonly token: TokenId;
      readonly for: 'timer';
      readonly until: number;
      /** Its work is done: what it continues with when the wait is over. */
      readonly result?: Json;
      /** What its executor calls the wait. */
      readonly label?: string;
    }
  | { readonly type: 'token.waiting'; readonly token: TokenId; readonly for: 'batch'; readonly group: GroupId }
  /** Nobody has the action of its task: the hand-out came to nothing. */
  | { readonly type: 'token.waiting'; readonly token: TokenId; readonly for: 'action'; readonly action: string }
  | {
      readonly type: 'token.waiting';
      readonly token: TokenId;
      readonly for: 'siblings';
      readonly join: string;
      /** The branch for which it arrives: its own, or one that encloses it. */
      readonly branch: BranchRef;
      readonly arrivedAt: number;
      /** How many arrivals the join needs; 0 for all. Counts with the first arrival. */
      readonly required: number;
      /** When the join gives up, set by the first arrival. */
      readonly deadline?: number;
    }
  | { readonly type: 'token.waiting'; readonly token: TokenId; readonly for: 'edges'; readonly edge: string }
  | { readonly type: 'token.completed'; readonly token: TokenId }
  | { readonly type: 'tokens.completed'; readonly tokens: readonly TokenId[] }
  | { readonly type: 'tokens.timed_out'; readonly tokens: readonly TokenId[] }
  | { readonly type: 'tokens.cancelled'; readonly tokens: readonly TokenId[]; readonly reason: string };

// --------------------------------------------------------------------------------------------------------- groups

/** Branches that one transition opens. */
export interface SpawnPlan extends Lineage {
  readonly node: string;
  readonly via: string;
  readonly count: number;
  readonly items?: readonly Json[];
  readonly itemVar?: string;
  readonly maxParallel?: number;
  /** The branches are slices of `items`, of this size, each seen at the path (as written: `state.papers`). */
  readonly slices?: { readonly path: string; readonly size: number };
}

/** How many branches had written, and where: the first paths, and how many more there are. */
export interface DiscardedWrites {
  readonly branches: number;
  readonly paths: readonly string[];
  readonly morePaths?: number;
}

export type GroupEvent =
  | {
      readonly type: 'fan_out.started';
      readonly group: GroupId;
      readonly name: string;
      /** The token and node that fanned out, and the branch they are in. */
      readonly token: TokenId;
      readonly node: string;
      readonly parent: BranchRef;
      readonly total: number;
      readonly spawns: readonly SpawnPlan[];
      readonly tolerateFailures: boolean;
      readonly maxFailures: number | null;
      readonly homeJoin: string | null;
      readonly iterations?: IterationCounts;
      /** Its branches are slices of a batch, for which this token waits. */
      readonly batch?: TokenId;
      /** What the branch that ends last has written is kept if no join takes it. */
      readonly keepsLast?: true;
    }
  | {
      readonly type: 'batch.completed';
      readonly token: TokenId;
      readonly group: GroupId;
      readonly slices: number;
      /** What they were merged to; absent if there is nothing. */
      readonly output?: Json;
      /** Without a merge: what the slices had written, which nobody takes. */
      readonly discarded?: DiscardedWrites;
    }
  | {
      readonly type: 'fan_in.completed';
      readonly group: GroupId;
      readonly join: string;
      readonly branches: number;
      readonly timedOut: boolean;
      /** Without a merge: what the branches had written, which nobody takes. */
      readonly discarded?: DiscardedWrites;
    }
  /** The join has failed, and its node's transitions for a failure are tried: its branches are called off. */
  | { readonly type: 'fan_in.failed'; readonly group: GroupId; readonly join: string; readonly error: Failure }
  | {
      readonly type: 'branches.merged';
      readonly group: GroupId;
      readonly branch: BranchRef;
      readonly writes: readonly Write[];
    }
  /** A branch ended without arriving at a join. */
  | {
      readonly type: 'branch.ended';
      readonly branch: BranchRef;
      readonly how: 'completed' | 'failed';
      readonly error?: Failure;
    }
  /** The branch is left alone by its join: it counts for nothing but the run's completion. */
  | { readonly type: 'branches.detached'; readonly group: GroupId; readonly indices: readonly number[] }
  | { readonly type: 'branch.abandoned_failed'; readonly branch: BranchRef; readonly error: Failure }
  /** What branches that were never joined had written. */
  | { readonly type: 'branch.discarded'; readonly branch: BranchRef; readonly paths: readonly string[] }
  /** Nothing of the group is left. */
  | { readonly type: 'group.closed'; readonly group: GroupId };

// ---------------------------------------------------------------------------------------------------------- edges

export type EdgeEvent =
  /** Edge joins that will never run in the branch. */
  | {
      readonly type: 'edges.settled';
      readonly branch: BranchRef;
      /** Recorded by earlier versions: parts of the graph whose edges are dead. */
      readonly regions?: readonly number[];
      readonly skipped: readonly string[];
    }
  | {
      readonly type: 'edge_join.completed';
      readonly branch: BranchRef;
      readonly node: string;
      /** Its loop goes round again: the edges and edge joins that begin anew. */
      readonly again?: { readonly edges: readonly string[]; readonly joins: readonly string[] };
    };

// --------------------------------------------------------------------------------------------------- sub-workflows

export type SubworkflowEvent =
  | {
      readonly type: 'subworkflow.dispatched';
      readonly token: TokenId;
      readonly attempt: number;
      readonly childRunId: string;
      readonly workflow: string;
      readonly version: number | null;
      readonly input: Json;
      readonly deadline?: number;
      /** A retry: the sub-run of the run before that this one continues. */
      readonly continues?: string;
    }
  | {
      readonly type: 'subworkflow.completed';
      readonly token: TokenId;
      readonly childRunId: string;
      readonly status: string;
      readonly output?: Json;
      readonly error?: Failure;
      /** Node visits and descendants of the child and those below it. */
      readonly nodesUsed: number;
      readonly descendantsUsed: number;
    }
  /** A sub-run that nobody waits for any more has ended: what it used is counted. */
  | {
      readonly type: 'subworkflow.ended_late';
      readonly childRunId: string;
      readonly nodesUsed: number;
      readonly descendantsUsed: number;
    }
  /** Only people or outside events can wake the sub-run; and no longer so. */
  | { readonly type: 'subworkflow.suspended'; readonly token: TokenId; readonly childRunId: string }
  | { readonly type: 'subworkflow.resumed'; readonly token: TokenId; readonly childRunId: string }
  | {
      readonly type: 'subworkflow.timed_out';
      readonly token: TokenId;
      readonly childRunId: string;
      readonly timeoutMs: number;
      readonly elapsedMs: number;
    };

// -------------------------------------------------------------------------------------------- people and outside events

/** A place in the queue of prompts that a root keeps for its whole tree of runs. */
export interface QueuedPrompt {
  readonly askingRunId: string;
  readonly token: TokenId;
  readonly correlationId: string;
}

/** What a prompt says to a person. */
export interface PromptTexts {
  readonly title?: string;
  readonly description?: string;
}

export type InputEvent =
  /** It waits for its turn to ask. */
  | ({ readonly type: 'input.queued'; readonly token: TokenId; readonly correlationId: string } & PromptTexts)
  | ({
      readonly type: 'input.requested';
      readonly token: TokenId;
      readonly correlationId: string;
      /** When it was asked; absent in journals of earlier versions. */
      readonly at?: number;
      readonly deadline?: number;
    } & PromptTexts)
  | {
      readonly type: 'input.resumed';
      readonly token: TokenId;
      readonly correlationId: string;
      readonly payload: Json;
    }
  | { readonly type: 'input.expired'; readonly token: TokenId; readonly correlationId: string }
  | ({ readonly type: 'input_queue.joined' } & QueuedPrompt)
  | ({ readonly type: 'input_queue.left' } & QueuedPrompt);

export type AwaitedEvent =
  | {
      readonly type: 'event.awaited';
      readonly token: TokenId;
      readonly event: string;
      readonly correlation: string;
      readonly deadline?: number;
    }
  | {
      readonly type: 'event.received';
      readonly token: TokenId;
      readonly eventId: string;
      readonly payload: Json;
      /** Until then the event is not taken again by this run. */
      readonly expiresAt: number;
    };

// ---------------------------------------------------------------------------------------------------------- credits

export type CreditEvent =
  /** Without a token: for the whole run, before it begins. */
  | { readonly type: 'credits.requested'; readonly token?: TokenId; readonly amount: number }
  | { readonly type: 'credits.granted'; readonly token?: TokenId; readonly amount: number };
