// Mailboxes: what waits to be done, one queue per run, taken in turns so that a busy run does not hold up the others.
// Order within a run is order of arrival.

import type { Command, Reply } from '../core/commands.ts';
import type { Message } from '../core/effects.ts';
import type { RunState } from '../core/state.ts';
import type { Graph } from '../definition/graph.ts';
import type { KeyRow } from './ports.ts';

export type StartCommand = Extract<Command, { type: 'start' }>;

export type Work =
  | { readonly type: 'command'; readonly command: Command; readonly key?: KeyRow }
  /** Runs that continue from a snapshot: all of them in one commit. */
  | { readonly type: 'restore'; readonly starts: readonly StartCommand[] }
  /** From another run, through the outbox. */
  | { readonly type: 'message'; readonly message: Message; readonly outboxId: string }
  /** A look at the state as of now: what it returns is called, to tell what it saw, when that is durable. */
  | { readonly type: 'read'; readonly look: (state: RunState, graph: Graph) => () => void }
  /** Load the run: whatever was running is then handed out again. */
  | { readonly type: 'wake' };

export interface Envelope {
  readonly runId: string;
  readonly work: Work;
  /** Null if nobody waits for the answer. */
  readonly sender: Sender | null;
  /** How often its commit has failed. */
  failures: number;
}

export interface Sender {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

interface Queue {
  readonly items: Envelope[];
  head: number;
}

export class Mailboxes {
  readonly #queues = new Map<string, Queue>();
  /** Runs that stand still until what is first in their queue is tried again. */
  readonly #held = new Map<string, Queue>();
  /** Those that continue when the next batch is taken. */
  readonly #released = new Set<string>();

  get isEmpty(): boolean {
    return this.#queues.size + this.#released.size === 0;
  }

  /** Something stands still until it is tried again. */
  get hasHeld(): boolean {
    return this.#held.size > 0;
  }

  sizeOf(runId: string): number {
    const queue = this.#queues.get(runId) ?? this.#held.get(runId);
    return queue ? queue.items.length - queue.head : 0;
  }

  /** How many could be taken, counted up to `most`. */
  countUpTo(most: number): number {
    let count = 0;
    for (const { items, head } of this.#queues.values()) {
      count += items.length - head;
      if (count >= most) return most;
    }
    return count;
  }

  put(envelope: Envelope): void {
    const queue = this.#queues.get(envelope.runId) ?? this.#held.get(envelope.runId);
    if (queue) queue.items.push(envelope);
    else this.#queues.set(envelope.runId, { items: [envelope], head: 0 });
  }

  /** RN8: within a run in order of arrival, among runs one of each in turn; at most `count`. */
  take(count: number): Envelope[] {
    const taken: Envelope[] = [];
    if (this.#released.size > 0) this.#endStands();
    while (taken.length < count && this.#queues.size > 0) {
      for (const [runId, queue] of this.#queues) {
        taken.push(queue.items[queue.head++] as Envelope); // below its length
        if (queue.head === queue.items.length) this.#queues.delete(runId);
        if (taken.length === count) break;
      }
    }
    return taken;
  }

  /** The run stands still, with this envelope first, until `release`. */
  hold(envelope: Envelope): void {
    const { runId } = envelope;
    const queue = this.#queues.get(runId) ?? this.#held.get(runId);
    const waiting = queue ? queue.items.slice(queue.head) : [];
    this.#queues.delete(runId);
    this.#released.delete(runId);
    this.#held.set(runId, { items: [envelope, ...waiting], head: 0 });
  }

  /** Empties the queues of runs that stand still. */
  dropHeld(): Envelope[] {
    const dropped = [...this.#held.values()].flatMap(({ items, head }) => items.slice(head));
    this.#held.clear();
    this.#released.clear();
    return dropped;
  }

  isHeld(runId: string): boolean {
    return this.#held.has(runId);
  }

  /** The run continues with the next batch: in the midst of one, what was put aside behind it would come before it. */
  release(runId: string): void {
    if (this.#held.has(runId)) this.#released.add(runId);
  }

  #endStands(): void {
    for (const runId of this.#released) {
      const queue = this.#held.get(runId);
      this.#held.delete(runId);
      if (queue) this.#queues.set(runId, queue);
    }
    this.#released.clear();
  }

  /** Envelopes that were taken and not handled, in their order: each run has its own first again. */
  putAllBack(envelopes: readonly Envelope[]): void {
    const byRun = new Map<string, Envelope[]>();
    for (const envelope of envelopes) {
      const waiting = byRun.get(envelope.runId);
      if (waiting) waiting.push(envelope);
      else byRun.set(envelope.runId, [envelope]);
    }
    for (const [runId, waiting] of byRun) this.putBack(runId, waiting);
  }

  /** Envelopes of one run that were taken and not handled: before all others, but behind the one that is held. */
  putBack(runId: string, envelopes: readonly Envelope[]): void {
    const held = this.#held.get(runId);
    if (held) held.items.splice(held.head + 1, 0, ...envelopes);
    else {
      const queue = this.#queues.get(runId);
      const before = queue ? queue.head - envelopes.length : -1;
      // They were taken from there, and stand there still.
      if (queue && before >= 0 && queue.items[before] === envelopes[0]) queue.head = before;
      else this.#queues.set(runId, { items: [...envelopes, ...(queue?.items.slice(queue.head) ?? [])], head: 0 });
    }
  }
}

/** A root run's id is drawn when it is asked for: nothing can be stored under it. */
export const isNewRun = (work: Work): boolean =>
  work.type === 'restore' || (work.type === 'command' && work.command.type === 'start');

/** What the engine told itself: a result, a finished step, a message, the waking of a run at its start. */
export const isOwn = ({ sender, work }: Envelope): boolean => sender === null || work.type === 'wake' || isStep(work);

const isStep = (work: Work): boolean => work.type === 'command' && work.command.type === 'task.step';

/** Work that needs nothing but the run in memory. */
export const isPlain = (work: Work): boolean =>
  work.type === 'read' || (work.type === 'command' && work.command.type !== 'start');

/** Work that reads other runs than its own from the store. */
export const looksAtOthers = (work: Work): boolean =>
  work.type === 'restore' ||
  (work.type === 'message' && work.message.type === 'start' && 'continues' in work.message.child);
