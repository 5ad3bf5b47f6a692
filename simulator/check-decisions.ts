// CheckDecisions: what was decided in every commit of a run is decided again, from the state before it and the facts that
// its journal keeps, and must come out the same (I35).

import { readDefinition } from '../packages/heddle/src/actor/definitions.ts';
import type { JournalRow, RunRow, Store } from '../packages/heddle/src/actor/ports.ts';
import { apply, emptyState } from '../packages/heddle/src/core/apply/apply.ts';
import type { Event } from '../packages/heddle/src/core/events.ts';
import { replayCommit } from '../packages/heddle/src/core/replay/replay-commit.ts';
import type { Graph } from '../packages/heddle/src/definition/graph.ts';
import { defaultLimits, type Limits } from '../packages/heddle/src/definition/limits.ts';
import { compileGraph } from '../packages/heddle/src/dialects/compile-graph.ts';

/** Checks the runs of one store, each definition of which is compiled once. */
export class DecisionCheck {
  readonly #store: Store;
  readonly #limits: Limits;
  readonly #graphs = new Map<string, Graph>();

  constructor(store: Store, limits: Partial<Limits>) {
    this.#store = store;
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** Null, or what came out otherwise. */
  async differenceIn({ runId, workflow, version }: RunRow, journal: readonly JournalRow[]): Promise<string | null> {
    const graph = await this.#graphOf(workflow, version);
    if (!graph) return `Expected version ${version} of ${workflow} to be stored, but it is not`;
    const wrong = differenceIn(graph, journal);
    return wrong === null ? null : `I35 ${runId} ${wrong}`;
  }

  async #graphOf(workflow: string, version: number): Promise<Graph | null> {
    const name = `${version} ${workflow}`;
    const known = this.#graphs.get(name);
    if (known) return known;
    const stored = await this.#store.findDefinition(workflow, version);
    if (!stored) return null;
    const graph = compileGraph(readDefinition(stored), { version, limits: this.#limits });
    this.#graphs.set(name, graph);
    return graph;
  }
}

function differenceIn(graph: Graph, journal: readonly JournalRow[]): string | null {
  const state = emptyState();
  for (const { seq, at, events: text } of journal) {
    const recorded = JSON.parse(text) as Event[];
    const { command, difference } = replayCommit({ graph, state, commit: { seq, at, events: recorded } });
    if (difference) {
      const told = [command, difference.recorded, difference.replayed].map((one) => JSON.stringify(one));
      return `at ${seq}.${difference.index}: on ${told[0]} expected ${told[1]} to be decided again, but found ${told[2]}`;
    }
    state.at = at;
    for (const event of recorded) apply(state, event);
  }
  return null;
}
