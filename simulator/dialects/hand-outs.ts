// Hand-outs: whether the tasks of a run were given out as they should be. First in, first out (TS1); none while the run
// is paused (LC6); none left waiting while nothing is under way (no lost work); where it is one at a time, only one, and
// none while another waits for a time (TS7).

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import type { Findings } from './findings.ts';
import type { EventOf } from './journal.ts';

type Standing = 'ready' | 'out' | 'timed';

class Queue {
  readonly standing = new Map<number, Standing>();
  isPaused = false;
  readonly #line: number[] = [];
  readonly #keepsOrder: boolean;

  constructor(keepsOrder: boolean) {
    this.#keepsOrder = keepsOrder;
  }

  makeReady(token: number): void {
    this.standing.set(token, 'ready');
    const later = this.#keepsOrder ? this.#line.findIndex((other) => other > token) : -1;
    if (later >= 0) this.#line.splice(later, 0, token);
    else this.#line.push(token);
  }

  first(): number | undefined {
    while (this.#line.length > 0 && this.standing.get(this.#line[0] as number) !== 'ready') this.#line.shift();
    return this.#line[0];
  }

  forget(tokens: readonly number[]): void {
    for (const token of tokens) this.standing.delete(token);
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  count(wanted: Standing): number {
    let count = 0;
    for (const standing of this.standing.values()) if (standing === wanted) count++;
    return count;
  }
}

export function checkHandOuts(
  events: readonly RunEvent[],
  how: { readonly isTask: (node: string) => boolean; readonly isOneAtATime: boolean },
  findings: Findings,
): void {
  const queue = new Queue(how.isOneAtATime);
  for (const [place, event] of events.entries()) {
    follow(queue, event, how.isTask, findings);
    if (how.isOneAtATime && event.type === 'task.dispatched')
      findings.expect(queue.count('out') === 1 && queue.count('timed') === 0, () => {
        return `Expected one task at a time, but token ${event.token} was handed out beside another in row ${event.seq}`;
      });
    const isRowEnd = events[place + 1]?.seq !== event.seq && place + 1 < events.length;
    if (isRowEnd) checkRest(queue, event.seq, how.isOneAtATime, findings);
  }
}

/** Between two rows something is under way, or nothing waits to be. */
function checkRest(queue: Queue, row: number, isOneAtATime: boolean, findings: Findings): void {
  if (queue.isPaused || queue.first() === undefined || queue.count('out') > 0) return;
  if (isOneAtATime && queue.count('timed') > 0) return;
  findings.add(`Expected token ${queue.first()} to be handed out in row ${row}, but nothing was`);
}

type Moves = {
  readonly [T in RunEvent['type']]?: (queue: Queue, event: EventOf<T>, findings: Findings) => void;
};

/** What each event does to the queue. */
const moves: Moves = {
  'task.dispatched': (queue, event, findings) => {
    findings.expect(!queue.isPaused, () => `Expected nothing to be handed out while paused, but ${event.token} was`);
    findings.expect(queue.first() === event.token, () => {
      return `Expected token ${queue.first()} to be handed out first, but token ${event.token} was, in row ${event.seq}`;
    });
    queue.standing.set(event.token, 'out');
  },
  'tasks.lost': (queue, { tokens }) => tokens.forEach((token) => queue.makeReady(token)),
  'timer.fired': (queue, { token }) => {
    if (queue.standing.get(token) === 'timed') queue.makeReady(token);
  },
  'task.attempt_failed': (queue, { token }) => queue.standing.set(token, 'timed'),
  'token.waiting': (queue, event) => {
    if (event.for === 'timer') queue.standing.set(event.token, 'timed');
    else queue.standing.delete(event.token);
  },
  'task.failed': (queue, { token }) => queue.standing.delete(token),
  'token.completed': (queue, { token }) => queue.standing.delete(token),
  'tokens.completed': (queue, { tokens }) => queue.forget(tokens),
  'tokens.cancelled': (queue, { tokens }) => queue.forget(tokens),
  'tokens.timed_out': (queue, { tokens }) => queue.forget(tokens),
  'workflow.paused': (queue) => queue.pause(true),
  'workflow.unpaused': (queue) => queue.pause(false),
};

function follow(queue: Queue, event: RunEvent, isTask: (node: string) => boolean, findings: Findings): void {
  if (event.type === 'token.created') {
    if (!isTask(event.node)) return;
    for (let token = event.token; token < event.token + (event.count ?? 1); token++) queue.makeReady(token);
    return;
  }
  // The entry under an event's type takes that event.
  const move = moves[event.type] as ((queue: Queue, event: RunEvent, findings: Findings) => void) | undefined;
  move?.(queue, event, findings);
}
