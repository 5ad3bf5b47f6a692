// CheckWork: the journal, the log of effects and what workers and servers told each other tell the same story. A task that
// is handed out has one lease, which one worker hears of; what it was promised holds, whoever dies; only a result from the
// newest hand-out is recorded, once; what happened twice was lost in between.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { RunSummary } from '../../packages/heddle/src/index.ts';
import type { Result } from '../kill/actions.ts';
import type { Effect } from '../kill/effects.ts';
import type { Complain, Evidence } from '../kill/evidence.ts';
import { type Exchange, leaseMs } from './protocol.ts';
import { type HandOut, Talk } from './talk.ts';

export interface WorkCounts {
  readonly leases: number;
  /** Hand-outs that came to nothing, and were followed by another of the same attempt. */
  readonly lost: number;
  /** Results that came too late. */
  readonly refused: number;
  /** Results that had been taken before. */
  readonly again: number;
  /** Effects that happened again in the same attempt. */
  readonly repeated: number;
}

export function checkWork(evidence: Evidence, exchanges: readonly Exchange[], complain: Complain): WorkCounts {
  const talk = new Talk(complain);
  for (const exchange of exchanges) talk.hear(exchange);
  const journal = new JournalCheck(talk.handOuts, evidence.effects, complain);
  for (const { summary, events } of evidence.runs.values()) journal.follow(summary, events);
  // Of a run that was deleted nobody knows any more what it handed out.
  const isKept = (runId: string): boolean => !evidence.gone.has(runId);
  const kept = new Map([...talk.handOuts].filter(([name]) => isKept(name.slice(0, name.indexOf('.')))));
  const effects = evidence.effects.filter(({ runId }) => isKept(runId));
  checkTaken(kept, complain);
  const refusals = (isCounted: (handOut: HandOut) => boolean): number =>
    [...talk.handOuts.values()].filter(isCounted).reduce((sum, { refused }) => sum + refused, 0);
  return {
    leases: [...talk.handOuts.values()].reduce((sum, { heard }) => sum + heard, 0),
    lost: journal.lost,
    refused: refusals(({ isRecorded }) => !isRecorded),
    again: refusals(({ isRecorded }) => isRecorded),
    repeated: checkBegun(effects, kept, complain),
  };
}

/** Its action is built in. */
const isDoneByServer = (workflow: string, token: number): boolean => workflow === 'price' && token === 1;

const noReceipt = 'none';

/** A task as the journal tells it. */
interface Task {
  /** Of its newest hand-out. */
  at: number;
  attempt: number;
  dispatch: number;
  hasFailed: boolean;
  isOver: boolean;
}

/** Follows the tasks of runs from event to event. */
class JournalCheck {
  lost = 0;
  readonly #tasks = new Map<string, Task>();
  readonly #handOuts: ReadonlyMap<string, HandOut>;
  /** By receipt: those that came to an end. */
  readonly #done = new Map<string, Effect>();
  readonly #recorded = new Set<string>();
  readonly #complain: Complain;

  constructor(handOuts: ReadonlyMap<string, HandOut>, effects: readonly Effect[], complain: Complain) {
    this.#handOuts = handOuts;
    this.#complain = complain;
    for (const effect of effects) if (effect.phase === 'after') this.#done.set(effect.receipt, effect);
  }

  follow({ runId, workflow }: RunSummary, events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.type === 'task.dispatched' && !isDoneByServer(workflow, event.token))
        this.#handOut(`${runId}.${event.token}`, event);
      if (event.type === 'task.attempt_failed' || event.type === 'task.failed')
        this.#end(`${runId}.${event.token}`, event.type === 'task.failed', null);
      if (event.type === 'workflow.held') this.#hold(runId, event.command);
      if (event.type === 'task.completed')
        this.#end(`${runId}.${event.token}`, true, (event.output as Partial<Result> | null)?.receipt ?? noReceipt);
    }
  }

  #handOut(name: string, { attempt, dispatch, at }: Extract<RunEvent, { type: 'task.dispatched' }>): void {
    const task = this.#tasks.get(name) ?? { at: 0, attempt: 1, dispatch: 0, hasFailed: false, isOver: false };
    const isNext = dispatch === task.dispatch + 1 && attempt === task.attempt + (task.hasFailed ? 1 : 0);
    if (!isNext || task.isOver)
      this.#complain(
        `Expected the next hand-out of ${name} after ${JSON.stringify(task)}, but found ${attempt}, ${dispatch}`,
      );
    if (dispatch > 1 && !task.hasFailed) this.#lose(`${name}.${task.dispatch}`, task.at, at);
    const handOut = this.#handOuts.get(`${name}.${dispatch}`);
    if (handOut) Object.assign(handOut, { attempt });
    this.#tasks.set(name, Object.assign(task, { at, attempt, dispatch, hasFailed: false }));
  }

  /**
   * Whoever had it was promised it for a time, and that is over; or it was handed back. If nobody heard of it, it was
   * given to somebody who died too early for that, and was theirs for as long; what nobody was given is never lost.
   */
  #lose(name: string, from: number, at: number): void {
    this.lost++;
    const { isReleased = false, expiresAt = from + leaseMs } = this.#handOuts.get(name) ?? {};
    if (!isReleased && at < expiresAt)
      this.#complain(
        `Expected ${name} of ${from} to be somebody's until ${expiresAt}, but it was handed out again at ${at}`,
      );
  }

  /** It came while the run was paused: it is kept, until the run goes on or is cancelled. */
  #hold(runId: string, { type, token, dispatch }: JsonObject): void {
    if (type !== 'task.result') return;
    const name = `${runId}.${JSON.stringify(token)}`;
    const task = this.#tasks.get(name);
    if (task === undefined) return; // The server's own.
    if (dispatch !== task.dispatch)
      this.#complain(
        `Expected a result of hand-out ${task.dispatch} of ${name}, but one of ${JSON.stringify(dispatch)} is kept`,
      );
    const handOut = this.#handOuts.get(`${name}.${task.dispatch}`);
    if (handOut) handOut.isRecorded = true;
  }

  /** With the receipt of its effect; null: it failed. */
  #end(name: string, isOver: boolean, receipt: string | null): void {
    const task = this.#tasks.get(name);
    if (task === undefined) return; // No task of an action.
    if (task.isOver) this.#complain(`Expected one result of task ${name}, but there is another`);
    Object.assign(task, { isOver, hasFailed: receipt === null });
    const handOut = this.#handOuts.get(`${name}.${task.dispatch}`);
    if (!handOut?.reports.has(receipt))
      return this.#complain(
        `Expected ${receipt ?? 'a failure'} of ${name} to come from hand-out ${task.dispatch}, the newest, but it did not`,
      );
    handOut.isRecorded = true;
    if (receipt !== null) this.#checkReceipt(name, task, receipt);
  }

  #checkReceipt(name: string, { attempt }: Task, receipt: string): void {
    const effect = this.#done.get(receipt);
    if (effect === undefined || `${effect.runId}.${effect.token}` !== name || effect.attempt !== attempt)
      this.#complain(
        `Expected effect ${receipt} of task ${name}, attempt ${attempt}, but the log has ${JSON.stringify(effect)}`,
      );
    if (this.#recorded.has(receipt))
      this.#complain(`Expected effect ${receipt} to be recorded once, but it is there twice`);
    this.#recorded.add(receipt);
  }
}

/** What a worker was told to count is in the journal, and whatever a worker heard of was handed out. */
function checkTaken(handOuts: ReadonlyMap<string, HandOut>, complain: Complain): void {
  for (const { name, applied, isRecorded, attempt } of handOuts.values()) {
    if (attempt === 0)
      complain(`Expected hand-out ${name} to be in the journal, for a worker heard of it, but it is not`);
    if (applied > 0 && !isRecorded) complain(`Expected the result of ${name} in the journal, for it was acknowledged`);
  }
}

/** An effect is begun once for each lease that was heard of; answers with how many were begun again in the same attempt. */
function checkBegun(effects: readonly Effect[], handOuts: ReadonlyMap<string, HandOut>, complain: Complain): number {
  const leases = new Map<string, number>();
  for (const { name, attempt, heard } of handOuts.values()) {
    const task = `${name.slice(0, name.lastIndexOf('.'))} ${attempt}`;
    leases.set(task, (leases.get(task) ?? 0) + heard);
  }
  const begun = new Map<string, number>();
  for (const { phase, runId, token, attempt, key } of effects) {
    if (key !== `${runId}/${token}`) complain(`Expected key ${runId}/${token}, but the task was given ${key}`);
    const task = `${runId}.${token} ${attempt}`;
    if (phase === 'before') begun.set(task, (begun.get(task) ?? 0) + 1);
  }
  for (const [task, times] of begun) {
    const heard = leases.get(task) ?? 0;
    if (times > heard)
      complain(`Expected task ${task} once for each of ${heard} leases, but it was begun ${times} times`);
  }
  return [...begun.values()].reduce((sum, times) => sum + times - 1, 0);
}
