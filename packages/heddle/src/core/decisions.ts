// Decisions: what planning decided on one command, and by what: to explain afterwards why a run did what it did.
// Noted only on request; never journaled.

import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { GroupId, TokenId } from './events.ts';

export type Decision = RoutingDecision | MappingDecision | JoinDecision | EdgeJoinDecision;

/** How many events of the command were there before it: it stands before the event of this index. */
interface Placed {
  readonly place: number;
}

/** Which ways a token took when its node was done. */
export interface RoutingDecision extends Placed {
  readonly type: 'routing';
  readonly token: TokenId;
  readonly node: string;
  readonly outcome: 'success' | 'failure';
  /** Of a handle graph: the handle that the result named. */
  readonly handle?: string;
  /** All ways out for this outcome, by priority, in the order of the definition. */
  readonly ways: readonly Way[];
  /** Those that were taken; or the path ended, or failed, here. */
  readonly result: 'taken' | 'ended' | 'failed';
  readonly error?: Failure;
}

export interface Way {
  readonly transition: string;
  readonly to: string;
  readonly priority: number;
  /** As written; null if there is none, which holds always. */
  readonly condition: string | null;
  readonly verdict:
    | 'taken'
    /** Its condition does not hold. */
    | 'refused'
    /** Its loop has been taken as often as it may. */
    | 'exhausted'
    /** Its condition is neither true nor false. */
    | 'failed'
    /** A way of a higher priority was open, or one before it failed. */
    | 'not_asked';
  /** What the condition came to; absent if it was not asked, or came to nothing. */
  readonly value?: Json;
  /** What the condition reads, each member once, as far as they are told; absent if it was not asked. */
  readonly reads?: readonly ReadValue[];
}

/** A member that a condition reads, and its value then. */
export interface ReadValue {
  /** As `state.total`. */
  readonly name: string;
  /** Absent if there was none, or it is too long. */
  readonly value?: Json;
  /** It is too long to be told. */
  readonly isLong?: true;
}

/** What was read for an input, an output or a merge, and where it went. */
export interface MappingDecision extends Placed {
  readonly type: 'mapping';
  readonly of: 'input' | 'output' | 'result' | 'merge' | 'run_output';
  /** Absent for merges and the output of the run. */
  readonly token?: TokenId;
  /** The node; of a merge, the node of the join. */
  readonly node?: string;
  readonly values: readonly MappedValue[];
}

export interface MappedValue {
  readonly target: string;
  readonly expression: string;
  /** Absent if there was none: nothing was written. */
  readonly value?: Json;
  readonly error?: string;
}

/** Whether the branches of a group continue together. */
export interface JoinDecision extends Placed {
  readonly type: 'join';
  readonly group: string;
  readonly groupId: GroupId;
  /** Null while none is known. */
  readonly join: string | null;
  /** How many arrivals it needs; `all` of them, or null while nobody has asked. */
  readonly required: number | 'all' | null;
  readonly arrived: number;
  readonly ended: number;
  readonly failed: number;
  readonly total: number;
  readonly verdict: 'fires' | 'waits' | 'fails' | 'closes';
  /** Its time was up. */
  readonly timedOut?: true;
  readonly error?: Failure;
}

/** Whether a node that waits for its edges runs. */
export interface EdgeJoinDecision extends Placed {
  readonly type: 'edge_join';
  readonly node: string;
  readonly require: 'some' | 'all';
  /** Transitions that were taken; how many may still be; and how many never will. */
  readonly taken: readonly string[];
  readonly open: number;
  readonly dead: number;
  readonly verdict: 'runs' | 'waits' | 'skipped';
}
