// Invariants: what must be true of every run, read from its journal alone. This is the door; the rules stand in
// token-invariants and group-invariants, and here those of the run itself: I7, I26, I31, I37, I38.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Definition } from '../../packages/heddle/src/definition/definition.ts';
import { checkRest, endBranch, failJoin, fireJoin, mergeBranches, openGroup } from './group-invariants.testsuite.ts';
import { type EventOf, Facts, isOpen } from './journal-facts.testsuite.ts';
import { stable } from './oracle.testsuite.ts';
import {
  acceptResult,
  completeStep,
  createTokens,
  dispatchTask,
  endChild,
  failAttempt,
  fireTimer,
  waitFor,
} from './token-invariants.testsuite.ts';

export interface Expectations {
  readonly definition: Definition;
  /** Numbers of the calls whose answers may count. */
  readonly fairAnswers: ReadonlySet<number>;
}

export interface Reading {
  readonly state: Record<string, unknown>;
  readonly output: unknown;
  readonly end: RunEvent | null;
  /** The earliest deadline that is set. */
  readonly nextTimerAt: number | null;
  readonly liveTokens: number;
  readonly accepted: readonly number[];
}

/** Reads a journal; throws at the first event that breaks a rule. */
export function checkJournal(events: readonly RunEvent[], { definition, fairAnswers }: Expectations): Reading {
  const facts = new Facts(definition);
  for (const [index, event] of events.entries()) {
    checkOrder(facts, event, events[index - 1]);
    facts.event = event;
    const read = readers[event.type] as (facts: Facts, event: RunEvent, fairAnswers: ReadonlySet<number>) => void;
    read(facts, event, fairAnswers);
    if (events[index + 1]?.seq !== event.seq) checkRest(facts);
  }
  return readingOf(facts);
}

function checkOrder(facts: Facts, event: RunEvent, before: RunEvent | undefined): void {
  facts.must(facts.end === null, 'I37', 'an event after the end');
  const { seq, at } = before ?? { seq: 0, at: 0 };
  facts.must(event.seq === seq + 1 || (event.seq === seq && seq > 0), 'I31', 'the sequence has a gap');
  facts.must(event.at >= at, 'I26', 'time went back');
}

type Readers = {
  readonly [T in RunEvent['type']]: (facts: Facts, event: EventOf<T>, fairAnswers: ReadonlySet<number>) => void;
};
const moveAll = (status: string) => (facts: Facts, event: { readonly tokens: readonly number[] }) => {
  for (const id of event.tokens) facts.move(id, status);
};
const nothing = (): void => undefined;

const readers: Readers = {
  'workflow.started': nothing,
  'workflow.restored': nothing,
  'workflow.paused': nothing,
  'workflow.unpaused': nothing,
  'workflow.held': nothing,
  'held.taken': nothing,
  'workflow.completed': complete,
  'workflow.failed': fail,
  'workflow.cancelled': end,
  'workflow.timed_out': end,
  'workflow.exhausted': end,
  'workflow.suspended': nothing,
  'workflow.resumed': nothing,
  'workflow.result_set': nothing,
  'token.created': createTokens,
  'token.waiting': waitFor,
  'token.completed': (facts, { token }) => void facts.move(token, 'completed'),
  'tokens.completed': moveAll('completed'),
  'tokens.timed_out': moveAll('timed_out'),
  'tokens.cancelled': moveAll('cancelled'),
  'task.dispatched': dispatchTask,
  'step.completed': completeStep,
  'task.completed': acceptResult,
  'task.attempt_failed': failAttempt,
  'task.failed': (facts, { token }) => void facts.move(token, 'failed'),
  'tasks.lost': moveAll('ready'),
  'tasks.offered': moveAll('ready'),
  'timer.fired': fireTimer,
  'handle.unmatched': nothing,
  'control.ignored': nothing,
  'input.queued': nothing,
  'input.requested': nothing,
  'input.resumed': nothing,
  'input.expired': nothing,
  'input_queue.joined': nothing,
  'input_queue.left': nothing,
  'event.awaited': nothing,
  'event.received': nothing,
  'credits.requested': nothing,
  'credits.granted': nothing,
  'batch.completed': nothing,
  'subworkflow.suspended': nothing,
  'subworkflow.resumed': nothing,
  'subworkflow.dispatched': (facts, event) => {
    facts.move(event.token, 'subworkflow').dueAt = event.deadline ?? null;
  },
  'subworkflow.completed': endChild,
  'subworkflow.timed_out': endChild,
  'subworkflow.ended_late': nothing,
  'fan_out.started': openGroup,
  'fan_in.completed': fireJoin,
  'fan_in.failed': failJoin,
  'branches.merged': mergeBranches,
  'branch.ended': endBranch,
  'branches.detached': (facts, { group, indices }) => {
    facts.group(group).detached = new Set(indices);
  },
  'branch.abandoned_failed': nothing,
  'branch.discarded': nothing,
  'group.closed': (facts, { group }) => {
    facts.group(group).isClosed = true;
  },
  'edges.settled': nothing,
  'edge_join.completed': nothing,
  'context.updated': (facts, { branch, writes }) => facts.write(branch, writes),
};

function end(facts: Facts, event: RunEvent): void {
  const ids = facts.alive.map(({ id }) => id).join();
  facts.must(ids === '', 'I7', `tokens ${ids} outlive the run`);
  facts.end = event;
}

function complete(facts: Facts, event: EventOf<'workflow.completed'>): void {
  end(facts, event);
  facts.output = event.output;
  facts.must(stable(event.output) === stable({ x: facts.state.x }), 'I38', 'the output is not what its mapping gives');
}

function fail(facts: Facts, event: EventOf<'workflow.failed'>): void {
  end(facts, event);
  const { code, message, nodeId, limit } = event.error;
  facts.must(code !== '' && message !== '', 'I38', 'a failure without a cause');
  const isAtNode = nodeId === undefined ? limit !== undefined : facts.hasNode(nodeId);
  facts.must(isAtNode, 'I38', 'a failure at no node');
}

function readingOf(facts: Facts): Reading {
  const deadlines = [...facts.groups.values()].filter(isOpen).map(({ deadline }) => deadline);
  const due = [...facts.alive.map(({ dueAt }) => dueAt), ...deadlines].filter((at) => at !== null);
  return {
    state: facts.state,
    output: facts.output,
    end: facts.end,
    nextTimerAt: facts.end !== null || due.length === 0 ? null : Math.min(...due),
    liveTokens: facts.alive.length,
    accepted: facts.accepted,
  };
}
