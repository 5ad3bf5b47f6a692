// ExplainRun: a run of this engine's store is explained: at one event, from its journal. Nothing is journaled, and a run
// that is running is not held up.

import type { JournalRow } from '../actor/ports.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import type { Opening } from '../core/replay/facts.ts';
import type { WhatIf as CommitWhatIf } from '../core/replay/replay-commit.ts';
import type { RunState } from '../core/state.ts';
import type { Graph } from '../definition/graph.ts';
import type { Explanation, WhatIf } from '../operations/run-views.ts';
import { checkWhatIf, explain } from './explanation.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { readBefore } from './state-at.ts';

export async function explainEvent(host: Host, runId: string, eventId: string, whatIf: WhatIf): Promise<Explanation> {
  const checked = checkWhatIf(whatIf, host.limits);
  const graph = await graphOf(host, runId);
  const { state, row } = await readBefore(host, runId, eventId);
  const asked = { runId, eventId, opening: openingOf(graph, state, row) };
  return explain(asked, { ...checked, ...draftOf(host, graph, whatIf.definition) });
}

/** By which a run is decided. */
export async function graphOf({ store, definitions }: Host, runId: string): Promise<Graph> {
  const { workflow, version } = await mustReadRun(store, runId);
  return definitions.mustFind(workflow, version);
}

export function draftOf({ definitions }: Host, { version }: Graph, definition: unknown): Pick<CommitWhatIf, 'graph'> {
  return definition === undefined ? {} : { graph: definitions.compileDraft(definition, version) };
}

export const openingOf = (graph: Graph, state: RunState, { seq, at, events }: JournalRow): Opening => ({
  graph,
  state,
  commit: { seq, at, events: parseEvents(events) },
});
