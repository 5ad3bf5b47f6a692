// Run views: how a run stands inside, how it came to that, and what it would do: as the engine's own methods show it.

import type { Progress } from '../actor/observers.ts';
import type { Failure } from '../base/failure.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Command } from '../core/commands.ts';
import type { Decision } from '../core/decisions.ts';
import type { Effect } from '../core/effects.ts';
import type { Event } from '../core/events.ts';
import type { Instead } from '../core/replay/replace-fact.ts';
import type { Difference } from '../core/replay/replay-commit.ts';
import type { RunEvent } from '../core/run-event.ts';
import type { TraceEvent } from '../core/trace.ts';
import type { Drawing } from '../core/views/drawing.ts';
import type { EdgeView } from '../core/views/edges.ts';
import type { GroupFigures, GroupInfo, GroupTotals } from '../core/views/groups.ts';
import type { NodeFigures, NodeView } from '../core/views/nodes.ts';
import type { DueTimer, FirstFailure, LiveSubrun, OpenPrompt } from '../core/views/run-fold.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { TokenView } from '../core/views/tokens.ts';
import { type Wait, waitKinds } from '../core/views/wait.ts';
import type { ThreadsView, ThreadView } from '../dialects/thread/view.ts';
import { status } from './parts.ts';
import type { RunSummary } from './run-results.ts';
import { anyObject, anyText, choice, count, flag, json, object, optional, orNull, view } from './schema.ts';

// ----------------------------------------------------------------------------------------------------------- state

export interface RunStateView {
  readonly runId: string;
  readonly status: RunStatus;
  readonly input: Json;
  readonly state: JsonObject;
  readonly output: JsonObject;
}

export const runState = object<RunStateView>(
  { runId: anyText(), status, input: json(), state: anyObject(), output: anyObject() },
  'RunState',
);

export interface StateAt extends RunStateView {
  readonly eventId: string;
  readonly at: number;
  /** Those that lived then, in the order of their creation. */
  readonly tokens: readonly LiveToken[];
  readonly groups: readonly GroupInfo[];
}

export interface LiveToken {
  readonly id: number;
  readonly node: string;
  readonly status: string;
  readonly attempt: number;
  /** When it goes on by itself. */
  readonly dueAt: number | null;
  readonly childRunId: string | null;
}

// ------------------------------------------------------------------------------------------- the run on its drawing

/** What a viewer needs to open a run of any size: where it is drawn, and how it stands now or as of an event. */
export interface RunView {
  readonly run: RunSummary;
  /** How many commits its journal has now, and its last event; null before the first. */
  readonly commits: number;
  readonly lastEventId: string | null;
  readonly drawing: Drawing;
  readonly figures: RunFigures;
}

/** A run at a moment. */
export interface RunFigures {
  /** The last event that counts, and how many there are with it. */
  readonly eventId: string | null;
  readonly events: number;
  readonly at: number;
  readonly status: RunStatus;
  readonly input: Json;
  readonly state: JsonObject;
  readonly output: JsonObject;
  readonly error: Failure | null;
  readonly firstFailure: FirstFailure | null;
  /** What the author of its workflow had to say of it. */
  readonly summary?: string;
  readonly nodes: readonly NodeFigures[];
  readonly edges: readonly EdgeView[];
  /** The newest that are over, and those that are open; `groupTotals` has the others. */
  readonly groups: readonly GroupFigures[];
  readonly groupTotals: readonly GroupTotals[];
  /** The first 1,000 of each. */
  readonly prompts: readonly OpenPrompt[];
  readonly timers: readonly DueTimer[];
  readonly subruns: readonly LiveSubrun[];
}

export const wait = view<Wait>('Wait', 'One thing that a run waits for; what else it has depends on its kind.', {
  id: anyText('Of this entry, as long as it lasts.'),
  kind: choice(waitKinds),
  node: orNull(anyText('Null: the run itself waits.')),
  token: orNull(count()),
  since: orNull(count()),
  until: orNull(count('When it is over by itself, or given up.')),
  text: anyText('For people: what the run does.'),
});

// ------------------------------------------------------------------------------------------------ tokens and nodes

export interface TokenInfo extends TokenView {
  /** Its action has been called and the result is awaited. */
  readonly isExecuting: boolean;
  /** What it has told last of how far it is, while it is under way. */
  readonly progress?: Progress;
}

export const token = view<TokenInfo>('Token', 'One visit to one node.', {
  id: count(),
  node: anyText(),
  status: anyText(),
  from: orNull(count('The token it comes from.')),
  pathId: anyText(),
  siblingGroup: orNull(anyText()),
  branchIndex: count(),
  branchTotal: count(),
  attempt: count(),
  childRunId: optional(anyText()),
  createdAt: count(),
  endedAt: orNull(count()),
  isExecuting: flag('Its action has been called and the result is awaited.'),
});

export const node = view<NodeView>('Node', 'A node of the drawing and what became of it.', {
  nodeId: anyText(),
  status: choice(['idle', 'running', 'waiting', 'completed', 'failed', 'cancelled']),
  visits: count('How often it was entered.'),
  attempts: count(),
  startedAt: orNull(count()),
  endedAt: orNull(count()),
  summary: optional(anyText('What the author of its workflow has to say of its newest visit.')),
});

export const edge = view<EdgeView>('Edge', 'A way of the drawing, and how often it was taken.', {
  edgeId: anyText(),
  from: anyText(),
  to: anyText(),
  taken: count('Once for each round of a loop, each branch, each item.'),
  lastTakenAt: orNull(count()),
});

// ------------------------------------------------------------------------------------------------------- snapshots

export interface RunSnapshot {
  readonly format: 'heddle-snapshot';
  readonly formatVersion: 1;
  readonly takenAt: number;
  readonly rootRunId: string;
  /** The root first, then its sub-runs that have not ended, each after its parent. */
  readonly runs: readonly SnapshotRun[];
  /** HMAC of all the rest under a key of the store; absent in what earlier versions took. */
  readonly seal?: string;
}

export interface SnapshotRun {
  readonly runId: string;
  readonly workflow: string;
  readonly version: number;
  /** Content hash of the definition. */
  readonly hash: string;
  /** Everything that the run goes on with. */
  readonly checkpoint: Json;
  /** SHA-256 of the checkpoint's stable JSON. */
  readonly checksum: string;
  /** The same for people: threads, contexts, the input queue. What each thread sees is in the checkpoint alone. */
  readonly threads: Omit<ThreadsView, 'threads'> & { readonly threads: readonly Omit<ThreadView, 'context'>[] };
}

// -------------------------------------------------------------------------------------------------- what would be

export interface Simulation {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly trace: readonly TraceEvent[];
}

/** The open groups of a run, and what would happen at the time that was asked for. */
export interface GroupsView {
  readonly groups: readonly GroupInfo[];
  readonly ifTimeWere: Simulation | null;
}

/** What is otherwise than it was. Without any of it, what is decided again is what was recorded. */
export interface WhatIf {
  /** Another definition: would it have decided otherwise? */
  readonly definition?: unknown;
  /** Another result of the task, answer, event or input that the commit began with. */
  readonly instead?: Instead;
  /** Other values of the run's `state` before the commit, by key. */
  readonly state?: JsonObject;
}

export interface Explanation {
  readonly runId: string;
  /** The event that was asked for; `12.3` is an event of commit 12. */
  readonly eventId: string;
  readonly commit: number;
  readonly at: number;
  /** How the run stood just before the commit. */
  readonly before: Omit<StateAt, 'eventId'>;
  /** What came: a result, an answer, a timer that was due. */
  readonly command: Command;
  /** What was decided on it, in order. `place` is the index of the event, among `replayed`, that it stands before. */
  readonly decisions: readonly Decision[];
  readonly recorded: readonly RunEvent[];
  readonly replayed: readonly RunEvent[];
  /** Null: they are the same. */
  readonly difference: ExplainedDifference | null;
}

/** The first event that is not what was recorded. */
export interface ExplainedDifference extends Omit<Difference, 'index'> {
  readonly eventId: string;
}

export interface ReplayOptions extends Pick<WhatIf, 'definition'> {
  /** Where the page before ended. */
  readonly after?: string;
}

export interface ReplayPage {
  readonly runId: string;
  /** How many commits were decided again. */
  readonly commits: number;
  readonly differences: readonly ReplayDifference[];
  /** Where the next page goes on; null if this is the last. */
  readonly next: string | null;
}

/** A commit that is decided otherwise, or cannot be decided, by its first event that differs. */
export interface ReplayDifference extends ExplainedDifference {
  readonly at: number;
  readonly command: Command['type'];
  /** Why it cannot be decided with the definition that is tried. */
  readonly error?: { readonly code: string; readonly message: string };
}
