// Edge meeting: one task to which two ways lead over edges. It runs when each of them was taken or will never be, and
// enough were taken; else it is dead, and its path ends. Where both are needed it is dead as soon as one will never be.
//
// Always true: it is decided once.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { must, mustBe, take } from './difference.ts';
import type { Meeting } from './program.ts';
import { enter, fail, finish, stay, type Thread, type Walk } from './thread.ts';
import { walkTask } from './walk-work.ts';

/** Joins over edges in one branch, which the journal tells of by their nodes. */
export interface EdgeJoins {
  /** Waits until the last of them runs. */
  readonly main: Thread;
  has(node: string): boolean;
  /** The journal says that it runs, or never will. */
  complete(node: string, event: RunEvent): void;
  skip(node: string): void;
  checkRest(): void;
}

const ways = 2;

/** Sends the ways off, waits for them, and goes on with the task. */
export function* walkMeeting(main: Thread, meeting: Meeting, begin: (meeting: EdgeMeeting) => void): Walk<boolean> {
  const run = new EdgeMeeting(main, meeting);
  main.stage.dags.add(run);
  main.at('gathering');
  begin(run);
  take(yield, 'edge_join.completed');
  main.isOnTransition = false;
  yield* enter(main, meeting.task.node);
  const failure = yield* walkTask(main, meeting.task);
  return failure === null || (yield* fail(main, failure));
}

export class EdgeMeeting implements EdgeJoins {
  readonly main: Thread;
  readonly #meeting: Meeting;
  readonly #arrivals: Thread[] = [];
  #gone = 0;
  #isOver = false;

  constructor(main: Thread, meeting: Meeting) {
    this.main = main;
    this.#meeting = meeting;
  }

  has(node: string): boolean {
    return this.#meeting.task.node === node;
  }

  /** A way has come there. */
  *arrive(thread: Thread): Walk<boolean> {
    yield* enter(thread, this.#meeting.task.node);
    if (this.#isOver) {
      yield* finish(thread);
      return false;
    }
    mustBe(take(yield, 'token.waiting').for, 'edges', 'what the token waits for');
    thread.at('joining');
    this.#arrivals.push(thread);
    return yield* stay();
  }

  /** A way will never come. */
  lose(): void {
    this.#gone += 1;
  }

  complete(node: string, event: RunEvent): void {
    must(this.#verdict === 'due', () => `Expected ${node} not to run yet, but it does`);
    this.#isOver = true;
    this.main.stage.advance(this.main, event);
    this.#dismiss(); // last, for the branch lives on
  }

  skip(node: string): void {
    must(this.#verdict === 'dead', () => `Expected ${node} not to be skipped`);
    this.#isOver = true;
    this.#dismiss();
    this.main.stage.remove(this.main);
  }

  checkRest(): void {
    const { node } = this.#meeting.task;
    must(this.#verdict !== 'due', () => `Expected ${node} to run, but it does not`);
    must(this.#verdict !== 'dead', () => `Expected to be told that ${node} will never run`);
  }

  /** What must become of it now. */
  get #verdict(): 'open' | 'due' | 'dead' {
    if (this.#isOver) return 'open';
    if (this.#meeting.require === 'all' && this.#gone > 0) return 'dead';
    if (this.#arrivals.length + this.#gone < ways) return 'open';
    return this.#arrivals.length > 0 ? 'due' : 'dead';
  }

  #dismiss(): void {
    for (const arrival of this.#arrivals) this.main.stage.complete(arrival);
  }
}
