// Stage: the threads of one run, and what the journal has told of their tokens.
//
// Always true: whoever is called off is expected to be cancelled in the same row of the journal, and nobody else.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { isSame, must } from './difference.ts';
import type { EdgeJoins } from './edge-meeting.ts';
import { Frame } from './frame.ts';
import type { Group } from './group.ts';
import { layOver } from './merge-values.ts';
import type { Merge } from './program.ts';
import { Thread, type Walk } from './thread.ts';

/** What a target is to hold after a merge. */
interface Merging {
  readonly target: string;
  readonly after: Json;
  /** It may be written key by key, or not at all if it is there already. */
  readonly isLaidOver: boolean;
  readonly isOwed: boolean;
}

export class Stage {
  readonly runId: string;
  readonly isSerial: boolean;
  /** Branches that could begin may do so in a later row. */
  readonly hasWindows: boolean;
  readonly root = new Frame(null);
  readonly threads = new Set<Thread>();
  readonly byToken = new Map<number, Thread>();
  /** Tokens that live, by the journal. */
  readonly alive = new Set<number>();
  readonly groups = new Map<number, Group>();
  readonly openGroups = new Set<Group>();
  readonly dags = new Set<EdgeJoins>();
  /** Sub-runs that nobody waits for any more. */
  readonly givenUp = new Set<string>();
  /** The time, and how many events there have been. */
  at = 0;
  step = 0;
  /** The run's own. */
  deadline: number | null = null;
  /** What is to be told in this row: groups that are closed, branches whose writes are dropped. */
  readonly toClose = new Set<Group>();
  readonly toDiscard = new Set<Frame>();
  /** What is to be merged, and where. */
  readonly merging = new Map<Group, Merging>();
  /** Tokens that are to be completed by a join. */
  readonly completing = new Set<number>();
  /** Tokens that the oracle has called off, and those that the journal has, since the last look. */
  readonly #calledOff = new Set<number>();
  readonly #cancelled = new Set<number>();
  #places = 0;

  constructor(runId: string, { isSerial, hasWindows }: Pick<Stage, 'isSerial' | 'hasWindows'>) {
    this.runId = runId;
    this.isSerial = isSerial;
    this.hasWindows = hasWindows;
  }

  nextPlace(): number {
    this.#places += 1;
    return this.#places;
  }

  /** A thread in a frame, at its first rest. */
  start(frame: Frame, cause: number | null, walk: (thread: Thread) => Walk<boolean>): Thread {
    const thread = new Thread(this, frame);
    thread.cause = cause;
    this.threads.add(thread);
    frame.threads.add(thread);
    thread.walk = walk(thread);
    this.#settle(thread, thread.walk.next());
    return thread;
  }

  /** A thread goes on to its next rest, or to its end. */
  advance(thread: Thread, event: RunEvent): void {
    if (thread.walk) this.#settle(thread, thread.walk.next(event));
  }

  #settle(thread: Thread, { done }: IteratorResult<undefined, boolean>): void {
    if (done) this.remove(thread);
  }

  remove(thread: Thread): void {
    const { frame } = thread;
    this.threads.delete(thread);
    frame.threads.delete(thread);
    if (frame.isDetached && !frame.isLive) this.drop(frame);
  }

  /** What a branch has written goes to nobody. */
  drop(frame: Frame): void {
    if (frame.writes.size === 0 || frame.isDropped) return;
    frame.isDropped = true;
    this.toDiscard.add(frame);
  }

  /** A join is done with a thread that waited at it. */
  complete(thread: Thread): void {
    this.remove(thread);
    if (thread.token === null) return;
    this.byToken.delete(thread.token);
    this.completing.add(thread.token);
  }

  /** An object of `output_merge` is laid over what is there; what is there already need not be written. */
  expectMerge(group: Group, { strategy }: Merge, target: string, value: Json): void {
    const before = group.outer.read(target);
    const isLaidOver = strategy === 'output_merge';
    const after = isLaidOver ? layOver(before, value) : value;
    this.merging.set(group, { target, after, isLaidOver, isOwed: !isLaidOver || !isSame(after, before) });
  }

  endToken(token: number): void {
    must(this.alive.delete(token), () => `Expected token ${token} to live when it ends, but it does not`);
    this.byToken.delete(token);
  }

  /** A join is done with those that waited at it. */
  completeTokens(tokens: readonly number[]): void {
    for (const token of tokens) {
      const isExpected = this.completing.delete(token) && this.alive.delete(token);
      must(isExpected, () => `Expected token ${token} not to be completed by a join`);
    }
  }

  cancelToken(token: number): void {
    must(this.alive.delete(token), () => `Expected token ${token} to live when it is cancelled, but it does not`);
    this.#cancelled.add(token);
  }

  /** All of a frame is called off, at any depth. */
  clear(frame: Frame): void {
    for (const thread of frame.threads) this.callOff(thread);
    if (frame.arrival !== null) this.callOff(frame.arrival);
    for (const group of frame.groups) {
      for (const inner of group.frames) this.clear(inner);
      if (this.openGroups.delete(group)) this.toClose.add(group);
    }
    for (const dag of this.dags) if (dag.main.frame === frame) this.dags.delete(dag);
    this.toDiscard.delete(frame);
    frame.arrival = null;
    frame.threads.clear();
    frame.groups.clear();
  }

  callOff(thread: Thread): void {
    this.threads.delete(thread);
    if (thread.childRunId !== null) this.givenUp.add(thread.childRunId);
    const { token } = thread;
    if (token === null || this.byToken.get(token) !== thread) return;
    this.byToken.delete(token);
    this.completing.delete(token);
    this.#calledOff.add(token);
  }

  /** Compares whom the oracle and the journal have called off in this row. */
  checkCalledOff(): void {
    for (const token of this.#calledOff)
      must(this.#cancelled.has(token), () => `Expected token ${token} to be cancelled, but it lives on`);
    for (const token of this.#cancelled)
      must(this.#calledOff.has(token), () => `Expected token ${token} to live on, but it was cancelled`);
    this.#calledOff.clear();
    this.#cancelled.clear();
  }
}
