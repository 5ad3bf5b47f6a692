// Task reports: what workers say of the tasks that they have: still at it, done, failed, handed back. Rules WK10, WK15 to
// WK18.
//
// Always true: only the run decides what becomes of an answer, and only one from its newest hand-out changes it; a lease
// that is wrong spoils nothing but itself.

import type { Background } from '../actor/background.ts';
import type { Inbox, Look } from '../actor/inbox.ts';
import type { TaskProgress } from '../actor/observers.ts';
import { listArtifactRuns } from '../actor/perform.ts';
import type { Clock, Task, TaskOutcome } from '../actor/ports.ts';
import { equalTexts } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Reply } from '../core/commands.ts';
import type { RetryPolicy } from '../definition/graph.ts';
import type { Limits } from '../definition/limits.ts';
import { failedByThrow } from '../executor/outcome.ts';
import { type ProgressReport, takeProgress } from '../executor/progress.ts';
import { takeOutput } from '../executor/take-output.ts';
import { readStep } from '../executor/task-steps.ts';
import type { Announcements } from './announcements.ts';
import { type Lease, leaseText, makeRecord, readLeaseText } from './lease.ts';
import { describeRefusal, type LeaseRefusal, leaseLost, leaseUnknown } from './lease-answers.ts';
import type { LiveLeases } from './live-leases.ts';

export interface Heartbeat {
  readonly lease: string;
  readonly progress: ProgressReport | null;
  readonly leaseMs: number;
}

export type HeartbeatAnswer =
  | { readonly lease: string; readonly ok: true; readonly expiresAt: number }
  | ({ readonly lease: string; readonly ok: false } & LeaseRefusal);

/** What an attempt came to, in the worker's words. */
export type Finish =
  | { readonly lease: string; readonly output: unknown }
  | {
      readonly lease: string;
      /** With `code`, `message`, `details`, `retryable`, `retryAfterMs`, as an `ActionError` has them. */
      readonly error: object;
      readonly retry: RetryPolicy | null;
    };

export interface FinishAnswer {
  readonly lease: string;
  /** False: it changed nothing, and `reason` or `error` says why. */
  readonly applied: boolean;
  readonly reason?: string;
  readonly error?: LeaseRefusal;
}

export type ReleaseAnswer =
  | { readonly lease: string; readonly ok: true }
  | ({ readonly lease: string; readonly ok: false } & LeaseRefusal);

export interface TaskReportsOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  readonly announcements: Announcements;
  readonly live: LiveLeases;
  readonly inbox: Inbox;
  readonly onProgress: (progress: TaskProgress) => void;
}

/** What belongs to the run of a task. */
export type LeaseTask = Pick<Task, 'runId' | 'action' | 'limits' | 'trigger' | 'artifactRuns'>;
type Shown = { readonly lease: Lease } | { readonly refusal: LeaseRefusal };

/** So many are remembered at least, and at most twice as many: 10,000 take about 2 MB. */
const rememberedMin = 10_000;

const finishedBefore = 'it was finished before';

export class TaskReports {
  readonly #options: TaskReportsOptions;
  readonly #finished = new FinishedLeases();
  /** What leases are sealed with; known before any run resumes. */
  key: Uint8Array = new Uint8Array();

  constructor(options: TaskReportsOptions) {
    this.#options = options;
  }

  textOf(lease: Lease): string {
    lease.text ??= leaseText(this.key, lease.name);
    return lease.text;
  }

  // WK10: a lease that this engine never gave is unknown; one whose task is over, or somebody else's, is lost.
  #look(text: string): Shown {
    const name = readLeaseText(text);
    if (name === null) return { refusal: leaseUnknown() };
    const lease = this.#options.live.find(name.runId, name.tokenId);
    const isNewest = lease?.dispatch === name.dispatch && lease.name.givenAt === name.givenAt;
    const known = isNewest ? this.textOf(lease) : leaseText(this.key, name);
    if (!equalTexts(text, known)) return { refusal: leaseUnknown() };
    return isNewest ? { lease } : { refusal: leaseLost('its task is over, or was given to somebody else') };
  }

  async heartbeat(beats: readonly Heartbeat[]): Promise<readonly HeartbeatAnswer[]> {
    const { live, background } = this.#options;
    const shown = await Promise.all(beats.map((beat) => this.#extend(beat)));
    // One may have ended while others were looked up; its record, if there is one, may be that of the next hand-out.
    const extended = new Set(shown.flatMap((one) => ('lease' in one && live.isAlive(one.lease) ? one.lease : [])));
    // WK15: a lease that was extended is so after a crash, too.
    if (extended.size > 0) await background.commit({ records: Array.from(extended, makeRecord) });
    return shown.map((one, index): HeartbeatAnswer => {
      const { lease } = beats[index] as Heartbeat; // one for each
      if ('refusal' in one) return { lease, ok: false, ...one.refusal };
      if (!live.isAlive(one.lease)) return { lease, ok: false, ...leaseLost('its task is over') };
      return { lease, ok: true, expiresAt: one.lease.expiresAt };
    });
  }

  async #extend({ lease: text, progress, leaseMs }: Heartbeat): Promise<Shown> {
    const shown = this.#look(text);
    if ('refusal' in shown) return shown;
    const { lease } = shown;
    const { clock, live } = this.#options;
    try {
      if (!lease.isConfirmed && !(await this.#confirm(lease))) return { refusal: leaseLost('its task is over') };
      if (progress !== null) this.#tell(lease, progress);
    } catch (error) {
      return { refusal: describeRefusal(error) };
    }
    if (!live.isAlive(lease)) return { refusal: leaseLost('its task is over') };
    const isFirst = !lease.isHeard;
    lease.isHeard = true;
    lease.expiresAt = clock.now() + leaseMs;
    if (isFirst) live.disarm(lease); // it was for a lease that nobody confirms
    live.arm(lease);
    return shown;
  }

  /** Of a lease that an earlier engine gave, its run alone knows whether it still waits for it. */
  async #confirm(lease: Lease): Promise<boolean> {
    const { runId, tokenId, dispatch } = lease;
    const look: Look<boolean> = ({ tokens, outcome }) => {
      const token = tokens.get(tokenId);
      return outcome === null && token?.status === 'dispatched' && token.dispatch === dispatch;
    };
    const isWanted = await this.#options.inbox.read(runId, look);
    lease.isConfirmed = isWanted;
    if (!isWanted) this.#options.live.drop(lease);
    return isWanted;
  }

  #tell(lease: Lease, report: ProgressReport): void {
    const { runId, tokenId, facts } = lease;
    lease.progress = takeProgress(report, this.#options.clock.now());
    this.#options.onProgress({ runId, tokenId, nodeId: facts.nodeId, ...lease.progress });
  }

  /** The task of a lease, as far as whoever has it may reach: what belongs to its run. */
  async show(text: string): Promise<{ readonly task: LeaseTask } | { readonly refusal: LeaseRefusal }> {
    const shown = this.#look(text);
    if ('refusal' in shown) return shown;
    const { lease } = shown;
    if (lease.task !== null) return { task: lease.task };
    const { runId, facts } = lease;
    const look: Look<LeaseTask> = (state, { limits }) => ({
      runId,
      action: facts.action,
      limits,
      trigger: state.run?.trigger ?? null,
      artifactRuns: listArtifactRuns(runId, state),
    });
    if (!(await this.#confirm(lease))) return { refusal: leaseLost('its task is over') };
    return { task: await this.#options.inbox.read(runId, look) };
  }

  /** EX30: whoever has a task outside the process records its steps as a local action does. Null, or why it cannot. */
  async recordStep(text: string, step: unknown, result: unknown): Promise<LeaseRefusal | null> {
    const shown = this.#look(text);
    if ('refusal' in shown) return shown.refusal;
    const { runId, tokenId: token, dispatch, facts } = shown.lease;
    const { limits: engine } = this.#options;
    const read = readStep(step, result, { action: facts.action, limits: facts, engine });
    if ('failure' in read) return read.failure;
    const command = { type: 'task.step', at: this.#options.clock.now(), token, dispatch, ...read.step } as const;
    const reply = await this.#options.inbox.command(runId, command);
    return reply.applied ? null : (reply.refusal ?? leaseLost(reply.reason ?? 'its task is over'));
  }

  finish(finishes: readonly Finish[]): Promise<readonly FinishAnswer[]> {
    return Promise.all(finishes.map((finish) => this.#finish(finish)));
  }

  async #finish(finish: Finish): Promise<FinishAnswer> {
    const { lease: text } = finish;
    // WK17: a worker that did not hear the answer may ask again.
    if (this.#finished.has(text)) return { lease: text, applied: false, reason: finishedBefore };
    const shown = this.#look(text);
    if ('refusal' in shown) return { lease: text, applied: false, error: shown.refusal };
    const { lease } = shown;
    const { runId, tokenId: token, dispatch } = lease;
    try {
      const outcome = await this.#judge(finish, lease);
      const command = { type: 'task.result', at: this.#options.clock.now(), token, dispatch, outcome } as const;
      const reply = await this.#options.inbox.command(runId, command);
      return this.#conclude(text, lease, reply);
    } catch (error) {
      return { lease: text, applied: false, error: this.#fail(lease, error) };
    }
  }

  // WK16: what a worker returns is judged as what a local action returns or throws.
  async #judge(finish: Finish, { facts }: Lease): Promise<TaskOutcome> {
    const { announcements, clock, limits } = this.#options;
    const action = announcements.settingsOf(facts.action);
    const around = { action, now: clock.now(), limits };
    if ('error' in finish) {
      const failed = failedByThrow(finish.error, around);
      return finish.retry === null ? failed : { ...failed, retry: finish.retry };
    }
    try {
      return await takeOutput(finish.output, action, { limits: facts, engine: limits });
    } catch (error) {
      // A member may throw when it is read.
      return failedByThrow(error, around);
    }
  }

  #conclude(text: string, lease: Lease, { applied, reason }: Reply): FinishAnswer {
    this.#options.live.drop(lease);
    if (applied) this.#finished.add(text);
    const because = reason === undefined ? {} : { reason };
    if (applied) return { lease: text, applied, ...because };
    if (this.#finished.has(text)) return { lease: text, applied, reason: finishedBefore };
    // An earlier engine may have taken it, and died before it said so.
    if (!lease.isConfirmed && reason !== 'superseded hand-out') return { lease: text, applied, ...because };
    return { lease: text, applied, error: leaseLost(reason ?? 'its task is over') };
  }

  /** A run that was set aside wants nothing any more; in all other cases the worker may try again. */
  #fail(lease: Lease, error: unknown): LeaseRefusal {
    if (error instanceof HeddleError && (error.code === 'RUN_QUARANTINED' || error.code === 'RUN_NOT_FOUND'))
      this.#options.live.lapse(lease);
    return describeRefusal(error);
  }

  release(texts: readonly string[]): Promise<readonly ReleaseAnswer[]> {
    return Promise.all(texts.map((text) => this.#release(text)));
  }

  // WK18: a task that is handed back is given to somebody else at once; it costs a hand-out and no attempt.
  async #release(text: string): Promise<ReleaseAnswer> {
    const shown = this.#look(text);
    if ('refusal' in shown) return { lease: text, ok: false, ...shown.refusal };
    const { lease } = shown;
    const { runId, tokenId: token, dispatch } = lease;
    const command = { type: 'task.lost', at: this.#options.clock.now(), token, dispatch } as const;
    try {
      const { applied, reason } = await this.#options.inbox.command(runId, command);
      this.#options.live.drop(lease);
      return applied
        ? { lease: text, ok: true }
        : { lease: text, ok: false, ...leaseLost(reason ?? 'its task is over') };
    } catch (error) {
      return { lease: text, ok: false, ...this.#fail(lease, error) };
    }
  }
}

/** Those whose result was taken, so that a worker that asks again hears so. In memory, the newest only. */
class FinishedLeases {
  #newer = new Set<string>();
  #older = new Set<string>();

  has(text: string): boolean {
    return this.#newer.has(text) || this.#older.has(text);
  }

  add(text: string): void {
    this.#newer.add(text);
    if (this.#newer.size < rememberedMin) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
