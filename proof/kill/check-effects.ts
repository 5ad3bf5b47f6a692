// CheckEffects: the journal and the log of effects tell the same story: every result that is recorded is that of one
// effect, and is recorded once; every effect was handed out before it happened; attempts only rise.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Result } from './actions.ts';
import type { Effect } from './effects.ts';
import type { Complain, Evidence, RunEvidence } from './evidence.ts';

/** A task as the journal tells it. */
interface Task {
  readonly key: string;
  attempt: number;
  dispatch: number;
  /** The attempt has failed, and another follows. */
  hasFailed: boolean;
  isRecorded: boolean;
  /** How often each attempt was handed out: once, and again whenever it was lost. */
  readonly handOuts: Map<number, number>;
}

/**
 * Answers with how many effects happened again, under the same key: those whose result was lost with a process. With
 * `isShared` one process goes on with what it has begun while another has its place: then they come in no order.
 */
export function checkEffects({ runs, effects, gone }: Evidence, complain: Complain, isShared = false): number {
  const log = new Map<string, Effect[]>();
  for (const effect of effects.filter(({ runId }) => !gone.has(runId))) {
    const noted = log.get(effect.key) ?? [];
    log.set(effect.key, noted);
    noted.push(effect);
  }
  const journal = new JournalCheck(log, complain);
  for (const run of runs.values()) journal.follow(run);
  for (const [key, noted] of log) checkLog(noted, journal.tasks.get(key), complain);
  if (!isShared) {
    for (const noted of log.values()) checkOrder(noted, complain);
    checkProcesses(effects, complain);
  }
  const attempts = new Set(effects.map(({ key, attempt }) => `${key} ${attempt}`));
  return effects.filter(({ phase }) => phase === 'before').length - attempts.size;
}

/** Follows the tasks of runs from event to event. */
class JournalCheck {
  /** By their keys. */
  readonly tasks = new Map<string, Task>();
  readonly #log: ReadonlyMap<string, readonly Effect[]>;
  readonly #complain: Complain;
  /** Of all results that are recorded. */
  readonly #receipts = new Set<string>();

  constructor(log: ReadonlyMap<string, readonly Effect[]>, complain: Complain) {
    this.#log = log;
    this.#complain = complain;
  }

  follow({ summary: { runId }, events }: RunEvidence): void {
    for (const event of events) {
      if (event.type === 'task.dispatched') this.#handOut(`${runId}/${event.token}`, event);
      if (event.type === 'task.attempt_failed') this.#fail(this.tasks.get(`${runId}/${event.token}`));
      if (event.type === 'task.failed') this.#end(this.tasks.get(`${runId}/${event.token}`), undefined);
      if (event.type === 'task.completed')
        this.#end(this.tasks.get(`${runId}/${event.token}`), event.output as Result | null);
    }
  }

  #handOut(key: string, { attempt, dispatch }: Extract<RunEvent, { type: 'task.dispatched' }>): void {
    const task = this.tasks.get(key) ?? {
      key,
      attempt: 1,
      dispatch: 0,
      hasFailed: false,
      isRecorded: false,
      handOuts: new Map(),
    };
    const isNext = dispatch === task.dispatch + 1 && attempt === task.attempt + (task.hasFailed ? 1 : 0);
    if (!isNext || task.isRecorded)
      this.#complain(
        `Expected the next hand-out of ${JSON.stringify(task)}, but found attempt ${attempt}, dispatch ${dispatch}`,
      );
    task.handOuts.set(attempt, (task.handOuts.get(attempt) ?? 0) + 1);
    this.tasks.set(key, Object.assign(task, { attempt, dispatch, hasFailed: false }));
  }

  /** Null: no task of an action. Undefined as the result: it failed. */
  #end(task: Task | undefined, result: Result | null | undefined): void {
    if (task === undefined) return;
    if (task.isRecorded) this.#complain(`Expected one result of task ${task.key}, but there is another`);
    task.isRecorded = true;
    if (result === undefined) this.#fail(task);
    else if (this.#log.has(task.key)) this.#succeed(task, result?.receipt ?? 'none');
  }

  #fail(task: Task | undefined): void {
    if (task) task.hasFailed = true;
    const isNoted = (effect: Effect) => effect.phase === 'failed' && effect.attempt === task?.attempt;
    if (task && !this.#log.get(task.key)?.some(isNoted))
      this.#complain(`Expected the log to have the failure of ${JSON.stringify(task)}, but it has not`);
  }

  #succeed({ key, attempt }: Task, receipt: string): void {
    const isNoted = (effect: Effect) =>
      effect.phase === 'after' && effect.attempt === attempt && effect.receipt === receipt;
    if (!this.#log.get(key)?.some(isNoted))
      this.#complain(`Expected the log to have effect ${receipt} of task ${key}, attempt ${attempt}, but it has not`);
    if (this.#receipts.has(receipt))
      this.#complain(`Expected effect ${receipt} to be recorded once, but it is there twice`);
    this.#receipts.add(receipt);
  }
}

/** The attempts of a task rise one by one. */
function checkOrder(noted: readonly Effect[], complain: Complain): void {
  let before = 0;
  for (const { key, attempt } of noted) {
    if (attempt < before || attempt > before + 1)
      complain(`Expected the attempts of ${key} to rise one by one, but ${attempt} follows ${before}`);
    before = attempt;
  }
}

/** One task in the log: it was handed out at least as often as it was begun. */
function checkLog(noted: readonly Effect[], task: Task | undefined, complain: Complain): void {
  const begun = new Map<number, number>();
  for (const { phase, key, runId, token, attempt } of noted) {
    if (key !== `${runId}/${token}`) complain(`Expected key ${runId}/${token}, but the task was given ${key}`);
    if (phase === 'before') begun.set(attempt, (begun.get(attempt) ?? 0) + 1);
  }
  for (const [attempt, times] of begun) {
    const handOuts = task?.handOuts.get(attempt) ?? 0;
    if (times > handOuts)
      complain(
        `Expected attempt ${attempt} of ${noted[0]?.key} once for each of ${handOuts} hand-outs that are committed, but it was begun ${times} times`,
      );
  }
}

/** Whoever had the store before does nothing any more. */
function checkProcesses(effects: readonly Effect[], complain: Complain): void {
  const gone = new Set<number>();
  let current = 0;
  for (const { pid, key } of effects) {
    if (pid === current) continue;
    if (gone.has(pid))
      complain(`Expected process ${pid} to be gone, but it did something for ${key} after ${current} had begun`);
    gone.add(current);
    current = pid;
  }
}
