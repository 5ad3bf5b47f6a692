// Check journal: the door for one run. It is fed the run's journal a row at a time, as rows are committed or all at the
// end, and answers with the first invariant that is broken. Every event has a reader; the rules stand beside what they
// are about, in the other files of this room.
//
// Always true: what it knows it has from the journal and the pinned definition alone; a row costs what it changes.

import type { JournalRow, OutboxRow, RunRow } from '../../packages/heddle/src/actor/ports.ts';
import type { Event, EventOf, EventType } from '../../packages/heddle/src/core/events.ts';
import { closeGroup, detachBranches, discardWrites, endBranch, failAbandoned } from './check-branches.ts';
import { completeEdgeJoin, settleEdges, waitForEdges } from './check-edges.ts';
import { openGroup, waitForBatch } from './check-groups.ts';
import { arrive, completeBatch, failJoin, fireJoin } from './check-joins.ts';
import { checkMessages, expectMessages } from './check-outbox.ts';
import { checkRest } from './check-rest.ts';
import {
  checkPaused,
  completeRun,
  endRun,
  failRun,
  hasWork,
  holdCommand,
  nextTimerAt,
  pauseRun,
  startRun,
  statusOf,
  suspendRun,
  takeHeld,
  timeOutRun,
  unpauseRun,
} from './check-run.ts';
import { completeStep, completeTask, dispatchTask, failAttempt, failTask, loseTasks } from './check-tasks.ts';
import { cancelTokens, completeToken, completeTokens, createTokens, timeOutTokens } from './check-tokens.ts';
import { checkMergeFollows, checkWriter, mergeBranches, setResult, updateContext } from './check-values.ts';
import * as waits from './check-waits.ts';
import type { InvariantId } from './coverage.ts';
import type { Drawing } from './drawing.ts';
import { restoreFacts } from './restore-facts.ts';
import { RunFacts } from './run-facts.ts';
import { Broken, type Violation } from './violation.ts';

type Readers = { readonly [T in EventType]: (facts: RunFacts, event: EventOf<T>) => void };

const readers: Readers = {
  'workflow.started': startRun,
  'workflow.restored': restoreFacts,
  'workflow.completed': completeRun,
  'workflow.failed': failRun,
  'workflow.cancelled': endRun,
  'workflow.timed_out': timeOutRun,
  'workflow.exhausted': endRun,
  'workflow.suspended': suspendRun,
  'workflow.resumed': suspendRun,
  'workflow.result_set': setResult,
  'workflow.paused': pauseRun,
  'workflow.unpaused': unpauseRun,
  'workflow.held': holdCommand,
  'held.taken': takeHeld,
  'token.created': createTokens,
  'token.waiting': (facts, event) => {
    if (event.for === 'siblings') arrive(facts, event);
    else if (event.for === 'timer') waits.waitForTime(facts, event);
    else if (event.for === 'batch') waitForBatch(facts, event);
    else if (event.for === 'action') waits.refuseWaitForAction(facts, event);
    else waitForEdges(facts, event);
  },
  'token.completed': completeToken,
  'tokens.completed': completeTokens,
  'tokens.timed_out': timeOutTokens,
  'tokens.cancelled': cancelTokens,
  'task.dispatched': dispatchTask,
  'step.completed': completeStep,
  'task.completed': completeTask,
  'task.attempt_failed': failAttempt,
  'tasks.lost': loseTasks,
  'tasks.offered': () => undefined, // nothing is: see `refuseWaitForAction`
  'task.failed': failTask,
  'timer.fired': waits.fireTimer,
  'handle.unmatched': (facts, { token, node }) => mustBeAt(facts, token, node),
  'control.ignored': (facts, { token, node }) => mustBeAt(facts, token, node),
  'fan_out.started': openGroup,
  'batch.completed': completeBatch,
  'fan_in.completed': fireJoin,
  'fan_in.failed': failJoin,
  'branches.merged': mergeBranches,
  'branch.ended': endBranch,
  'branches.detached': detachBranches,
  'branch.abandoned_failed': failAbandoned,
  'branch.discarded': discardWrites,
  'group.closed': closeGroup,
  'edges.settled': settleEdges,
  'edge_join.completed': completeEdgeJoin,
  'subworkflow.dispatched': waits.dispatchChild,
  'subworkflow.completed': waits.endChild,
  'subworkflow.ended_late': waits.endChildLate,
  'subworkflow.suspended': waits.changeChild,
  'subworkflow.resumed': waits.changeChild,
  'subworkflow.timed_out': waits.timeOutChild,
  'input.queued': waits.queuePrompt,
  'input.requested': waits.askPrompt,
  'input.resumed': waits.answerPrompt,
  'input.expired': waits.expirePrompt,
  'input_queue.joined': waits.changeQueue,
  'input_queue.left': waits.changeQueue,
  'event.awaited': waits.awaitEvent,
  'event.received': waits.receiveEvent,
  'credits.requested': waits.requestCredits,
  'credits.granted': waits.grantCredits,
  'context.updated': updateContext,
};

/** What only handle graphs tell of. */
function mustBeAt(facts: RunFacts, token: number, node: string): void {
  const { controlKeys, namesHandles } = facts.drawing.policy;
  if (!(controlKeys || namesHandles) || facts.token(token).node.id !== node)
    facts.broken('I6', `Expected token ${token} not to be at ${node} of a handle graph, but it was told so`);
}

/** A journal row, with its events as data. */
export interface ReadRow extends Pick<JournalRow, 'seq' | 'at'> {
  readonly events: readonly Event[];
}

export class JournalCheck {
  readonly facts: RunFacts;
  /** The first invariant that was broken: nothing is looked at after it. */
  violation: Violation | null = null;
  #head = '';

  constructor(drawing: Drawing, runId: string) {
    this.facts = new RunFacts(drawing, runId);
  }

  /** The next row. Answers with what is broken, if anything is. */
  feed(row: ReadRow): Violation | null {
    return this.#look(() => readRow(this.facts, row));
  }

  /** I31: the next row as it is stored: its hash covers the row before it, its number, its time and its events. */
  feedStored(row: JournalRow, hashOf: (text: string) => string, events = readEvents(row)): Violation | null {
    return this.#look(() => {
      const { seq, at, hash } = row;
      if (hashOf(`${this.#head}\n${seq}\n${at}\n${row.events}`) !== hash)
        this.facts.broken('I31', `Expected row ${seq} to match its hash, but it does not`);
      this.#head = hash;
      readRow(this.facts, { seq, at, events });
    });
  }

  /** What the newest row that was fed has sent to others, in the same commit. */
  checkSent(sent: readonly OutboxRow[]): Violation | null {
    const isAgain = this.facts.isRestored && this.facts.seq === 1;
    return isAgain ? this.violation : this.#look(() => checkMessages(this.facts, sent));
  }

  /** The row of the run in its store, as of the newest row that was fed. */
  compare(row: RunRow): Violation | null {
    return this.#look(() => compareRow(this.facts, row, this.#head));
  }

  #look(look: () => void): Violation | null {
    if (this.violation !== null) return this.violation;
    try {
      look();
    } catch (error) {
      if (!(error instanceof Broken)) throw error;
      const { runId, seq } = this.facts;
      this.violation = { invariant: error.invariant, runId, seq, message: error.message };
    }
    return this.violation;
  }
}

export const readEvents = ({ events }: JournalRow): readonly Event[] => JSON.parse(events) as Event[]; // as it was stored

function readRow(facts: RunFacts, { seq, at, events }: ReadRow): void {
  if (facts.end !== null) facts.broken('I37', `Expected nothing after ${facts.end.type}, but found row ${seq}`);
  if (seq !== facts.seq + 1 || events.length === 0)
    facts.broken('I31', `Expected row ${facts.seq + 1} to follow, but found row ${seq}`);
  if (at < facts.at) facts.broken('I26', `Expected time to go on from ${facts.at}, but it went back to ${at}`);
  facts.seq = seq;
  facts.at = at;
  facts.messages = [];
  for (const [index, event] of events.entries()) {
    facts.touched.next = events[index + 1];
    readEvent(facts, event);
  }
  checkRest(facts, events.length);
}

function readEvent(facts: RunFacts, event: Event): void {
  if (facts.end !== null) facts.broken('I37', `Expected nothing after ${facts.end.type}, but found ${event.type}`);
  if (facts.start === null && event.type !== 'workflow.started')
    facts.broken('I37', `Expected a run to start with its start, but it starts with ${event.type}`);
  if (facts.isPaused) checkPaused(facts, event.type);
  expectMessages(facts, event);
  checkMergeFollows(facts, event);
  checkWriter(facts, event);
  const read = readers[event.type] as ((facts: RunFacts, event: Event) => void) | undefined;
  if (!read) facts.broken('I34', `Expected events that are known, but found ${event.type}`);
  read(facts, event);
  facts.touched.before = event.type;
}

/** What the store says of a run beside its journal is what the journal says. */
function compareRow(facts: RunFacts, row: RunRow, head: string): void {
  const differ = (invariant: InvariantId, what: keyof RunRow, expected: string | number | boolean | null): never =>
    facts.broken(invariant, `Expected ${what} ${expected} in the run's row, but found ${JSON.stringify(row[what])}`);
  if (row.seq !== facts.seq) differ('I32', 'seq', facts.seq);
  if (head !== '' && row.head !== head) differ('I31', 'head', head);
  if (row.quarantine !== null) facts.broken('I46', `Expected a healthy run, but it is set aside: ${row.quarantine}`);
  const status = statusOf(facts);
  if (row.status !== status) differ('I40', 'status', status);
  const timer = nextTimerAt(facts);
  if (row.nextTimerAt !== timer) differ('I27', 'nextTimerAt', timer);
  const work = hasWork(facts);
  if (row.hasWork !== work) differ('I23', 'hasWork', work);
  if (row.endedAt !== (facts.end?.at ?? null)) differ('I40', 'endedAt', facts.end?.at ?? null);
  if (row.updatedAt !== facts.at) differ('I40', 'updatedAt', facts.at);
  const { parent = null, rootRunId = '', workflow = '', version = 0 } = facts.start ?? {};
  if (row.parentRunId !== (parent?.runId ?? null)) differ('I41', 'parentRunId', parent?.runId ?? null);
  if (row.rootRunId !== rootRunId) differ('I41', 'rootRunId', rootRunId);
  if (row.workflow !== workflow || row.version !== version) differ('I6', 'workflow', workflow);
}
