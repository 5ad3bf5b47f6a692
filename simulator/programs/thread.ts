// Thread: one path through a program, as the oracle walks it: it rests until the journal tells of its token, and goes on.
//
// Always true: a thread has at most one token, and no other thread has it.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { Difference, mustBe, take } from './difference.ts';
import type { Frame, Write } from './frame.ts';
import type { Group } from './group.ts';
import type { Stage } from './stage.ts';

/** Rests at every `yield`, and is given the next event of its token. */
export type Walk<T> = Generator<undefined, T, RunEvent>;

/** Where a thread is. Only at some of them it can stay after a command. */
export type Rest =
  /** Its token is to be created; it is done and is to leave; it has come to a join. */
  | 'entering'
  | 'finishing'
  | 'arriving'
  /** It has failed, and somebody is to take the consequence. */
  | 'failing'
  | 'beginning'
  | 'ready'
  | 'working'
  | 'retrying'
  | 'waiting'
  | 'calling'
  | 'queued'
  | 'asking'
  | 'listening'
  /** It opens a group. */
  | 'opening'
  /** At a join, over siblings or over edges. */
  | 'joining'
  /** Until those that it has sent out have come together. */
  | 'gathering';

export class Thread {
  readonly stage: Stage;
  readonly frame: Frame;
  walk: Walk<boolean> | null = null;
  rest: Rest = 'beginning';
  node = '';
  /** The token that it has, or had last; the one that its next comes from. */
  token: number | null = null;
  cause: number | null = null;
  /** Its token comes along a transition; not so after a join. */
  isOnTransition = true;
  /** The timer that it has. */
  dueAt: number | null = null;
  /** What its output mapping is to write. */
  toWrite: readonly Write[] | null = null;
  lastError: string | null = null;
  /** The failure that it could not handle. */
  failure: string | null = null;
  /** The sub-run that it waits for, and whether that one waits for people or events alone. */
  childRunId: string | null = null;
  isChildSuspended = false;
  dispatch = 0;
  /** Its place among those that wait to be handed out. */
  place = 0;
  /** The name of the group that it opens. */
  opens: string | null = null;
  /** The group at whose join it waits. */
  joins: Group | null = null;
  /** The step since which it listens for an event. */
  since = 0;

  constructor(stage: Stage, frame: Frame) {
    this.stage = stage;
    this.frame = frame;
  }

  at(rest: Rest, dueAt: number | null = null): void {
    this.rest = rest;
    this.dueAt = dueAt;
    if (rest === 'ready') this.place = this.stage.nextPlace();
  }
}

/** Comes to a node. */
export function* enter(thread: Thread, node: string): Walk<void> {
  thread.node = node;
  thread.at('entering');
  const { token, from, via } = take(yield, 'token.created');
  mustBe(via !== undefined, thread.isOnTransition, `whether token ${token} came along a transition`);
  if (from !== undefined) mustBe(from, thread.cause, `the token that token ${token} comes from`);
  thread.isOnTransition = true;
  thread.token = token;
  thread.cause = token;
  thread.at('beginning');
}

/** The node is done, and has written what it had to. */
export function* finish(thread: Thread, writes: readonly Write[] = []): Walk<true> {
  if (writes.length > 0) thread.toWrite = writes;
  thread.at('finishing');
  take(yield, 'token.completed');
  mustBe(thread.toWrite, null, `what is still to be written by node ${thread.node}`);
  thread.lastError = null;
  return true;
}

/** A failure that nobody handled here; somebody further out ends the thread. */
export function* fail(thread: Thread, code: string): Walk<never> {
  thread.failure = code;
  thread.at('failing');
  return yield* stay();
}

/** It stays where it is until somebody else ends it. */
export function* stay(): Walk<never> {
  const event = yield;
  throw new Difference(`Expected nothing more of the token, but there is ${event.type}`);
}
