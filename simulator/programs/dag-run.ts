// A DAG while it is under way: its tasks are joined over edges. A task runs when all edges that lead to it are settled,
// taken or dead, and enough of them were taken; else it is dead, and so are the edges that lead on.
//
// Always true: each task is decided once.

import type { RunEvent } from '../../packages/heddle/src/actor/observers.ts';
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
  /** `due`: it must run now. */
  state: 'open' | 'due' | 'running' | 'over';
}

class DagRun implements EdgeJoins {
  readonly main: Thread;
  readonly #dag: Dag;
  readonly #spots: readonly Spot[];
  /** Those that are known never to run, and have not been told of. */
  readonly #dead = new Set<string>();
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
    this.#decide();
    const index = this.#dag.nodes.findIndex(({ work }) => work.node === node);
    const spot = this.#spot(index);
    must(spot.state === 'due', () => `Expected ${node} not to run yet, but it does`);
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
    this.#decide();
    must(this.#dead.delete(node), () => `Expected ${node} not to be skipped`);
  }

  checkRest(): void {
    this.#decide();
    must(this.#dead.size === 0, () => `Expected to be told that ${[...this.#dead].join()} will never run`);
    const due = this.#spots.findIndex(({ state }) => state === 'due');
    must(due < 0, () => `Expected ${this.#dag.nodes[due]?.work.node} to run, but it does not`);
  }

  *walkLast(): Walk<boolean> {
    const failure = yield* this.#perform(this.main, this.#dag.nodes.length - 1);
    return failure === null || (yield* fail(this.main, failure));
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
    this.#decide();
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
    mustBe(take(yield, 'token.waiting').for, 'edges', 'what the token waits for');
    thread.at('joining');
    this.#spot(to).arrivals.push(thread);
    this.#decide();
    return yield* stay();
  }

  /** Sources come before what they lead to, so that one look is enough. */
  #decide(): void {
    const { isBesideOpen } = this.main;
    for (const [index, spot] of this.#spots.entries()) {
      const { work, from, require } = this.#dag.nodes[index] as DagNode; // one for each spot
      const { arrivals, dead, state } = spot;
      if (state !== 'open' || arrivals.length + (isBesideOpen ? 0 : dead) < from.length) continue;
      const runs = require === 'all' ? dead === 0 : arrivals.length > 0;
      spot.state = runs ? 'due' : 'over';
      if (runs) continue;
      this.#dead.add(work.node);
      this.#dismiss(spot);
      for (const { to } of this.#edgesFrom(index)) this.#spot(to).dead += 1;
    }
    const { stage } = this.main;
    const isDead = this.#live === 0 && this.#spots.at(-1)?.state === 'over';
    if (isDead && stage.threads.has(this.main)) stage.remove(this.main);
  }

  #dismiss({ arrivals }: Spot): void {
    for (const arrival of arrivals) this.main.stage.complete(arrival);
    this.#live -= arrivals.length;
  }
}
