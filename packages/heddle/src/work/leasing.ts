// Leasing: from a task that a run has handed out to the worker that does it, and back if the worker falls silent. Rules
// WK3 to WK8.
//
// Always true: a task waits, or has one lease that is alive, or is over; a lease is in the store before a worker
// hears of it; whoever asks hears of a task that nobody else has.

import type { Background } from '../actor/background.ts';
import type { Inbox } from '../actor/inbox.ts';
import type { Clock, Task } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { TaskOutcome } from '../core/commands.ts';
import type { Limits } from '../definition/limits.ts';
import { timedOut } from '../executor/outcome.ts';
import { takeInput } from '../executor/take-input.ts';
import { limitsOf } from '../executor/take-output.ts';
import type { Announcements } from './announcements.ts';
import { Lease, makeRecord } from './lease.ts';
import { LiveLeases } from './live-leases.ts';
import { type Poll, Polls, WaitingTasks } from './waiting.ts';

export interface LeaseRequest extends Poll {
  readonly max: number;
  readonly leaseMs: number;
  /** When its worker must have confirmed it; null: it need not. */
  readonly confirmMs: number | null;
  readonly waitMs: number;
  readonly worker: string | null;
  readonly signal: AbortSignal | null;
}

interface WaitingPoll extends LeaseRequest {
  readonly end: (leases: readonly Lease[]) => void;
}

export interface LeasingOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly background: Background;
  readonly announcements: Announcements;
  readonly inbox: Inbox;
}

export class Leasing {
  readonly waiting = new WaitingTasks();
  readonly live: LiveLeases;
  readonly #options: LeasingOptions;
  readonly #polls = new Polls<WaitingPoll>();
  /** Actions that tasks have come for, and calls wait for. */
  readonly #fresh = new Set<string>();
  /** Those that expired before this engine was opened. */
  readonly #expired: Lease[] = [];
  /** A task of this action waits. */
  onWaiting: (action: string) => void = () => undefined;
  #isStopped = false;

  constructor(options: LeasingOptions) {
    this.#options = options;
    this.live = new LiveLeases({
      clock: options.clock,
      onDue: (lease) => this.#giveUp(lease),
      onManyStale: () => options.background.run(() => this.removeStale()),
    });
  }

  /** Those that an earlier engine gave. */
  load(leases: readonly Lease[]): void {
    const { clock, limits } = this.#options;
    const now = clock.now();
    for (const lease of leases) {
      // As if nobody had had it: its run offers the task again.
      if (!lease.isHeard && lease.expiresAt <= now) {
        this.live.forgetRecord(lease.key);
        continue;
      }
      // WK6: a lease that outlived its engine stays good until it expires; if the clock went back, no longer than any other.
      if (lease.expiresAt <= now) {
        this.live.lapse(lease);
        this.#expired.push(lease);
      } else {
        lease.expiresAt = Math.min(lease.expiresAt, now + limits.leaseMsMax);
        this.live.add(lease);
      }
    }
  }

  recover(): void {
    for (const lease of this.#expired.splice(0)) this.#lose(lease);
  }

  readonly dispatch = (task: Task): void => {
    const { runId, tokenId, dispatch } = task;
    if (this.#isStopped) return;
    this.live.overtake(task);
    const lease = this.live.find(runId, tokenId);
    if (lease?.isDoubtful && lease.dispatch === dispatch) {
      lease.task = task; // others get it if its worker does not confirm it
      return;
    }
    const earlier = lease ?? this.waiting.find(runId, tokenId);
    if (earlier !== null && earlier.dispatch >= dispatch) return;
    if (earlier !== null) this.abort(runId, tokenId);
    const refused = this.#refuseInput(task);
    // Never from inside: whoever hands out is in the midst of a turn.
    if (refused !== null) queueMicrotask(() => this.#options.inbox.report(task, refused));
    else {
      this.waiting.put(task);
      this.#offer(task.action);
    }
  };

  // WK7: the input of a task is checked by the schema that was announced, as that of a local action is.
  #refuseInput(task: Task): TaskOutcome | null {
    const settings = this.#options.announcements.settingsOf(task.action);
    if (settings.input === null) return null;
    const taken = takeInput(task, settings, this.#options.limits);
    return taken instanceof Promise || taken.ok ? null : taken.outcome; // a JSON Schema answers at once
  }

  // WK8: what is no longer wanted is taken out of those that wait, or its lease is lost, which its worker hears at the next word.
  readonly abort = (runId: string, tokenId: number): void => {
    const lease = this.live.find(runId, tokenId);
    if (lease !== null) this.live.drop(lease);
    else this.waiting.remove(runId, tokenId);
  };

  /** Waits for tasks if there are none, at most `waitMs`; the leases are durable when it answers. */
  async lease(request: LeaseRequest): Promise<readonly Lease[]> {
    if (this.#isStopped || request.signal?.aborted) return [];
    const granted = this.#grant(request);
    const leases = granted.length > 0 || request.waitMs === 0 ? granted : await this.#wait(request);
    return leases.length === 0 ? leases : this.#give(leases, request.signal);
  }

  /** From now on nobody else gets them. */
  #grant({ actions, max, leaseMs, confirmMs, worker }: LeaseRequest): readonly Lease[] {
    const { clock, limits, announcements } = this.#options;
    const now = clock.now();
    const tasks = this.waiting.take(actions, max);
    return tasks.map((task) => {
      const { payloadBytesMax, jsonDepthMax } = limitsOf(task, limits);
      const { nodeId, action } = task;
      const timeoutMs = task.timeoutMs ?? announcements.settingsOf(action).timeoutMs ?? 0;
      const known = { nodeId, action, worker, leasedAt: now, timeoutMs, payloadBytesMax, jsonDepthMax };
      const facts = confirmMs === null ? known : { ...known, isToConfirm: true as const };
      const lease = new Lease(task, facts, now + Math.min(leaseMs, confirmMs ?? leaseMs), task);
      this.live.add(lease);
      return lease;
    });
  }

  #wait(request: LeaseRequest): Promise<readonly Lease[]> {
    const { clock, limits } = this.#options;
    if (this.#polls.size >= limits.leasePollsMax) return Promise.reject(tooManyPolls(limits.leasePollsMax));
    return new Promise((resolve) => {
      const stop = (): void => {
        if (this.#polls.remove(poll)) poll.end([]);
      };
      const cancelAlarm = clock.schedule(clock.now() + request.waitMs, stop);
      const end = (leases: readonly Lease[]): void => {
        cancelAlarm();
        request.signal?.removeEventListener('abort', stop);
        resolve(leases);
      };
      const poll: WaitingPoll = { ...request, end };
      request.signal?.addEventListener('abort', stop);
      this.#polls.add(poll);
    });
  }

  /** Tasks that come together are offered together: a call that waits gets as many as it asked for. */
  #offer(action: string): void {
    this.onWaiting(action);
    if (!this.#polls.waitFor(action)) return;
    if (this.#fresh.size === 0) queueMicrotask(() => this.#serve());
    this.#fresh.add(action);
  }

  #serve(): void {
    const actions = [...this.#fresh];
    this.#fresh.clear();
    for (const action of actions) {
      for (const poll of this.#polls.of(action)) {
        const leases = this.#grant(poll);
        if (leases.length === 0) break;
        this.#polls.remove(poll);
        poll.end(leases);
      }
    }
  }

  async #give(leases: readonly Lease[], signal: AbortSignal | null): Promise<readonly Lease[]> {
    const removals = this.live.takeRemovals();
    try {
      // WK3: a lease is durable before its worker hears of it.
      await this.#options.background.commit({ records: [...removals, ...leases.map(makeRecord)] });
    } catch (error) {
      this.live.putBackRemovals(removals);
      this.#putBack(leases);
      throw error;
    }
    // WK4: a worker that went away while it waited has got nothing: others find its tasks where they were.
    if (signal?.aborted) this.#putBack(leases);
    return leases.filter((lease) => this.live.isAlive(lease));
  }

  #putBack(leases: readonly Lease[]): void {
    for (const lease of leases.toReversed()) {
      if (lease.task === null || !this.live.isAlive(lease)) continue;
      this.live.drop(lease);
      this.waiting.putBack(lease.task);
      this.#offer(lease.facts.action);
    }
  }

  #giveUp(lease: Lease): void {
    const { clock, announcements, inbox } = this.#options;
    const { facts } = lease;
    // WK24: nobody is known to have had it.
    if (!lease.isHeard) return lease.task === null ? this.live.drop(lease) : this.#putBack([lease]);
    this.live.lapse(lease);
    if (clock.now() < lease.timesOutAt) return this.#lose(lease);
    // WK12: an attempt that takes too long has failed, however often its worker says that it is alive.
    inbox.report(lease, timedOut(facts, facts.timeoutMs, announcements.settingsOf(facts.action)));
    this.#settleLater(lease);
  }

  // WK5: a worker that is silent for longer than its lease has lost the task, and somebody else gets it.
  #lose(lease: Lease): void {
    const { runId, tokenId, dispatch } = lease;
    const { inbox, clock } = this.#options;
    inbox.tell(runId, { type: 'task.lost', at: clock.now(), token: tokenId, dispatch });
    this.#settleLater(lease);
  }

  /** Its record goes when its run has heard of it: a crash in between leaves it to the next engine. */
  #settleLater(lease: Lease): void {
    this.#options.inbox.wake(lease.runId).then(
      () => this.live.settle(lease),
      () => undefined, // a run that was set aside, or an engine that was closed, has not heard
    );
  }

  // WK20: records that nobody needs are removed with the next leases, when there are many, and when the engine closes.
  async removeStale(): Promise<void> {
    const removals = this.live.takeRemovals();
    if (removals.length === 0) return;
    try {
      await this.#options.background.commit({ records: removals });
    } catch (error) {
      this.live.putBackRemovals(removals);
      throw error;
    }
  }

  // WK11: an engine that closes gives nothing more out, answers whoever waits with nothing, and takes nobody's lease.
  stop(): void {
    this.#isStopped = true;
    for (const poll of this.#polls.all()) if (this.#polls.remove(poll)) poll.end([]);
  }

  close(): void {
    this.stop();
    this.live.close();
  }
}

function tooManyPolls(most: number): HeddleError {
  const message = `Expected at most ${most} calls to wait for tasks by the limit leasePollsMax, but there are as many; ask without waiting`;
  return new HeddleError('LIMIT_EXCEEDED', message, { limit: 'leasePollsMax' });
}
