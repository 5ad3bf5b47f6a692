// Waiting: tasks that wait for somebody outside the process, and calls that wait for tasks, both by action. Plain data in
// memory: nothing here waits, commits or knows of leases.
//
// Always true: a task waits at most once, in its newest hand-out; no more tasks are held than runs have handed out.

import type { Task } from '../actor/ports.ts';
import { Chain, type Linked } from '../executor/chain.ts';

class Waiting implements Linked<Waiting> {
  chain: Chain<Waiting> | null = null;
  previous: Waiting | null = null;
  next: Waiting | null = null;
  readonly task: Task;
  readonly runQueue: RunQueue;

  constructor(task: Task, runQueue: RunQueue) {
    this.task = task;
    this.runQueue = runQueue;
  }
}

/** The tasks of one run for one action, first in, first out. */
class RunQueue implements Linked<RunQueue> {
  chain: Chain<RunQueue> | null = null;
  previous: RunQueue | null = null;
  next: RunQueue | null = null;
  readonly tasks = new Chain<Waiting>();
  readonly runId: string;
  readonly actionQueue: ActionQueue;

  constructor(runId: string, actionQueue: ActionQueue) {
    this.runId = runId;
    this.actionQueue = actionQueue;
  }
}

/** What waits for one action. */
class ActionQueue {
  /** The run whose turn is next stands first. */
  readonly runQueues = new Chain<RunQueue>();
  readonly byRun = new Map<string, RunQueue>();
  size = 0;
}

export class WaitingTasks {
  readonly #byAction = new Map<string, ActionQueue>();
  /** By run and token. */
  readonly #waiting = new Map<string, Map<number, Waiting>>();
  /** Which of the actions that somebody asks for comes first: another one each time. */
  #turn = 0;

  find(runId: string, tokenId: number): Task | null {
    return this.#waiting.get(runId)?.get(tokenId)?.task ?? null;
  }

  /** How many tasks wait for an action. */
  countOf(action: string): number {
    return this.#byAction.get(action)?.size ?? 0;
  }

  /** The actions that tasks wait for. */
  actions(): Iterable<string> {
    return this.#byAction.keys();
  }

  /** At the end of its run's queue. */
  put(task: Task): void {
    const waiting = this.#note(task);
    waiting.runQueue.tasks.pushBack(waiting);
  }

  /** Nobody took it after all: it is the next of its run again. */
  putBack(task: Task): void {
    const waiting = this.#note(task);
    waiting.runQueue.tasks.pushFront(waiting);
  }

  /** Whether it was there. */
  remove(runId: string, tokenId: number): boolean {
    const waiting = this.#waiting.get(runId)?.get(tokenId);
    if (waiting === undefined) return false;
    this.#takeOut(waiting);
    return true;
  }

  // WK2: runs take turns, and so do the actions that are asked for; within a run first in, first out.
  take(actions: readonly string[], count: number): Task[] {
    const actionQueues = actions.flatMap((action) => this.#byAction.get(action) ?? []);
    const taken: Task[] = [];
    for (let idle = 0, place = this.#turn++; taken.length < count && idle < actionQueues.length; place++) {
      const runQueue = actionQueues[place % actionQueues.length]?.runQueues.first ?? null;
      idle = runQueue === null ? idle + 1 : 0;
      if (runQueue !== null) taken.push(this.#takeFrom(runQueue));
    }
    return taken;
  }

  #takeFrom(runQueue: RunQueue): Task {
    const waiting = runQueue.tasks.first as Waiting; // a queue without tasks is gone
    this.#takeOut(waiting);
    const { runQueues } = runQueue.actionQueue;
    if (runQueue.chain !== null && runQueues.last !== runQueue) {
      runQueues.remove(runQueue);
      runQueues.pushBack(runQueue);
    }
    return waiting.task;
  }

  #note(task: Task): Waiting {
    const { runId, tokenId } = task;
    const waiting = new Waiting(task, this.#queueOf(task));
    const ofRun = this.#waiting.get(runId);
    if (ofRun === undefined) this.#waiting.set(runId, new Map([[tokenId, waiting]]));
    else ofRun.set(tokenId, waiting);
    waiting.runQueue.actionQueue.size += 1;
    return waiting;
  }

  #queueOf({ runId, action }: Task): RunQueue {
    const actionQueue = this.#byAction.get(action) ?? new ActionQueue();
    if (actionQueue.size === 0) this.#byAction.set(action, actionQueue);
    const known = actionQueue.byRun.get(runId);
    if (known !== undefined) return known;
    const runQueue = new RunQueue(runId, actionQueue);
    actionQueue.byRun.set(runId, runQueue);
    actionQueue.runQueues.pushBack(runQueue);
    return runQueue;
  }

  #takeOut(waiting: Waiting): void {
    const { task, runQueue } = waiting;
    const { actionQueue, runId } = runQueue;
    runQueue.tasks.remove(waiting);
    if (runQueue.tasks.isEmpty) {
      actionQueue.runQueues.remove(runQueue);
      actionQueue.byRun.delete(runId);
    }
    actionQueue.size -= 1;
    if (actionQueue.size === 0) this.#byAction.delete(task.action);
    const ofRun = this.#waiting.get(runId);
    ofRun?.delete(task.tokenId);
    if (ofRun?.size === 0) this.#waiting.delete(runId);
  }
}

export interface Poll {
  readonly actions: readonly string[];
}

/** Calls that wait for tasks, in the order in which they came. */
export class Polls<P extends Poll> {
  readonly #byAction = new Map<string, Set<P>>();
  readonly #all = new Set<P>();

  get size(): number {
    return this.#all.size;
  }

  add(poll: P): void {
    this.#all.add(poll);
    for (const action of poll.actions) {
      const polls = this.#byAction.get(action) ?? new Set();
      this.#byAction.set(action, polls.add(poll));
    }
  }

  /** Whether it still waited. */
  remove(poll: P): boolean {
    if (!this.#all.delete(poll)) return false;
    for (const action of poll.actions) {
      const polls = this.#byAction.get(action);
      polls?.delete(poll);
      if (polls?.size === 0) this.#byAction.delete(action);
    }
    return true;
  }

  waitFor(action: string): boolean {
    return this.#byAction.has(action);
  }

  /** Those that ask for an action; they may be removed on the way. */
  of(action: string): Iterable<P> {
    return this.#byAction.get(action) ?? [];
  }

  all(): readonly P[] {
    return [...this.#all];
  }
}
