// A DAG while it is under way: its tasks are joined over edges. A task runs when all edges that lead to it are settled,
// taken or dead, and enough of them were taken; else it is dead, and so are the edges that lead on. One that needs all of
// its edges is dead as soon as one of them is.
//
// Always true: each task is decided once.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { must, mustBe, take } from './difference.ts';
import type { EdgeJoins } from './edge-meeting.ts';
import type { Dag, DagEdge, DagNode } from './program.ts';
import { enter, fail, finish, stay, type Thread, type Walk } from './thread.ts';
import { walkTask } from './walk-work.ts';

export function* walkDag(thread: Thread, dag: Dag): Walk<boolean> {
  const run = new DagRun(thread, dag);
  thread.stage.dags.add(run);
  run.begin();
  // It goes on at the last task, if that runs.
  take(yield, 'edge_join.completed');
  thread.isOnTransition = false;
  return yield* run.walkLast();
}

interface Spot {
  readonly arrivals: Thread[];
  dead: number;
  state: 'open' | 'running' | 'over';
}

class DagRun implements EdgeJoins {
  readonly main: Thread;
  readonly #dag: Dag;
  readonly #spots: readonly Spot[];
  /** Threads beside the main one. */
  #live = 0;

  constructor(main: Thread, dag: Dag) {
    this.main = main;
    this.#dag = dag;
    this.#spots = dag.nodes.map((): Spot => ({ arrivals: [], dead: 0, state: 'open' }));
  }

  begin(): void {
    const { main } = this;
    const first = this.#start((thread) => this.#walkNode(thread, 0));
    first.lastError = main.lastError;
    main.lastError = null;
    main.at('gathering');
    this.#spot(0).state = 'running';
  }

  has(node: string): boolean {
    return this.#dag.nodes.some(({ work }) => work.node === node);
  }

  /** The journal says that a task begins. */
  complete(node: string, event: RunEvent): void {
    const index = this.#indexOf(node);
    const spot = this.#spot(index);
    must(this.#verdict(index) === 'due', () => `Expected ${node} not to run yet, but it does`);
    spot.state = 'running';
    if (index === this.#dag.nodes.length - 1) this.main.stage.advance(this.main, event);
    else
      this.#start((thread) => {
        thread.isOnTransition = false;
        return this.#walkNode(thread, index);
      });
    this.#dismiss(spot); // last, for the branch lives on
  }

  /** The journal says that a task will never run. */
  skip(node: string): void {
    const index = this.#indexOf(node);
    const spot = this.#spot(index);
    must(this.#verdict(index) === 'dead', () => `Expected ${node} not to be skipped`);
    spot.state = 'over';
    this.#dismiss(spot);
    for (const { to } of this.#edgesFrom(index)) this.#spot(to).dead += 1;
    this.#leave();
  }

  checkRest(): void {
    for (const [index, { work }] of this.#dag.nodes.entries()) {
      const verdict = this.#verdict(index);
      must(verdict !== 'due', () => `Expected ${work.node} to run, but it does not`);
      must(verdict !== 'dead', () => `Expected to be told that ${work.node} will never run`);
    }
  }

  *walkLast(): Walk<boolean> {
    const failure = yield* this.#perform(this.main, this.#dag.nodes.length - 1);
    return failure === null || (yield* fail(this.main, failure));
  }

  #indexOf(node: string): number {
    return this.#dag.nodes.findIndex(({ work }) => work.node === node);
  }

  #spot(index: number): Spot {
    return this.#spots[index] as Spot; // there is one for each task
  }

  #start(walk: (thread: Thread) => Walk<boolean>): Thread {
    const { stage, frame, cause } = this.main;
    this.#live += 1;
    return stage.start(frame, cause, walk);
  }

  /** Answers with the code of its failure; null if it succeeds. */
  *#perform(thread: Thread, index: number): Walk<string | null> {
    const { work, from } = this.#dag.nodes[index] as DagNode; // by its index
    yield* enter(thread, work.node);
    if (work.type === 'pass') {
      yield* finish(thread);
      return null;
    }
    const sources = from.map(({ index: source }) => this.#dag.nodes[source]?.work.node ?? '');
    return yield* walkTask(thread, work, { sources });
  }

  *#walkNode(thread: Thread, index: number): Walk<boolean> {
    const failure = yield* this.#perform(thread, index);
    const outcome = failure === null ? 'success' : 'failure';
    const edges = this.#edgesFrom(index).map(({ to, after, on }) => {
      const isEligible = after === outcome || after === 'any';
      return { to, isEligible, isTaken: isEligible && thread.frame.holds(on) };
    });
    if (edges.some(({ isTaken }) => isTaken === null)) return yield* fail(thread, 'CONDITION_FAILED');
    if (!edges.some(({ isTaken }) => isTaken)) {
      if (failure !== null) return yield* fail(thread, failure);
      if (edges.some(({ isEligible }) => isEligible)) return yield* fail(thread, 'NO_TRANSITION_MATCHED');
    }
    for (const { to, isTaken } of edges) {
      if (!isTaken) this.#spot(to).dead += 1;
      else this.#follow(thread, to);
    }
    this.#spot(index).state = 'over';
    this.#live -= 1;
    this.#leave();
    return false;
  }

  #edgesFrom(index: number): (DagEdge & { readonly to: number })[] {
    return this.#dag.nodes.flatMap(({ from }, to) =>
      from.filter((edge) => edge.index === index).map((edge) => ({ ...edge, to })),
    );
  }

  #follow({ token }: Thread, to: number): void {
    this.#start((thread) => {
      thread.cause = token;
      return this.#walkEdge(thread, to);
    });
  }

  *#walkEdge(thread: Thread, to: number): Walk<boolean> {
    yield* enter(thread, this.#dag.nodes[to]?.work.node ?? '');
    if (this.#spot(to).state === 'over') {
      yield* finish(thread);
      this.#live -= 1;
      this.#leave();
      return false;
    }
    mustBe(take(yield, 'token.waiting').for, 'edges', 'what the token waits for');
    thread.at('joining');
    this.#spot(to).arrivals.push(thread);
    return yield* stay();
  }

  /** What must become of a task now. */
  #verdict(index: number): 'open' | 'due' | 'dead' {
    const { from, require } = this.#dag.nodes[index] as DagNode; // by its index
    const { arrivals, dead, state } = this.#spot(index);
    if (state !== 'open') return 'open';
    if (require === 'all' && dead > 0) return 'dead';
    if (arrivals.length + dead < from.length) return 'open';
    return arrivals.length > 0 ? 'due' : 'dead';
  }

  /** With nobody left, and the last task never to run, the path has ended. */
  #leave(): void {
    const { stage } = this.main;
    const isDead = this.#live === 0 && this.#spots.at(-1)?.state === 'over';
    if (isDead && stage.threads.has(this.main)) stage.remove(this.main);
  }

  #dismiss({ arrivals }: Spot): void {
    for (const arrival of arrivals) this.main.stage.complete(arrival);
    this.#live -= arrivals.length;
  }
}
