// Facts and decisions: which events of a journal tell what came from outside, and which follow from it. A commit is one
// command and all that was decided on it; the journal keeps no commands, but the facts of a commit name the command.
//
// Always true: every type of event is in the table, so that a new one does not compile until it is classified. The
// command that is read here leads planning, on the state before the commit, to the events that were recorded. Rule RD1.

import { given } from '../../base/given.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import type { Graph } from '../../definition/graph.ts';
import type { ChildEnded, Command, HandOut } from '../commands.ts';
import type { Event, EventOf, EventType } from '../events.ts';
import { nextTimerAt } from '../planning/timers.ts';
import type { RunState } from '../state.ts';
import { outcomeOfFailure, restoreOutput } from './task-outcome.ts';

/** What one command came to, as the journal keeps it. */
export interface Commit {
  readonly seq: number;
  readonly at: number;
  readonly events: readonly Event[];
}

/** A commit, the state just before it and the definition that it was decided by. */
export interface Opening {
  readonly graph: Graph;
  readonly state: RunState;
  readonly commit: Commit;
}

/** The command that an event describes; null if the event was decided here, as it is elsewhere in a commit. */
type Reader<T extends EventType> = (event: EventOf<T>, opening: Opening) => Command | null;

type Role<T extends EventType> =
  /** Follows from state and definition, always. */
  | 'decision'
  /** Part of a fact that another event opens. */
  | 'fact'
  /** A fact if it is the first event of its commit; otherwise a decision. */
  | { readonly opens: Reader<T> }
  /** A fact that is the last event of its commit: what a run does on its end comes before it. */
  | { readonly closes: Reader<T> };

type Roles = { readonly [T in EventType]: Role<T> };

/** RD1: what is a fact, and what is a decision. */
const roles: Roles = {
  'workflow.started': { opens: started },
  'workflow.restored': 'fact',
  'workflow.completed': 'decision',
  'workflow.failed': 'decision',
  'workflow.cancelled': { closes: ({ reason }, { commit: { at } }) => ({ type: 'cancel', at, reason }) },
  'workflow.timed_out': { closes: alarm },
  'workflow.exhausted': { closes: refusedCredits },
  'workflow.suspended': 'decision',
  'workflow.resumed': 'decision',
  'workflow.result_set': 'decision',
  'workflow.paused': { opens: (_, { commit: { at } }) => ({ type: 'pause', at }) },
  'workflow.unpaused': { opens: (_, { commit: { at } }) => ({ type: 'resume', at }) },
  'held.taken': { opens: (_, { commit: { at } }) => ({ type: 'continue', at }) },
  'workflow.held': { opens: ({ command }) => command as unknown as Command }, // made by `holdCommand`
  'token.created': 'decision',
  'token.waiting': { opens: unavailable },
  'token.completed': 'decision',
  'tokens.completed': 'decision',
  'tokens.timed_out': 'decision',
  'tokens.cancelled': 'decision',
  'task.dispatched': 'decision',
  'step.completed': { opens: stepDone },
  'task.completed': { opens: ({ token }, opening) => answered(token, opening) },
  'task.attempt_failed': { opens: ({ token }, opening) => answered(token, opening) },
  'task.failed': { opens: ({ token }, opening) => answered(token, opening) },
  'control.ignored': { opens: ({ token }, opening) => answered(token, opening) },
  'tasks.lost': { opens: ({ tokens }, opening) => recover(opening, { lost: tokens, offered: [] }) },
  'tasks.offered': { opens: offered },
  'timer.fired': { opens: alarm },
  'handle.unmatched': 'decision',
  'fan_out.started': 'decision',
  'batch.completed': 'decision',
  'fan_in.completed': 'decision',
  'fan_in.failed': 'decision',
  'branches.merged': 'decision',
  'branch.ended': 'decision',
  'branches.detached': 'decision',
  'branch.abandoned_failed': 'decision',
  'branch.discarded': 'decision',
  'group.closed': 'decision',
  'edges.settled': 'decision',
  'edge_join.completed': 'decision',
  'subworkflow.dispatched': 'decision',
  'subworkflow.completed': { opens: childEnded },
  'subworkflow.ended_late': {
    opens: ({ type: _, ...used }, { commit: { at } }) => ({ type: 'child.ended', at, token: 0, status: '', ...used }),
  },
  'subworkflow.suspended': {
    opens: ({ token, childRunId }, { commit: { at } }) => ({ type: 'child.suspended', at, token, childRunId }),
  },
  'subworkflow.resumed': {
    opens: ({ token, childRunId }, { commit: { at } }) => ({ type: 'child.resumed', at, token, childRunId }),
  },
  'subworkflow.timed_out': { opens: alarm },
  'input.queued': 'decision',
  'input.requested': { opens: granted },
  'input.resumed': {
    opens: ({ type: _, ...answer }, { commit: { at } }) => ({ type: 'reply', at, ...answer }),
  },
  'input.expired': { opens: alarm },
  'input_queue.joined': {
    opens: ({ type: _, ...prompt }, { commit: { at } }) => ({ type: 'input.enqueue', at, ...prompt }),
  },
  'input_queue.left': {
    opens: ({ type: _, ...prompt }, { commit: { at } }) => ({ type: 'input.release', at, ...prompt }),
  },
  'event.awaited': 'decision',
  'event.received': { opens: eventArrived },
  'credits.requested': 'decision',
  'credits.granted': {
    opens: ({ type: _, ...grant }, { commit: { at } }) => ({
      type: 'credits.answer',
      at,
      granted: true,
      balance: 0,
      ...grant,
    }),
  },
  'context.updated': 'decision',
};

/** The command of a commit. `opening.state` is only looked at. */
export function restoreCommand(opening: Opening): Command {
  const { events } = opening.commit;
  const last = events.at(-1);
  const first = events[0];
  return (first && read('opens', first, opening)) ?? (last && read('closes', last, opening)) ?? ownCommand(opening);
}

function read(place: 'opens' | 'closes', event: Event, opening: Opening): Command | null {
  // The role of its type: it takes this event.
  const role = roles[event.type] as { readonly [P in 'opens' | 'closes']?: (e: Event, o: Opening) => Command | null };
  return role[place]?.(event, opening) ?? null;
}

/** Nothing came from outside: a timer was due, or the run continued with what it had left to a later command. */
function ownCommand({ state, commit: { at, events } }: Opening): Command {
  const dueAt = nextTimerAt(state);
  const isAlarm = dueAt !== null && dueAt <= at && !isContinued(state, events[0]);
  return { type: isAlarm ? 'alarm' : 'continue', at };
}

/** What a `continue` begins with: a hand-out, one that comes to nothing, or a branch that had not begun. */
function isContinued(state: RunState, first: Event | undefined): boolean {
  if (first?.type === 'task.failed') return state.tokens.get(first.token)?.status === 'ready';
  return first?.type === 'token.created' ? first.from !== undefined : first?.type === 'task.dispatched';
}

// ---------------------------------------------------------------------------------------------------------- readers

function alarm(_: Event, { commit: { at } }: Opening): Command {
  return { type: 'alarm', at };
}

function started({ type: _, at, ...start }: EventOf<'workflow.started'>, { commit }: Opening): Command {
  const [, next] = commit.events;
  if (next?.type !== 'workflow.restored') return { type: 'start', at, start };
  return { type: 'start', at, start, restore: next.state, ...given({ isWhole: next.isWhole || undefined }) };
}

/** A task was answered: by a result, or by a failure. */
function answered(id: number, opening: Opening): Command | null {
  const { state, commit } = opening;
  const token = state.tokens.get(id);
  if (token?.status !== 'dispatched') return null;
  const failed = commit.events.find(
    (event): event is EventOf<'task.failed' | 'task.attempt_failed'> =>
      (event.type === 'task.failed' || event.type === 'task.attempt_failed') && event.token === id,
  );
  const output = restoreOutput(opening, token);
  const answer = { type: 'task.result', at: commit.at, token: id, dispatch: token.dispatch } as const;
  if (output !== undefined) return { ...answer, outcome: { type: 'completed', output } };
  return failed ? { ...answer, outcome: outcomeOfFailure(opening, token, failed) } : null;
}

function stepDone(done: EventOf<'step.completed'>, { state, commit: { at } }: Opening): Command {
  const { type: _, attempt: __, token, ...remembered } = done;
  return { type: 'task.step', at, token, dispatch: state.tokens.get(token)?.dispatch ?? 0, ...remembered };
}

function unavailable(event: EventOf<'token.waiting'>, { state, commit: { at } }: Opening): Command | null {
  const token = state.tokens.get(event.token);
  if (event.for !== 'action' || !token) return null;
  const { action } = event;
  const message = `Expected somebody to have the action ${action}, but nobody had`;
  const outcome = { type: 'unavailable', action, failure: { code: 'ACTION_NOT_FOUND', message } } as const;
  return { type: 'task.result', at, token: token.id, dispatch: token.dispatch, outcome };
}

function offered({ tokens }: EventOf<'tasks.offered'>, opening: Opening): Command {
  const [, next] = opening.commit.events;
  return recover(opening, { lost: next?.type === 'tasks.lost' ? next.tokens : [], offered: tokens });
}

/** What was running and is not said to be lost was held by somebody. */
function recover(
  { state, commit: { at } }: Opening,
  { lost, offered: again }: { readonly lost: readonly number[]; readonly offered: readonly number[] },
): Command {
  const isLost = new Set(lost);
  const held: HandOut[] = [];
  for (const { id, status, dispatch } of state.tokens.values())
    if (status === 'dispatched' && !isLost.has(id)) held.push({ token: id, dispatch });
  return { type: 'recover', at, held, offered: again };
}

/** What a sub-run threw is not in what is recorded of its end, but in the failure of its node. */
function childEnded({ type: _, ...ended }: EventOf<'subworkflow.completed'>, { commit }: Opening): Command {
  const [, next] = commit.events;
  const failed = next?.type === 'task.failed' || next?.type === 'task.attempt_failed' ? next.error : null;
  const thrown = ended.error && failed?.thrown ? { error: { ...ended.error, thrown: failed.thrown } } : {};
  const told: ChildEnded = { type: 'child.ended', ...ended, ...thrown };
  return { ...told, at: commit.at };
}

function granted({ token: id }: EventOf<'input.requested'>, { state, commit: { at } }: Opening): Command | null {
  const token = state.tokens.get(id);
  return token?.status === 'waiting_for_input' && !token.asked ? { type: 'input.grant', at, token: id } : null;
}

function eventArrived(received: EventOf<'event.received'>, { graph, state, commit: { at } }: Opening): Command {
  const { token: id, eventId, payload, expiresAt } = received;
  const token = state.tokens.get(id);
  const work = graph.nodes.get(token?.node ?? '')?.work;
  const event = work?.type === 'event' ? work.event : '';
  const correlation = token?.correlationId ?? '';
  return { type: 'event', at, token: id, eventId, event, correlation, payload, expiresAt };
}

/** The ledger said no: to the run as a whole, or to a node; of several tokens there any will do. */
function refusedCredits({ error }: EventOf<'workflow.exhausted'>, { state, commit: { at } }: Opening): Command {
  // Made by `exhausted`.
  const { amount = 0, balance = 0 } = detailsOf(error.details) as { amount?: number; balance?: number };
  const answer = { type: 'credits.answer', at, granted: false, amount, balance } as const;
  if (error.nodeId === undefined) return answer;
  const waiting = [...state.tokens.values()].find(
    ({ status, node }) => status === 'waiting_for_credits' && node === error.nodeId,
  );
  return waiting ? { ...answer, token: waiting.id } : answer;
}

const detailsOf = (details: Json | undefined): JsonObject => (details ?? {}) as JsonObject; // made by `exhausted`
