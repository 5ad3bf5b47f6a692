// Program: a small tree of blocks, each with one way in and at most one way out, that compiles to definitions. What the
// compiler draws as a graph, the oracle reads as a program.
//
// Always true: every block that becomes a node knows that node's id, and no two blocks of one program share one.

import type { MergeStrategy } from '../../packages/heddle/src/definition/definition.ts';

/** One workflow: the program that is started, or one that it calls. */
export interface Program {
  readonly workflow: string;
  readonly body: Block;
  readonly timeoutMs: number | null;
  readonly inputPolicy: 'open' | 'serial';
  /** Its schema fits no input: whoever calls it is told so. */
  readonly refuses: boolean;
}

export interface Retry {
  readonly maxAttempts: number;
  readonly backoff: 'none' | 'linear' | 'exponential';
  readonly initialDelayMs: number | null;
  readonly maxDelayMs: number | null;
  /** The only code that is tried again; null for every one that may be. */
  readonly only: string | null;
}

/**
 * A task reads what it can see and makes a value of it, which it writes to `state.x` (and a small number to `state.n`),
 * to `output.x`, or nowhere: then its raw output counts where no mapping wrote.
 */
export interface Task {
  readonly type: 'task';
  readonly node: string;
  readonly writes: 'state' | 'output' | 'raw';
  readonly shape: Shape;
  readonly retry: Retry | null;
  readonly timeoutMs: number | null;
  /** What its worker does: so many attempts fail with this code; how long they take, in turn. */
  readonly failures: number;
  readonly code: FailureCode;
  readonly delaysMs: readonly [number, number];
}

/** What its value is: a text, an object with keys that others write too, or a list of lists. */
export type Shape = 'text' | 'object' | 'lists';

/** `FATAL` is not to be tried again. */
export type FailureCode = 'BOOM' | 'BANG' | 'FATAL';

export interface Call {
  readonly type: 'call';
  readonly node: string;
  readonly workflow: string;
  readonly catches: boolean;
  readonly timeoutMs: number | null;
  readonly retry: Retry | null;
}

export interface Prompt {
  readonly type: 'prompt';
  readonly node: string;
  readonly deadlineMs: number | null;
}

export interface Listen {
  readonly type: 'listen';
  readonly node: string;
  readonly correlation: string | null;
  readonly timeoutMs: number | null;
}

/** What can fail by itself, and be rescued. */
export type Work = Task | Call | Prompt | Listen;

/** `even`: the branch has an even index. `high`: the number that the last task wrote is 2 or 3. `broken`: cannot be evaluated. */
export type Condition = 'always' | 'never' | 'even' | 'high' | 'broken';

export interface Choice {
  readonly type: 'choice';
  readonly node: string;
  /** In the order of their priorities. If none holds, the path fails. */
  readonly ways: readonly { readonly on: Condition; readonly body: Block }[];
}

export interface Rescue {
  readonly type: 'rescue';
  readonly tried: Work;
  /** `failure`: of any kind; `coded`: only of the code BOOM; `any`: whether it failed or not. */
  readonly on: 'failure' | 'coded' | 'any';
  readonly handler: Block;
}

export interface Loop {
  readonly type: 'loop';
  readonly turn: string;
  readonly done: string;
  readonly times: number;
  readonly on: Condition;
  readonly body: Block;
}

/** Two ways from one tier, in one branch: the side ends somewhere, the block goes on after the main one. */
export interface Fork {
  readonly type: 'fork';
  readonly node: string;
  readonly side: Block;
  readonly main: Block;
}

export type Spawn =
  | { readonly type: 'one' }
  | { readonly type: 'count'; readonly count: number }
  | { readonly type: 'items'; readonly items: readonly number[]; readonly maxParallel: number | null }
  /** A `foreach` over nothing that is a list. */
  | { readonly type: 'broken' };

export interface Arm {
  readonly spawn: Spawn;
  /** The node at which the ways of one branch part; null with one way only. */
  readonly part: string | null;
  /** Ways of one branch, all of which lead to the join. */
  readonly ways: readonly Block[];
  readonly echo: Echo | null;
}

/**
 * A way of a branch beside its only other one, a task: to a join over edges that the join of the siblings leads to as
 * well. That one never runs in a branch, so that the last task runs there as soon as its own way has arrived.
 */
export interface Echo {
  readonly source: Task;
  readonly last: Task;
}

export interface Merge {
  readonly strategy: MergeStrategy;
  /** What each branch gives: what it wrote to `x`, what it sees as `state.x`, or all that it wrote. */
  readonly source: '_branch.output.x' | 'state.x' | null;
}

export interface Tolerance {
  readonly maxFailures: number | null;
}

export interface Fan {
  readonly type: 'fan';
  readonly node: string;
  /** The join's node; null if nothing leads there. */
  readonly join: string | null;
  /** Null: called after the node. */
  readonly group: string | null;
  /** The join names its group; otherwise it means the innermost one. */
  readonly isNamed: boolean;
  readonly arms: readonly Arm[];
  /** A way of the same tier that opens no group: it is gone beside the branches, and ends somewhere. */
  readonly side: Block | null;
  readonly merge: Merge | null;
  /** Null: a failing branch fails the path. */
  readonly tolerance: Tolerance | null;
  /** How many arrivals are enough; null for all. */
  readonly quorum: number | null;
  /** The quorum is written as an expression. */
  readonly isComputed: boolean;
  readonly abandons: boolean;
  readonly timeoutMs: number | null;
  readonly proceeds: boolean;
}

/** Two groups from one tier of one node. */
export interface Twins {
  readonly type: 'twins';
  readonly side: Fan;
  /** Of the same node. */
  readonly main: Fan;
  /** Where their joins lead to over edges; null: the side ends after its join, and the block goes on after the main one. */
  readonly meeting: Meeting | null;
}

export interface Meeting {
  readonly task: Task;
  readonly require: 'some' | 'all';
}

/** A fan-out that is gone through again: the way back to its node is a join, of which all branches take part. */
export interface Rounds {
  readonly type: 'rounds';
  readonly fan: Fan;
  readonly times: number;
}

export interface Batch {
  readonly type: 'batch';
  readonly node: string;
  /** The node that writes the list, and the key of the state that it writes it to. */
  readonly list: string;
  /** Null: there is no list. */
  readonly items: readonly number[] | null;
  readonly batchSize: number;
  readonly parallelBatches: number;
  readonly merge: Merge | null;
  /** What is merged is also written to `state.merged`. */
  readonly hasTarget: boolean;
  readonly tolerance: Tolerance | null;
  /** All of them are gone in each slice. */
  readonly ways: readonly Block[];
}

export interface DagNode {
  /** The first may have nothing to do. */
  readonly work: Task | Pass;
  /** Ways from earlier nodes. Nobody leads to the first one. */
  readonly from: readonly DagEdge[];
  readonly require: 'some' | 'all';
}

export interface DagEdge {
  readonly index: number;
  readonly after: 'success' | 'failure' | 'any';
  readonly on: Condition;
}

/** Tasks that are joined over edges; the last of them is the way out. */
export interface Dag {
  readonly type: 'dag';
  readonly nodes: readonly DagNode[];
}

export interface Pass {
  readonly type: 'pass';
  readonly node: string;
}

export type Block =
  | Work
  | Pass
  | { readonly type: 'stop'; readonly node: string }
  /** Goes straight to the join of the named fan-out, past the nearest one. If that has no join, it stops. */
  | { readonly type: 'leap'; readonly node: string; readonly to: string }
  /** Negative: until a time in the past. */
  | { readonly type: 'wait'; readonly node: string; readonly ms: number }
  | { readonly type: 'sequence'; readonly blocks: readonly Block[] }
  | Choice
  | Rescue
  | Loop
  | Fork
  | Batch
  | Dag
  | Fan
  | Twins
  | Rounds;

/** Whether a way leads out of it at all. */
export function hasExit(block: Block): boolean {
  switch (block.type) {
    case 'stop':
    case 'leap':
      return false;
    case 'sequence':
      return block.blocks.every(hasExit);
    case 'choice':
      return block.ways.some(({ body }) => hasExit(body));
    case 'rescue':
      return block.on !== 'any' || hasExit(block.handler);
    case 'loop':
      return hasExit(block.body);
    case 'fork':
    case 'twins':
      return hasExit(block.main);
    case 'rounds':
      return true;
    case 'fan':
      return block.join !== null;
    case 'task':
    case 'call':
    case 'prompt':
    case 'listen':
    case 'pass':
    case 'wait':
    case 'batch':
    case 'dag':
      return true;
  }
}
