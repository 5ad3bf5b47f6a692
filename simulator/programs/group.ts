// Group: one fan-out, or one batch, while it is under way: which of its branches have begun, arrived, ended, and what must
// come of that.
//
// Always true: a group comes together at most once.

import { Difference, must, mustBe } from './difference.ts';
import { Frame, type Place } from './frame.ts';
import { mergeFrames } from './merge-values.ts';
import type { Fan, Tolerance } from './program.ts';
import type { Thread } from './thread.ts';

/** Branches of one kind. */
export interface Spawned {
  readonly count: number;
  readonly maxParallel: number | null;
  place(index: number): Pick<Place, 'item' | 'slice'>;
  /** Sends the threads of a branch on their way. */
  begin(frame: Frame): void;
}

/** What is to happen to it at once: its join acts, can never act, or it has nothing left and no join. */
type Verdict = 'none' | 'join' | 'unreachable' | 'close' | 'slices';

export class Group {
  /** Null for a batch. */
  readonly fan: Fan | null;
  readonly opener: Thread;
  readonly outer: Frame;
  readonly frames: Frame[] = [];
  readonly tolerance: Tolerance | null;
  readonly #spawns: readonly (Spawned & { readonly first: number })[];
  id = 0;
  /** Somebody has arrived at its join; somebody has left it for a join further out. */
  isBound = false;
  isBypassed = false;
  deadline: number | null = null;
  hasJoined = false;
  isClosed = false;
  /** Which of its branches were left alone has been told. */
  isDetachedTold = false;
  /** What its join has failed with. */
  failure: string | null = null;

  constructor(opener: Thread, fan: Fan | null, tolerance: Tolerance | null, spawns: readonly Spawned[]) {
    this.opener = opener;
    this.outer = opener.frame;
    this.fan = fan;
    this.tolerance = tolerance;
    this.#spawns = spawns.map((spawn) => {
      const first = this.frames.length;
      for (let i = 0; i < spawn.count; i++)
        this.frames.push(new Frame({ group: this, index: first + i, outer: this.outer, ...spawn.place(i) }));
      return { ...spawn, first };
    });
  }

  get total(): number {
    return this.frames.length;
  }

  get arrived(): Frame[] {
    return this.frames.filter(({ arrival }) => arrival !== null);
  }

  get isTolerant(): boolean {
    if (this.tolerance === null) return false;
    const failed = this.frames.filter(({ end }) => end === 'failed').length;
    return failed < (this.tolerance.maxFailures ?? Number.POSITIVE_INFINITY);
  }

  get isLive(): boolean {
    return this.frames.some((frame) => frame.isLive);
  }

  get verdict(): Verdict {
    if (this.hasJoined || this.failure !== null) return 'none';
    const isSettled = this.frames.every((frame) => frame.isSettled);
    if (this.fan === null) return isSettled ? 'slices' : 'none';
    const { join, quorum, isComputed } = this.fan;
    if (join === null || (this.isBypassed && !this.isBound)) return isSettled ? 'close' : 'none';
    if (quorum === null) return isSettled ? 'join' : 'none';
    if (isComputed && !this.isBound && !isSettled) return 'none';
    if (this.arrived.length >= quorum) return 'join';
    const gone = this.frames.filter(({ end }) => end !== null).length;
    return this.total - gone < quorum ? 'unreachable' : 'none';
  }

  /** Whether a branch that has not begun could. */
  get hasRoom(): boolean {
    if (this.hasJoined || this.failure !== null) return false;
    return this.#spawns.some((spawn) => this.#next(spawn) !== undefined);
  }

  /** The branch that a `foreach` begins next, if there is one and there is room. */
  #next({ first, count, maxParallel }: Spawned & { readonly first: number }): Frame | undefined {
    const frames = this.frames.slice(first, first + count);
    const underWay = frames.filter(({ hasBegun, isSettled }) => hasBegun && !isSettled).length;
    if (maxParallel !== null && underWay >= maxParallel) return undefined;
    return frames.find(({ hasBegun }) => !hasBegun);
  }

  begin(frame: Frame): void {
    const index = frame.place?.index ?? 0;
    const spawn = this.#spawns.find(({ first, count }) => index >= first && index < first + count);
    const isNext = spawn !== undefined && !this.hasJoined && this.#next(spawn) === frame;
    must(isNext, () => `Expected branch ${index} of group ${this.id} not to begin yet, but it did`);
    frame.hasBegun = true;
    spawn.begin(frame);
  }

  /** A thread waits at the join, for its own branch or for one further out. */
  arrive(thread: Thread, frame: Frame): void {
    for (let left = thread.frame; left !== frame; left = left.outer ?? frame) {
      if (left.place) left.place.group.isBypassed = true;
    }
    must(this.verdict !== 'join', () => `Expected the join of group ${this.id} to have acted before this arrival`);
    this.isBound = true;
    frame.arrival = thread;
    thread.joins = this;
    thread.frame.threads.delete(thread);
  }

  /** The join acts: those that it does not need are called off, or left alone. */
  join(isTimedOut: boolean): void {
    const { stage } = this.opener;
    this.hasJoined = true;
    for (const { arrival } of this.arrived) if (arrival) stage.complete(arrival);
    for (const frame of this.frames) {
      frame.arrival = null;
      if (!this.fan?.abandons || isTimedOut) stage.clear(frame);
      else frame.isDetached = frame.isLive;
    }
  }

  /** What must be true of it whenever a command has been worked off. */
  checkRest(): void {
    const { verdict, id } = this;
    if (verdict !== 'none') throw new Difference(`Expected group ${id} to ${deeds[verdict]}, but it did not`);
    mustBe(this.failure, null, `the failure of group ${id} that nobody has taken`);
    const mayWait = this.opener.stage.hasWindows;
    must(!this.hasRoom || mayWait, () => `Expected the next branch of group ${id} to begin, but it did not`);
    if (this.hasJoined) must(this.isLive, () => `Expected group ${id} to be closed, but it is not`);
    if (this.hasJoined) must(this.isDetachedTold, () => `Expected to be told what the join of ${id} has left alone`);
    else for (const frame of this.frames) this.#checkFrame(frame);
  }

  #checkFrame({ hasBegun, isLive, arrival, end, place }: Frame): void {
    const isOver = hasBegun && !isLive && arrival === null;
    must(!isOver || end !== null, () => `Expected branch ${place?.index} of group ${this.id} to have ended`);
  }

  /** The merged value of those who have arrived; undefined if nothing is written. */
  merged() {
    return this.fan?.merge ? mergeFrames(this.fan.merge, this.arrived) : undefined;
  }
}

const deeds = {
  join: 'be joined',
  unreachable: 'fail, for its join can never act,',
  close: 'close unjoined',
  slices: 'be done with its slices',
} as const;
