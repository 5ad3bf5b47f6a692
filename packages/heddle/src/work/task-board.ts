// Task board: tasks that wait for somebody outside the process, by action. Plain data in memory: nothing here waits,
// commits or knows of leases.
//
// Always true: a task stands on it at most once, in its newest hand-out; it holds no more than runs have handed out.

import type { Task } from '../actor/ports.ts';
import { Chain, type Linked } from '../executor/chain.ts';

class Waiting implements Linked<Waiting> {
  chain: Chain<Waiting> | null = null;
  previous: Waiting | null = null;
  next: Waiting | null = null;
  readonly task: Task;
  readonly line: Line;

  constructor(task: Task, line: Line) {
    this.task = task;
    this.line = line;
  }
}

/** The tasks of one run for one action, first in, first out. */
class Line implements Linked<Line> {
  chain: Chain<Line> | null = null;
  previous: Line | null = null;
  next: Line | null = null;
  readonly tasks = new Chain<Waiting>();
  readonly runId: string;
  readonly shelf: Shelf;

  constructor(runId: string, shelf: Shelf) {
    this.runId = runId;
    this.shelf = shelf;
  }
}

/** What waits for one action. */
class Shelf {
  /** The run whose turn is next stands first. */
  readonly lines = new Chain<Line>();
  readonly byRun = new Map<string, Line>();
  size = 0;
}

export class TaskBoard {
  readonly #shelves = new Map<string, Shelf>();
  /** By run and token. */
  readonly #waiting = new Map<string, Map<number, Waiting>>();
  /** Which of the actions that somebody asks for comes first: another one each time. */
  #turn = 0;

  find(runId: string, tokenId: number): Task | null {
    return this.#waiting.get(runId)?.get(tokenId)?.task ?? null;
  }

  /** How many tasks wait for an action. */
  countOf(action: string): number {
    return this.#shelves.get(action)?.size ?? 0;
  }

  /** The actions that tasks wait for. */
  actions(): Iterable<string> {
    return this.#shelves.keys();
  }

  /** At the end of its run's line. */
  put(task: Task): void {
    const waiting = this.#note(task);
    waiting.line.tasks.pushBack(waiting);
  }

  /** Nobody took it after all: it is the next of its run again. */
  putBack(task: Task): void {
    const waiting = this.#note(task);
    waiting.line.tasks.pushFront(waiting);
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
    const shelves = actions.flatMap((action) => this.#shelves.get(action) ?? []);
    const taken: Task[] = [];
    for (let idle = 0, place = this.#turn++; taken.length < count && idle < shelves.length; place++) {
      const line = shelves[place % shelves.length]?.lines.first ?? null;
      idle = line === null ? idle + 1 : 0;
      if (line !== null) taken.push(this.#takeFrom(line));
    }
    return taken;
  }

  #takeFrom(line: Line): Task {
    const waiting = line.tasks.first as Waiting; // a line without tasks is gone
    this.#takeOut(waiting);
    const { lines } = line.shelf;
    if (line.chain !== null && lines.last !== line) {
      lines.remove(line);
      lines.pushBack(line);
    }
    return waiting.task;
  }

  #note(task: Task): Waiting {
    const { runId, tokenId } = task;
    const waiting = new Waiting(task, this.#lineOf(task));
    const ofRun = this.#waiting.get(runId);
    if (ofRun === undefined) this.#waiting.set(runId, new Map([[tokenId, waiting]]));
    else ofRun.set(tokenId, waiting);
    waiting.line.shelf.size += 1;
    return waiting;
  }

  #lineOf({ runId, action }: Task): Line {
    const shelf = this.#shelves.get(action) ?? new Shelf();
    if (shelf.size === 0) this.#shelves.set(action, shelf);
    const known = shelf.byRun.get(runId);
    if (known !== undefined) return known;
    const line = new Line(runId, shelf);
    shelf.byRun.set(runId, line);
    shelf.lines.pushBack(line);
    return line;
  }

  #takeOut(waiting: Waiting): void {
    const { task, line } = waiting;
    const { shelf, runId } = line;
    line.tasks.remove(waiting);
    if (line.tasks.isEmpty) {
      shelf.lines.remove(line);
      shelf.byRun.delete(runId);
    }
    shelf.size -= 1;
    if (shelf.size === 0) this.#shelves.delete(task.action);
    const ofRun = this.#waiting.get(runId);
    ofRun?.delete(task.tokenId);
    if (ofRun?.size === 0) this.#waiting.delete(runId);
  }
}
