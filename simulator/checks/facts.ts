// Facts: what can be known of a run's tokens, branches, groups, sub-runs and prompts. Shapes alone: `run-facts.ts` gathers
// them from the journal.

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { EventOf, IterationCounts } from '../../packages/heddle/src/core/events.ts';
import type { DrawnNode } from './drawing.ts';
import type { Overlay } from './values.ts';

export type TokenState =
  | 'ready'
  | 'dispatched'
  | 'retrying'
  | 'timer'
  | 'siblings'
  | 'edges'
  | 'subworkflow'
  | 'queued'
  | 'asked'
  | 'event'
  | 'batch'
  | 'credits'
  /** Its work is done or its wait is over: it goes on within the same command. */
  | 'over'
  | 'completed'
  | 'failed'
  | 'timed_out'
  | 'cancelled';

/** One visit to one node. */
export interface TokenFact {
  readonly id: number;
  readonly node: DrawnNode;
  readonly via: string | null;
  readonly iterations: IterationCounts | null;
  readonly lastError: Failure | null;
  readonly failure: Failure | null;
  branch: BranchFact;
  state: TokenState;
  attempt: number;
  dispatches: number;
  /** The process that handed it out; null if nobody tells. */
  process: string | number | null;
  hasInput: boolean;
  /** Finished steps of its task. */
  readonly steps: Set<string>;
  hasResult: boolean;
  /** What its work came to. */
  result: Json;
  dueAt: number | null;
  /** When its sub-run was started. */
  since: number;
  childRunId: string | null;
  isChildSuspended: boolean;
  /** Of its prompt, or of the event that it waits for. */
  correlation: string | null;
  isPaid: boolean;
  /** The journal row in which it ended. */
  endedIn: number;
  /** The transitions that it has taken. */
  fired: string[] | null;
  /** It goes on after a join that has failed: so must its node. */
  mustFail: Failure | null;
}

/** One strand of a group, or the run itself. */
export interface BranchFact {
  /** Null for the run. */
  readonly group: GroupFact | null;
  readonly index: number;
  readonly spawn: SpawnFact | null;
  /** Tokens directly in it but its arrival, and open groups that were opened in it. */
  live: number;
  arrival: TokenFact | null;
  hasEnded: boolean;
  hasFailed: boolean;
  /** Why it failed. */
  error: Failure | null;
  isDetached: boolean;
  /** What it wrote is dropped; what a join inside it left alone still reads it. */
  isDiscarded: boolean;
  /** How it is counted in its group. */
  standing: 'busy' | 'arrived' | 'idle' | 'ended';
  /** What was written in it, by target; of the run itself nothing, see `RunFacts.context`. */
  writes: Overlay | null;
  raw: Json | undefined;
  edges: EdgeFacts | null;
}

/** Where the graph has edge joins: who is where in a branch, and which edges were taken. */
export interface EdgeFacts {
  readonly holds: Map<string, number>;
  /** Groups that were opened in it and are still open, but for slices. */
  readonly fans: Set<GroupFact>;
  readonly taken: Map<string, TokenFact | null>;
  /** Joins at which somebody waits, and which are not decided. */
  readonly waiting: Set<string>;
  readonly decided: Set<string>;
}

export interface SpawnFact {
  readonly first: number;
  readonly count: number;
  readonly via: string;
  readonly node: string;
  readonly maxParallel: number | null;
  readonly items: readonly Json[] | null;
  readonly itemVar: string | null;
  readonly slices: { readonly path: string; readonly size: number } | null;
  spawned: number;
  /** Of its branches: in which something lives. */
  busy: number;
}

export interface GroupFact {
  readonly id: number;
  readonly name: string;
  readonly token: number;
  readonly node: string;
  readonly parent: BranchFact;
  readonly depth: number;
  readonly total: number;
  readonly spawns: readonly SpawnFact[];
  readonly tolerates: boolean;
  readonly maxFailures: number | null;
  readonly homeJoin: string | null;
  readonly batch: number | null;
  readonly keepsLast: boolean;
  readonly iterations: IterationCounts | null;
  /** The failure that whoever fanned out knew of. */
  readonly known: Failure | null;
  /** By index. */
  readonly branches: Map<number, BranchFact>;
  /** Of its branches: in which something lives, that only wait at the join, that neither live nor wait nor have ended. */
  busy: number;
  idle: number;
  arrived: number;
  ended: number;
  failed: number;
  /** Left alone by the join, and something lives in them. */
  detachedBusy: number;
  /** Tokens in it at any depth. */
  inside: number;
  join: string | null;
  required: number;
  deadline: number | null;
  isBypassed: boolean;
  /** Its join has fired. */
  hasFired: boolean;
  /** Its join has fired, or it was closed without one: it keeps nobody waiting any more. */
  isDecided: boolean;
  isTimedOut: boolean;
  /** What its join has failed with, where its node handles that. */
  failure: Failure | null;
  isClosed: boolean;
  /** Loops that led into its join. */
  loops: readonly string[];
  /** What the branch that ended last has written. */
  last: Overlay | null;
}

export interface ChildFact {
  readonly childRunId: string;
  readonly token: number;
  readonly attempt: number;
  readonly workflow: string;
  readonly input: Json;
  /** `given-up`: nobody waits for it any more. */
  standing: 'awaited' | 'given-up' | 'told';
  /** How it ended, as it was told; null if it was told after it was given up. */
  told: EventOf<'subworkflow.completed'> | null;
}

export interface PromptFact {
  readonly token: number;
  standing: 'queued' | 'active' | 'answered' | 'expired' | 'cancelled';
  /** What it was answered with, or what is kept for it while the run is paused. */
  answer: Json | undefined;
}

export type TerminalEvent = EventOf<
  'workflow.completed' | 'workflow.failed' | 'workflow.cancelled' | 'workflow.timed_out' | 'workflow.exhausted'
>;
