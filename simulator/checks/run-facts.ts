// Run facts: what the journal of one run says so far, gathered event by event. A second reading of the events, which
// shares nothing with the engine's appliers and views.
//
// Always true: an event costs what it changes: counters stand in place of scans, and what a command has touched is
// remembered until it has been looked at (`touched`).

import type { Failure } from '../../packages/heddle/src/base/failure.ts';
import type { Json, JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { BranchRef, Event, EventOf, EventType, QueuedPrompt } from '../../packages/heddle/src/core/events.ts';
import type { InvariantId } from './coverage.ts';
import { Deadlines } from './deadlines.ts';
import type { Drawing } from './drawing.ts';
import type {
  BranchFact,
  ChildFact,
  EdgeFacts,
  GroupFact,
  PromptFact,
  SpawnFact,
  TerminalEvent,
  TokenFact,
  TokenState,
} from './facts.ts';
import type { Writing } from './values.ts';
import { Broken } from './violation.ts';

const terminal: ReadonlySet<TokenState> = new Set(['completed', 'failed', 'timed_out', 'cancelled']);

const arrows: Readonly<Partial<Record<TokenState, ReadonlySet<TokenState>>>> = {
  ready: new Set([
    ...(['dispatched', 'timer', 'siblings', 'edges', 'subworkflow', 'queued', 'asked', 'event', 'batch'] as const),
    ...(['credits', 'completed', 'failed', 'cancelled'] as const),
  ]),
  dispatched: new Set(['ready', 'over', 'retrying', 'failed', 'cancelled']),
  retrying: new Set(['ready', 'cancelled']),
  timer: new Set(['over', 'cancelled']),
  siblings: new Set(['completed', 'timed_out', 'cancelled']),
  edges: new Set(['completed', 'cancelled']),
  subworkflow: new Set(['over', 'cancelled']),
  queued: new Set(['asked', 'cancelled']),
  asked: new Set(['over', 'cancelled']),
  event: new Set(['over', 'failed', 'cancelled']),
  batch: new Set(['over', 'failed', 'cancelled']),
  credits: new Set(['ready', 'cancelled']),
  over: new Set(['timer', 'retrying', 'completed', 'failed']),
};

/** What one command has touched, or begun and not finished. */
class Touched {
  readonly groups = new Set<GroupFact>();
  readonly branches = new Set<BranchFact>();
  readonly cancelled: TokenFact[] = [];
  /** The event before, and the one behind. */
  before: EventType | null = null;
  next: Event | undefined;
  /** The newest failure of a node. */
  failed: { readonly token: TokenFact; readonly error: Failure } | null = null;
  /** Tokens whose node is done, with the ways that they must take. */
  readonly routes: { readonly token: TokenFact; readonly ways: readonly string[] | null }[] = [];
  tokens = 0;
  timers = 0;
  /** Joins that fired, and whose continuation is still to come. */
  readonly continuations: GroupFact[] = [];
  /** What the join has failed with after which a token is being created. */
  failedJoin: Failure | null = null;
  readonly edgeContinuations: { readonly branch: BranchFact; readonly node: string }[] = [];
  /** Commands that were held, to be taken now. */
  held: readonly JsonObject[] = [];
  /** Written, by somebody who is still to be named. */
  written: { readonly branch: BranchFact; readonly writes: readonly Writing[] } | null = null;
  /** What a join or a batch must merge with the next event. */
  merge: { readonly group: GroupFact; readonly writes: readonly Writing[] } | null = null;
  hasResumed = false;

  clear(): void {
    this.groups.clear();
    this.branches.clear();
    this.cancelled.length = 0;
    this.before = null;
    this.failed = null;
    this.routes.length = 0;
    this.tokens = 0;
    this.timers = 0;
    this.continuations.length = 0;
    this.edgeContinuations.length = 0;
    this.held = [];
    this.written = null;
    this.merge = null;
    this.hasResumed = false;
  }
}

export class RunFacts {
  readonly drawing: Drawing;
  readonly runId: string;
  start: EventOf<'workflow.started'> | null = null;
  end: TerminalEvent | null = null;
  /** Of the newest row. */
  seq = 0;
  at = 0;
  readonly tokens = new Map<number, TokenFact>();
  readonly groups = new Map<number, GroupFact>();
  readonly root: BranchFact;
  context: { state: JsonObject; output: JsonObject } = { state: {}, output: {} };
  lastToken = 0;
  lastGroup = 0;
  created = 0;
  live = 0;
  /** How many tokens are in each state. */
  readonly counts = new Map<TokenState, number>();
  readonly deadlines = new Deadlines();
  readonly children = new Map<string, ChildFact>();
  childrenSuspended = 0;
  childNodesUsed = 0;
  descendantsUsed = 0;
  readonly prompts = new Map<string, PromptFact>();
  readonly queue = new Map<string, QueuedPrompt>();
  /** By the id of an event that was received: the newest token then, and when it is forgotten. */
  readonly received = new Map<string, { readonly lastToken: number; readonly expiresAt: number }>();
  isPaused = false;
  /** How often it was paused, and went on. */
  pauses = 0;
  resumes = 0;
  isSuspended = false;
  held: JsonObject[] = [];
  credits = { isAwaited: false, requested: 0, spent: 0 };
  tasksStarted = 0;
  result: Json | undefined;
  /** Of runs that keep them, by node. */
  readonly outputs = new Map<string, Json>();
  readonly takenOver = new Set<string>();
  readonly errors = new Map<string, Failure>();
  readonly touched = new Touched();
  /** The process that commits now; null if nobody tells. */
  process: string | number | null = null;
  resumedAt = 0;
  /** What the newest row asks of other runs, as `type to`. */
  messages: string[] = [];
  /** An action may ask for a longer back-off than its policy gives. */
  workersAskForDelays = false;
  /** It has taken over the work of another, and says again what that had said. */
  isRestored = false;
  /** By how much a timer was late at most, pauses aside. */
  lateMs = 0;

  constructor(drawing: Drawing, runId: string) {
    this.drawing = drawing;
    this.runId = runId;
    this.root = this.newBranch(null, 0, null);
  }

  broken(invariant: InvariantId, message: string): never {
    throw new Broken(invariant, message);
  }

  token(id: number): TokenFact {
    return this.tokens.get(id) ?? this.broken('I5', `Expected token ${id} to have been created, but it was not`);
  }

  group(id: number): GroupFact {
    return this.groups.get(id) ?? this.broken('I9', `Expected group ${id} to have been opened, but it was not`);
  }

  branch([group, index]: BranchRef): BranchFact {
    if (group === 0) return this.root;
    const found = this.group(group).branches.get(index);
    return (
      found ?? this.broken('I9', `Expected branch ${index} of group ${group} to have been spawned, but it was not`)
    );
  }

  count(state: TokenState): number {
    return this.counts.get(state) ?? 0;
  }

  /** Tokens and joins that will wake by a timer. */
  get timed(): number {
    return this.deadlines.size;
  }

  newBranch(group: GroupFact | null, index: number, spawn: SpawnFact | null): BranchFact {
    return {
      group,
      index,
      spawn,
      live: 0,
      arrival: null,
      hasEnded: false,
      hasFailed: false,
      error: null,
      isDetached: false,
      isDiscarded: false,
      standing: 'idle',
      writes: null,
      raw: undefined,
      edges: this.drawing.countsNodes ? newEdges() : null,
    };
  }

  /** I1: a token has one state, and goes from one to another by the allowed arrows only. */
  move(token: TokenFact, to: TokenState): void {
    const from = token.state;
    if (arrows[from]?.has(to) !== true) {
      if (terminal.has(from)) this.broken('I3', `Expected token ${token.id} to stay ${from}, but it went on to ${to}`);
      this.broken('I1', `Expected token ${token.id} not to go from ${from} to ${to}, but it did`);
    }
    if (token.mustFail !== null && to !== 'failed' && to !== 'cancelled')
      this.broken('I15', `Expected token ${token.id} to fail as its join has, but it went on to ${to}`);
    if (token.dueAt !== null) this.setDue(token, null);
    if (from === 'subworkflow') this.setChildSuspended(token, false);
    this.counts.set(from, (this.counts.get(from) ?? 0) - 1);
    this.counts.set(to, (this.counts.get(to) ?? 0) + 1);
    token.state = to;
    if (terminal.has(to)) this.#endToken(token, from);
  }

  setDue(token: TokenFact, at: number | null): void {
    if (token.dueAt !== null) this.deadlines.remove(token.dueAt);
    token.dueAt = at;
    if (at !== null) this.deadlines.add(at);
  }

  setChildSuspended(token: TokenFact, isSuspended: boolean): void {
    if (token.isChildSuspended === isSuspended) return;
    token.isChildSuspended = isSuspended;
    this.childrenSuspended += isSuspended ? 1 : -1;
  }

  #endToken(token: TokenFact, from: TokenState): void {
    this.live--;
    this.touched.tokens++;
    token.endedIn = this.seq;
    if (from === 'edges' || from === 'siblings') this.touched.branches.add(token.branch);
    else this.hold(token.branch, token.node.id, -1);
    this.leave(token);
  }

  /** I26: nothing happens before its time. How late it is, is remembered. */
  reachDue(dueAt: number | null, what: string): void {
    this.touched.timers++;
    if (dueAt === null || this.at < dueAt)
      this.broken('I26', `Expected ${what} to wait until ${dueAt}, but its time was over at ${this.at}`);
    this.lateMs = Math.max(this.lateMs, this.at - Math.max(dueAt, this.resumedAt));
  }

  /** It comes to live in a branch. */
  enter(token: TokenFact, branch: BranchFact): void {
    token.branch = branch;
    branch.live++;
    for (let b = branch; b.group !== null; b = b.group.parent) b.group.inside++;
    this.settle(branch);
  }

  /** It lives there no more. An arrival was no longer counted as living there. */
  leave(token: TokenFact): void {
    const { branch } = token;
    for (let b = branch; b.group !== null; b = b.group.parent) b.group.inside--;
    if (branch.arrival === token) {
      branch.arrival = null;
      if (branch.group !== null && !branch.group.isDecided) branch.group.arrived--;
    } else branch.live--;
    this.settle(branch);
  }

  /** Who can still go on from a node of a branch. */
  hold(branch: BranchFact, node: string, change: 1 | -1): void {
    if (branch.edges === null) return;
    const count = (branch.edges.holds.get(node) ?? 0) + change;
    if (count === 0) branch.edges.holds.delete(node);
    else branch.edges.holds.set(node, count);
    this.touched.branches.add(branch);
  }

  /** A group is open, or no longer. The slices of a batch hold its node, which is not done. */
  holdFan(group: GroupFact, change: 1 | -1): void {
    const { parent, node } = group;
    if (group.batch !== null) return this.hold(parent, node, change);
    if (change === 1) parent.edges?.fans.add(group);
    else parent.edges?.fans.delete(group);
    this.touched.branches.add(parent);
  }

  /** Counts a branch anew in its group. */
  settle(branch: BranchFact): void {
    const { group, standing } = branch;
    if (group === null) return;
    this.touched.groups.add(group);
    const next = branch.hasEnded ? 'ended' : branch.live > 0 ? 'busy' : branch.arrival === null ? 'idle' : 'arrived';
    if (next === standing) return;
    branch.standing = next;
    if (standing === 'busy') this.#countBusy(branch, group, -1);
    else if (standing === 'idle') group.idle--;
    if (next === 'busy') this.#countBusy(branch, group, 1);
    else if (next === 'idle') group.idle++;
  }

  #countBusy({ spawn, isDetached }: BranchFact, group: GroupFact, change: 1 | -1): void {
    group.busy += change;
    if (spawn !== null) spawn.busy += change;
    if (isDetached) group.detachedBusy += change;
  }

  /** The group no longer keeps the branch that fanned out from being done. */
  release(group: GroupFact): void {
    if (group.deadline !== null) this.deadlines.remove(group.deadline);
    group.deadline = null;
    if (group.isDecided) return;
    group.isDecided = true;
    this.touched.groups.add(group);
    this.holdFan(group, -1);
    group.parent.live--;
    this.settle(group.parent);
  }
}

const newEdges = (): EdgeFacts => ({
  holds: new Map(),
  taken: new Map(),
  waiting: new Set(),
  decided: new Set(),
  fans: new Set(),
});

export const isOver = ({ state }: TokenFact): boolean => terminal.has(state);
