// Planning: what the rules share while one command is answered. Every event is applied before the next rule looks at
// the state; what a rule leaves to others it puts on the list of steps, which `plan.ts` works off in order.
//
// Always true: nothing is recorded after the run has ended.

import { InvariantError } from '../../base/assert.ts';
import type { Failure } from '../../base/failure.ts';
import type { Json } from '../../base/json.ts';
import type { Graph, GraphNode, Join, Transition } from '../../definition/graph.ts';
import { apply } from '../apply/apply.ts';
import type { Decision } from '../decisions.ts';
import type { Effect } from '../effects.ts';
import type { Event, RunStart, TokenId } from '../events.ts';
import { holdsCommands } from '../run-class.ts';
import type { Branch, Group, RunState, Token } from '../state.ts';
import type { TraceEvent } from '../trace.ts';
import type { Allowance } from './allowance.ts';

export interface Planning {
  readonly graph: Graph;
  readonly state: RunState;
  readonly at: number;
  readonly events: Event[];
  readonly effects: Effect[];
  readonly steps: Step[];
  readonly failures: UnhandledFailure[];
  readonly allowance: Allowance;
  /** Branches that may begin before those that have begun are worked off (FO13). */
  branchesLeft: number;
  /** A command that was held has its turn: it is not held again. */
  takesHeld: boolean;
  /** Ready tasks were left to the next command. */
  isCutShort: boolean;
  /** Null unless the run asked for a trace. */
  readonly trace: TraceEvent[] | null;
  /** Null unless the sender of the command wants them explained. */
  readonly decisions: Decision[] | null;
  /** A limit was exceeded, or the run cannot continue: it fails before the next step. */
  fatal: Failure | null;
  /** Groups whose failure is on its list already; null as long as there is none, as almost always. */
  failing: Set<Group> | null;
  /** Branches whose edge joins are to be looked at when no step is left; null as long as there is none. */
  unsettled: Set<Branch> | null;
}

/** What is still to be looked at within this command. */
export type Step =
  /** `count` tokens from `token` on were created. */
  | { readonly type: 'enter'; readonly token: TokenId; readonly count: number }
  /** The node of a token has failed: one that was just created, or a batch. */
  | { readonly type: 'fail'; readonly token: TokenId; readonly failure: Failure }
  /** A token's node begins its work: its arrival, if any, is behind it. */
  | { readonly type: 'begin'; readonly token: TokenId }
  /** A token has left a node of a branch. */
  | { readonly type: 'leave'; readonly branch: Branch }
  /** The edge joins of a branch are looked at. */
  | { readonly type: 'settle'; readonly branch: Branch }
  | { readonly type: 'check'; readonly group: Group }
  /** All slices of a batch have ended. */
  | { readonly type: 'merge-slices'; readonly group: Group };

/** A failure that no transition handled. */
export interface UnhandledFailure {
  readonly branch: Branch;
  readonly failure: Failure;
}

/** PL4: a failure comes before everything else that is still to be looked at, so that nobody finds its branch merely empty. */
export function fail(p: Planning, branch: Branch, failure: Failure): void {
  p.failures.push({ branch, failure });
}

export function noteFailing(p: Planning, group: Group): void {
  p.failing ??= new Set();
  p.failing.add(group);
}

/** In a graph with edge joins somebody has left a node of the branch, or waits for edges in it. */
export function noteUnsettled(p: Planning, branch: Branch): void {
  p.unsettled ??= new Set();
  p.unsettled.add(branch);
}

/** EJ11: edge joins are looked at when no step is left, so that nobody is on the way. */
export function queueUnsettled(p: Planning, unsettled: ReadonlySet<Branch>): void {
  for (const branch of unsettled) p.steps.push({ type: 'settle', branch });
  p.unsettled = null;
}

/** Whether what comes now is kept: the run is paused, or what came before has not had its turn. */
export function isHolding({ state, takesHeld }: Planning): boolean {
  return holdsCommands(state) && !takesHeld;
}

/** Whether something is still to be looked at. */
export function hasSteps({ steps, failures }: Planning): boolean {
  return steps.length + failures.length > 0;
}

/** To empty a list takes a tenth of a microsecond, also if it is empty, as they are most of the time. */
export function dropSteps({ steps, failures }: Planning): void {
  if (steps.length > 0) steps.length = 0;
  if (failures.length > 0) failures.length = 0;
}

export function record(p: Planning, event: Event): void {
  if (p.state.outcome !== null)
    throw new InvariantError(`Expected nothing after the end of the run, but ${event.type} was to be recorded`);
  // PL2: every event is applied before the next rule looks at the state.
  p.events.push(event);
  apply(p.state, event);
  if (p.trace) traceEvent(p.trace, event);
}

export function request(p: Planning, effect: Effect): void {
  p.effects.push(effect);
}

export function runOf(p: Planning): RunStart {
  const { run } = p.state;
  if (!run) throw new InvariantError('Expected the run to have started, but it has not');
  return run;
}

export function nodeOf(p: Planning, id: string): GraphNode {
  const node = p.graph.nodes.get(id);
  if (!node)
    throw new InvariantError(
      `Expected node ${id} in workflow ${p.graph.id} version ${p.graph.version}, but there is none`,
    );
  return node;
}

export function joinOf(p: Planning, id: string): Join {
  const join = p.graph.joins.get(id);
  if (!join)
    throw new InvariantError(
      `Expected join ${id} in workflow ${p.graph.id} version ${p.graph.version}, but there is none`,
    );
  return join;
}

/** The transition that brought a token, if one did. */
export function arrivedBy(p: Planning, token: Token): Transition | null {
  if (token.via === null) return null;
  const transition = p.graph.transitionsById.get(token.via);
  if (!transition)
    throw new InvariantError(`Expected transition ${token.via} in workflow ${p.graph.id}, but there is none`);
  return transition;
}

export function traceDecision(p: Planning, type: TraceEvent['type'], data: Readonly<Record<string, Json>>): void {
  p.trace?.push({ type, data });
}

function traceEvent(trace: TraceEvent[], event: Event): void {
  if (event.type === 'context.updated' || event.type === 'branches.merged') {
    for (const [target, value] of event.writes)
      trace.push({ type: 'operation.context.field_set', data: { target, value: value ?? null } });
  }
  if (event.type.startsWith('token') || event.type.startsWith('task')) {
    trace.push({ type: 'operation.tokens.status_updated', data: { event: event.type, ...tokensOf(event) } });
  }
}

function tokensOf(event: Event): Record<string, Json> {
  if ('tokens' in event) return { tokens: event.tokens };
  return 'token' in event ? { tokens: [event.token] } : {};
}
