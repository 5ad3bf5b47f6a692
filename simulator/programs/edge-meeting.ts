// Edge meeting: one task to which two ways lead over edges. It runs when each of them was taken or will never be, and
// enough were taken; else it is dead, and its path ends.
//
// Always true: it is decided once.

import type { RunEvent } from '../../packages/heddle/src/actor/observers.ts';
import { must, mustBe, take } from './difference.ts';
import type { Meeting } from './program.ts';
import { enter, fail, stay, type Thread, type Walk } from './thread.ts';
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
  /** `due`: it must run now. `dead`: it never will, which has not been told. */
  #state: 'open' | 'due' | 'dead' | 'over' = 'open';

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
    mustBe(take(yield, 'token.waiting').for, 'edges', 'what the token waits for');
    thread.at('joining');
    this.#arrivals.push(thread);
    this.#decide();
    return yield* stay();
  }

  /** A way will never come. */
  lose(): void {
    this.#gone += 1;
    this.#decide();
  }

  complete(node: string, event: RunEvent): void {
    this.#decide();
    must(this.#state === 'due', () => `Expected ${node} not to run yet, but it does`);
    this.#state = 'over';
    this.main.stage.advance(this.main, event);
    this.#dismiss(); // last, for the branch lives on
  }

  skip(node: string): void {
    this.#decide();
    must(this.#state === 'dead', () => `Expected ${node} not to be skipped`);
    this.#state = 'over';
  }

  checkRest(): void {
    this.#decide();
    const { node } = this.#meeting.task;
    must(this.#state !== 'due', () => `Expected ${node} to run, but it does not`);
    must(this.#state !== 'dead', () => `Expected to be told that ${node} will never run`);
  }

  #decide(): void {
    const { stage, isBesideOpen } = this.main;
    if (this.#state !== 'open' || this.#arrivals.length + this.#gone < ways || (this.#gone > 0 && isBesideOpen)) return;
    const runs = this.#meeting.require === 'all' ? this.#gone === 0 : this.#arrivals.length > 0;
    this.#state = runs ? 'due' : 'dead';
    if (runs) return;
    this.#dismiss();
    stage.remove(this.main);
  }

  #dismiss(): void {
    for (const arrival of this.#arrivals) this.main.stage.complete(arrival);
  }
}
