// CheckDecisions: what was decided in every commit of a run is decided again, from the state before it and the facts that
// its journal keeps, and must come out the same (I35).

import { readDefinition } from '../packages/heddle/src/actor/definitions.ts';
import type { JournalRow, RunRow, Store } from '../packages/heddle/src/actor/ports.ts';
import { apply, emptyState } from '../packages/heddle/src/core/apply/apply.ts';
import type { Event } from '../packages/heddle/src/core/events.ts';
import { replayCommit } from '../packages/heddle/src/core/replay/replay-commit.ts';
import { compileGraph } from '../packages/heddle/src/definition/compile-graph.ts';
import type { Graph } from '../packages/heddle/src/definition/graph.ts';
import { defaultLimits, type Limits } from '../packages/heddle/src/definition/limits.ts';

/** Null, or what came out otherwise. */
export async function checkDecisions(
  store: Store,
  limits: Partial<Limits>,
  { runId, workflow, version }: RunRow,
  journal: readonly JournalRow[],
): Promise<string | null> {
  const stored = await store.findDefinition(workflow, version);
  if (!stored) return `Expected version ${version} of ${workflow} to be stored, but it is not`;
  const graph = compileGraph(readDefinition(stored), { version, limits: { ...defaultLimits, ...limits } });
  const wrong = differenceIn(graph, journal);
  return wrong === null ? null : `I35 ${runId} ${wrong}`;
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
