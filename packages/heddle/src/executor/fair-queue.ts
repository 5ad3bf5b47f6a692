// Fair queue: which task starts next. Tasks wait in lanes, one for each action of each run; runs take turns, the lanes
// of a run take turns, and the lanes that wait for one busy action take turns.
//
// Always true:
// - The ring holds exactly the runs that have a ready lane and are below their own limit.
// - A lane with tasks is either ready (in its run) or waits for its action (in the action); one without is gone.
// - An action that has room and waiting lanes has given the turn to one of them, whose run is in the ring.
// So a task that cannot start is in nobody's way, and is never looked at until what it waits for has changed. One step
// costs at most a few moves for each action that the run is held up by, whatever the number of tasks.

import type { Task } from '../actor/ports.ts';
import { Chain } from './chain.ts';
import { ActionGate, Lane, RunQueue, Ticket } from './lanes.ts';

export interface FairQueueOptions {
  readonly concurrencyPerRun: number;
  /** Called when a task of an action is about to start and nobody knows the action yet. */
  readonly onUnknown: (gate: ActionGate) => void;
  /** Called when tasks wait for the action's rate; the answer to it is `reopen`. */
  readonly onRateWait: (gate: ActionGate) => void;
  readonly now: () => number;
}

export class FairQueue {
  queued = 0;
  running = 0;
  readonly #options: FairQueueOptions;
  readonly #runs = new Map<string, RunQueue>();
  readonly #gates = new Map<string, ActionGate>();
  readonly #ring = new Chain<RunQueue>();

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  find(runId: string, tokenId: number): Ticket | undefined {
    return this.#runs.get(runId)?.find(tokenId);
  }

  /** The token must have no ticket. */
  add(task: Task): void {
    let run = this.#runs.get(task.runId);
    if (run === undefined) this.#runs.set(task.runId, (run = this.#newRun(task)));
    const gate = this.#gateOf(task.action);
    let lane = gate.lanes.get(task.runId);
    if (lane === undefined) gate.lanes.set(task.runId, (lane = new Lane(run, gate)));
    const ticket = new Ticket(task, lane);
    run.put(ticket);
    lane.tickets.pushBack(ticket);
    this.queued += 1;
    if (lane.chain === null) run.ready.pushBack(lane);
    this.#place(run);
  }

  /** Takes the task whose turn it is and counts it as running; null if none may start. */
  take(): Ticket | null {
    for (let run = this.#ring.shift(); run !== null; run = this.#ring.shift()) {
      const lane = this.#findOpenLane(run);
      if (lane !== null) return this.#takeFrom(lane);
    }
    return null;
  }

  /** A task that was taken no longer holds its place. */
  release(ticket: Ticket): void {
    const { run, gate } = ticket.lane;
    this.running -= 1;
    run.running -= 1;
    gate.running -= 1;
    this.#forget(ticket);
    this.#offerTurn(gate);
    this.#place(run);
    this.#forgetGate(gate);
  }

  /** A task that waits is no longer wanted. */
  remove(ticket: Ticket): void {
    const { lane } = ticket;
    lane.tickets.remove(ticket);
    this.queued -= 1;
    this.#forget(ticket);
    if (lane.tickets.isEmpty) this.#closeLane(lane);
    this.#place(lane.run);
    this.#forgetGate(lane.gate);
  }

  /** The gate has learnt its action, or its rate lets further tasks start. */
  reopen(gate: ActionGate): void {
    this.#offerTurn(gate);
    this.#forgetGate(gate);
  }

  /** Removes all that wait; answers with the gates. */
  close(): Iterable<ActionGate> {
    for (const ticket of this.tickets()) if (ticket.chain !== null) this.remove(ticket);
    return this.#gates.values();
  }

  /** All that wait or are running. */
  tickets(): Ticket[] {
    return [...this.#runs.values()].flatMap((run) => run.tickets());
  }

  // EX3: a task that its action holds up stands aside; the others of its run, and other runs, continue.
  #findOpenLane(run: RunQueue): Lane | null {
    for (let lane = run.ready.shift(); lane !== null; lane = run.ready.shift()) {
      const { gate } = lane;
      if (gate.action === null && !gate.isLoading) this.#options.onUnknown(gate);
      const isItsTurn = lane.isNext || (gate.turn === null && gate.waiting.isEmpty);
      if (isItsTurn && gate.hasRoom(this.#options.now)) return lane;
      if (gate.turn === lane) gate.turn = null;
      if (lane.isNext) gate.waiting.pushFront(lane);
      else gate.waiting.pushBack(lane);
      lane.isNext = false;
      this.#offerTurn(gate);
    }
    return null;
  }

  #takeFrom(lane: Lane): Ticket {
    const { run, gate, tickets } = lane;
    const ticket = tickets.shift() as Ticket; // A lane without tasks is in no chain.
    this.queued -= 1;
    this.running += 1;
    run.running += 1;
    gate.enter(this.#options.now);
    lane.isNext = false;
    if (gate.turn === lane) gate.turn = null;
    // EX2: runs take turns, and so do the actions of a run: after its task, each goes to the end.
    if (tickets.isEmpty) this.#closeLane(lane);
    else run.ready.pushBack(lane);
    if (this.#isFull(run)) this.#passTurns(run);
    this.#place(run);
    this.#offerTurn(gate);
    return ticket;
  }

  /** Gives the turn to the first waiting lane that can use it. Those of full runs keep their place with their run. */
  #offerTurn(gate: ActionGate): void {
    while (gate.turn === null && !gate.waiting.isEmpty && gate.hasRoom(this.#options.now)) {
      const lane = gate.waiting.shift() as Lane; // It is not empty.
      lane.isNext = true;
      lane.run.ready.pushFront(lane);
      if (this.#isFull(lane.run)) continue;
      gate.turn = lane;
      this.#place(lane.run);
    }
    if (!gate.waiting.isEmpty && gate.isHeldByRate(this.#options.now)) this.#options.onRateWait(gate);
  }

  /** A run that has become full cannot use the turns it was given. They stand at the front of its ready lanes. */
  #passTurns(run: RunQueue): void {
    for (let lane = run.ready.first; lane?.isNext === true; lane = lane.next) {
      if (lane.gate.turn !== lane) continue;
      lane.gate.turn = null;
      this.#offerTurn(lane.gate);
    }
  }

  #newRun({ runId, limits }: Task): RunQueue {
    return new RunQueue(runId, Math.min(this.#options.concurrencyPerRun, limits.concurrencyPerRun));
  }

  #isFull(run: RunQueue): boolean {
    return run.running >= run.concurrency;
  }

  /** Into the ring or out of it, as it must be. */
  #place(run: RunQueue): void {
    const belongs = !run.ready.isEmpty && !this.#isFull(run);
    if (belongs === (run.chain !== null)) return;
    if (belongs) this.#ring.pushBack(run);
    else this.#ring.remove(run);
  }

  #closeLane(lane: Lane): void {
    lane.chain?.remove(lane);
    lane.gate.lanes.delete(lane.run.runId);
    if (lane.gate.turn !== lane) return;
    lane.gate.turn = null;
    this.#offerTurn(lane.gate);
  }

  #forget(ticket: Ticket): void {
    const { run } = ticket.lane;
    run.remove(ticket);
    if (run.isEmpty) this.#runs.delete(run.runId);
  }

  #gateOf(name: string): ActionGate {
    let gate = this.#gates.get(name);
    if (gate === undefined) this.#gates.set(name, (gate = new ActionGate(name)));
    return gate;
  }

  /** Names that no action has are not remembered: whoever asks for one again may find it by then. */
  #forgetGate(gate: ActionGate): void {
    if (gate.isForgettable && this.#gates.get(gate.name) === gate) this.#gates.delete(gate.name);
  }
}
