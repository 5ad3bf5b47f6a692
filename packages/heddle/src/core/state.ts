// State: what the events of a run add up to. A graph of plain objects, altered by appliers alone (`apply/`), encoded
// for snapshots by `apply/snapshot.ts`.
//
// Always true: only live tokens and open groups are here, so its size follows what is live, not what has ended.
// Counters and lists are kept so that every rule looks at what it changes and never scans the run.

import type { Failure } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { BranchGraph } from '../definition/graph.ts';
import type {
  GroupId,
  IterationCounts,
  PromptTexts,
  QueuedPrompt,
  RememberedStep,
  RunStart,
  SpawnPlan,
  TokenId,
} from './events.ts';
import type { ReadyQueue } from './ready-queue.ts';
import type { TimerHeap } from './timer-heap.ts';
import type { Writes } from './writes.ts';

export type RunOutcome = 'completed' | 'failed' | 'cancelled' | 'timed_out' | 'exhausted';

export interface RunState {
  /** Null before the run has started. */
  run: RunStart | null;
  startedAt: number;
  /** The time of the newest command; it never goes back. */
  at: number;
  outcome: RunOutcome | null;
  endedAt: number | null;
  output: Json | undefined;
  error: Failure | null;
  paused: boolean;
  /** Commands that came while paused. */
  held: JsonObject[];
  /** The answers to prompts and the events among them, by the token that they are for. */
  readonly heldAnswers: Map<TokenId, JsonObject>;
  /** The branch of tokens that are in no group: its writes are the run's `state` and `output`. */
  root: Branch;
  readonly tokens: Map<TokenId, Token>;
  readonly groups: Map<GroupId, Group>;
  lastToken: TokenId;
  lastGroup: GroupId;
  /** Node visits and sub-runs of children that have ended, and sub-runs that were started. */
  childNodesUsed: number;
  descendantsUsed: number;
  /** Sub-runs that nobody waits for any more; what they used is counted when they end. */
  readonly givenUp: Set<string>;
  /** How many tokens have status `dispatched`. */
  dispatched: number;
  /** How long the inputs of all live tokens, and the results of their steps, are together. */
  inputBytes: number;
  /** How many tokens wait for a sub-run. */
  waitingForChildren: number;
  /** How many of those are suspended. */
  childrenSuspended: number;
  /** How many tokens wait for a person or an outside event, and for credits. */
  waitingForOthers: number;
  waitingForCredits: number;
  /** How many tokens wait for an action that nobody has. */
  waitingForActions: number;
  /** How many tokens and joins will wake by a timer. */
  timed: number;
  /** How many tasks were handed out for the first time, where they go one at a time. */
  tasksStarted: number;
  /** The run said that only people or outside events can wake it. */
  suspended: boolean;
  /** What an End has made of the output. */
  result: Json | undefined;
  /** Outputs and errors by node, for runs that keep them. */
  readonly outputs: Record<string, Json>;
  readonly errors: Record<string, string>;
  /** The prompts of the whole tree of runs, kept by its root, by correlation id; the first is the one that is asked. */
  readonly queue: Map<string, QueuedPrompt>;
  /** Events that were received, by id, until they expire. */
  readonly received: Map<string, ReceivedEvent>;
  readonly credits: Credits;
  readonly ready: ReadyQueue;
  /** Open groups of which branches may begin, and have not yet. Null until a group is opened: most runs have none. */
  spawnable: Set<Group> | null;
  readonly timers: TimerHeap;
}

export interface ReceivedEvent {
  readonly expiresAt: number;
  /** The newest token when it came: those that were there may take it too. */
  readonly lastToken: TokenId;
}

export interface Credits {
  /** The run has not begun: the ledger has not answered yet. */
  awaited: boolean;
  /** What was asked for, granted or not: the ledger may grant it after whoever asked is gone. */
  requested: number;
  spent: number;
}

export type TokenStatus =
  /** Waits to be handed out, or for its node to be entered within the same command. */
  | 'ready'
  | 'dispatched'
  | 'retrying'
  | 'waiting_for_timer'
  | 'waiting_for_siblings'
  | 'waiting_for_edges'
  | 'waiting_for_subworkflow'
  | 'waiting_for_input'
  | 'waiting_for_event'
  | 'waiting_for_batch'
  | 'waiting_for_credits'
  | 'waiting_for_action';

/** One visit to one node. */
export interface Token {
  readonly id: TokenId;
  readonly node: string;
  /** The transition that brought it; null for the root and for continuations. */
  readonly via: string | null;
  branch: Branch;
  status: TokenStatus;
  attempt: number;
  dispatch: number;
  /** The input of its task, from the first hand-out on. */
  input: Json | undefined;
  inputBytes: number;
  /** The finished steps of its task, until the task is complete; null as long as there is none. */
  steps: TokenSteps | null;
  /** When its wait, retry or sub-run is over. */
  dueAt: number | null;
  /** When its sub-run was started, its wait for an event began, or its prompt was asked (0: by an earlier version). */
  since: number;
  childRunId: string | null;
  /** A retry: the sub-run of the run before that its own sub-run continues. */
  continues: string | null;
  childSuspended: boolean;
  /** Of its prompt, and whether it may be answered now. For an event, its key (`name` and correlation). */
  correlationId: string | null;
  asked: boolean;
  /** What its prompt says. */
  texts: PromptTexts | null;
  /** Its work is done: what it continues with when its wait is over. */
  result: Json | undefined;
  /** What its executor calls that wait. */
  waitLabel: string | null;
  /** The credits that were granted for it. */
  paid: number | null;
  readonly iterations: IterationCounts | null;
  /** Set from a failure to the next success; `failure` from then on, until the path joins or ends. Never both. */
  readonly lastError: Failure | null;
  readonly failure: Failure | null;
  /** Neighbours in the list of its branch's tokens. */
  previous: Token | null;
  next: Token | null;
}

export interface TokenSteps {
  /** By name, in the order in which they were finished. */
  readonly finished: Map<string, RememberedStep>;
  /** How long their results are together. */
  bytes: number;
}

/** One strand of a group, or the run itself. */
export interface Branch {
  /** Null for the root. */
  readonly group: Group | null;
  readonly index: number;
  /** Attached tokens that live directly in it, without its arrival, and attached open groups opened by them. */
  live: number;
  /** The token that waits for it at the group's join. */
  arrival: TokenId | null;
  /** Ended without arriving, and by a failure. */
  ended: boolean;
  failed: boolean;
  /** Why it failed, of which a bounded part is kept. */
  error: Failure | null;
  /** Counted in `Group.settled`. */
  settled: boolean;
  /** Left alone by a join that did not need it. */
  detached: boolean;
  /** The root: values of `state` and `output`. Other branches: null. */
  context: Context | null;
  /** What mappings wrote in it, by target, in order; the root writes to its context instead. */
  writes: Writes | null;
  /** Nobody will merge them: they are there for what lives further in. */
  discarded: boolean;
  /** The newest raw output of a task in it, for branches that no mapping wrote in. */
  raw: Json | undefined;
  firstToken: Token | null;
  /** Groups that were opened in it and are still there. */
  groups: Set<GroupId> | null;
  /** Null unless the graph has edge joins: how many tokens are at each node, and groups open from each fan-out. */
  readonly holds: Map<string, number> | null;
  edges: EdgeProgress | null;
  /** What planning remembers of its last look at the edge joins. Follows from the rest, and is in no snapshot. */
  liveness: Liveness | null;
}

export interface Context {
  state: JsonObject;
  output: JsonObject;
}

/** How far the edge joins of one branch are. */
export interface EdgeProgress {
  /** Edges that were taken, with the token that waited. */
  readonly taken: Map<string, TokenId>;
  /** Edge joins that ran or were skipped. */
  readonly done: Set<string>;
  /** What earlier versions recorded of edges that are dead; no rule reads it. */
  readonly finished: Set<number>;
}

/** What of its graph is alive in a branch: the regions in which a token may still run a node. */
export interface Liveness {
  readonly graph: BranchGraph;
  /** By region: 1 while it is alive. */
  readonly live: Uint8Array;
  /** By edge join: how many of its edges may still be taken, and how many are dead. */
  readonly open: Int32Array;
  readonly dead: Int32Array;
  /** Edge joins that are not decided. */
  undecided: number;
  /** Regions to look at again: of what nobody holds any more since the last look, and of loops that went round again. */
  readonly toLookAt: number[];
}

/** One instance of a fan-out. */
export interface Group {
  readonly id: GroupId;
  readonly name: string;
  /** The token and node that fanned out. */
  readonly token: TokenId;
  readonly node: string;
  readonly parent: Branch;
  readonly total: number;
  readonly spawns: readonly SpawnProgress[];
  readonly tolerateFailures: boolean;
  readonly maxFailures: number | null;
  readonly homeJoin: string | null;
  /** What a continuation continues with. */
  readonly iterations: IterationCounts | null;
  /** By index; those not yet spawned are absent. */
  readonly branches: Branch[];
  /** How many of them there are. */
  spawned: number;
  /** How many of its spawns have a branch that may begin; with any it is among the run's `spawnable`. */
  spawnsWithRoom: number;
  readonly spawnable: Set<Group>;
  /** Branches with an arrival; ended ones; ended ones that failed. */
  arrived: number;
  ended: number;
  failed: number;
  /** Branches in which nothing lives: arrived or ended. */
  settled: number;
  /** Some branch continued to a join of an enclosing group. */
  bypassed: boolean;
  /** The join that the first arrival bound the group to, and how many arrivals it needs (0: all). */
  join: string | null;
  required: number;
  firstArrivalAt: number | null;
  deadline: number | null;
  /** The join has fired; detached branches may still live. */
  joined: boolean;
  /** Detached branches that still live. */
  detachedLive: number;
  /** Nothing of it is running. It stays only as long as groups that were opened in its branches do. */
  closed: boolean;
  openGroups: number;
  /** Its branches are slices of a batch, for which this token waits. */
  readonly batch: TokenId | null;
  /** What the branch that ended last has written is kept here until the group is joined or closes. */
  readonly keepsLast: boolean;
  last: Writes | null;
}

export interface SpawnProgress extends SpawnPlan {
  /** Index of its first branch. */
  readonly first: number;
  spawned: number;
  /** Spawned and not settled. */
  underWay: number;
}
