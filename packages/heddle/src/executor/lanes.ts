// Lanes: where tasks stand while they wait. One lane holds the tasks of one run for one action; a run knows its lanes,
// an action's gate knows the lanes that wait for it. Who moves them, and when, stands in `fair-queue.ts`.

import type { Progress } from '../actor/observers.ts';
import type { Task } from '../actor/ports.ts';
import type { Attempt } from './attempt.ts';
import { Chain, type Linked } from './chain.ts';
import type { ResolvedAction } from './compile-action.ts';
import { RateWindow } from './rate-window.ts';

/** A task that waits or is running. */
export class Ticket implements Linked<Ticket> {
  chain: Chain<Ticket> | null = null;
  previous: Ticket | null = null;
  next: Ticket | null = null;
  readonly task: Task;
  readonly lane: Lane;
  /** Null while it waits. */
  attempt: Attempt<Ticket> | null = null;
  /** What its action has told last. */
  progress: Progress | null = null;

  constructor(task: Task, lane: Lane) {
    this.task = task;
    this.lane = lane;
  }
}

/** The waiting tasks of one run for one action, first in, first out. */
export class Lane implements Linked<Lane> {
  chain: Chain<Lane> | null = null;
  previous: Lane | null = null;
  next: Lane | null = null;
  readonly tickets = new Chain<Ticket>();
  readonly run: RunQueue;
  readonly gate: ActionGate;
  /** It came to the head of its action's waiting list, and keeps that place until it starts a task. */
  isNext = false;

  constructor(run: RunQueue, gate: ActionGate) {
    this.run = run;
    this.gate = gate;
  }
}

/**
 * What the queue knows of one run; forgotten when the run has no task here. It makes a map only for a second ticket: a run
 * that does one task at a time would make and throw away one for each.
 */
export class RunQueue implements Linked<RunQueue> {
  chain: Chain<RunQueue> | null = null;
  previous: RunQueue | null = null;
  next: RunQueue | null = null;
  readonly runId: string;
  readonly ready = new Chain<Lane>();
  /** How many of its tasks may be running. */
  readonly concurrency: number;
  running = 0;
  /** All that wait or are running: one by itself, the others by their tokens. */
  #one: Ticket | null = null;
  #others: Map<number, Ticket> | null = null;

  constructor(runId: string, concurrency: number) {
    this.runId = runId;
    this.concurrency = concurrency;
  }

  get isEmpty(): boolean {
    return this.#one === null && (this.#others === null || this.#others.size === 0);
  }

  find(tokenId: number): Ticket | undefined {
    return this.#one?.task.tokenId === tokenId ? this.#one : this.#others?.get(tokenId);
  }

  put(ticket: Ticket): void {
    if (this.#one === null) this.#one = ticket;
    else {
      this.#others ??= new Map();
      this.#others.set(ticket.task.tokenId, ticket);
    }
  }

  remove(ticket: Ticket): void {
    if (this.#one === ticket) this.#one = null;
    else this.#others?.delete(ticket.task.tokenId);
  }

  tickets(): Ticket[] {
    return [...(this.#one === null ? [] : [this.#one]), ...(this.#others?.values() ?? [])];
  }
}

/** How many tasks of one action may be running, and how often one may start. Shut until the action is known. */
export class ActionGate {
  readonly name: string;
  readonly waiting = new Chain<Lane>();
  /** The waiting lane that may start next. */
  turn: Lane | null = null;
  /** By run: the lanes in which tasks wait for it. */
  readonly lanes = new Map<string, Lane>();
  running = 0;
  isLoading = false;
  rate: RateWindow | null = null;
  /** Cancels the alarm for the moment at which the rate lets the next task start. */
  cancelRateAlarm: (() => void) | null = null;
  #action: ResolvedAction | null = null;
  #concurrency = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Null until it is known. */
  get action(): ResolvedAction | null {
    return this.#action;
  }

  learn(action: ResolvedAction): void {
    this.#action = action;
    this.isLoading = false;
    this.#concurrency = action.type === 'ready' ? action.concurrency : Infinity;
    this.rate = action.type === 'ready' && action.rate !== null ? new RateWindow(action.rate) : null;
  }

  // EX4: an action is running at most as often as its concurrency says, and starts as often as its rate says.
  hasRoom(now: () => number): boolean {
    return this.running < this.#concurrency && (this.rate === null || this.rate.isOpen(now()));
  }

  isHeldByRate(now: () => number): boolean {
    return this.rate !== null && this.running < this.#concurrency && !this.rate.isOpen(now());
  }

  enter(now: () => number): void {
    this.running += 1;
    this.rate?.record(now());
  }

  /** Nothing is lost by forgetting it: no task, and no action behind the name. */
  get isForgettable(): boolean {
    return this.lanes.size === 0 && this.running === 0 && this.#action !== null && this.#action.type !== 'ready';
  }
}
