// Thread run: a run as the thread dialect sees it: its threads, and the tree of contexts that they run in.

import { copyJson } from '../base/copy-json.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { writtenAt } from '../core/planning/join-merge.ts';
import { mergeContributions } from '../core/planning/merge.ts';
import { viewOf } from '../core/planning/scope.ts';
import type { Group, RunState } from '../core/state.ts';
import type { Graph } from '../definition/graph.ts';
import { type ThreadsView, threadsOf } from '../dialects/thread/view.ts';
import type { Host } from './host.ts';

export function readThreads({ inbox }: Host, runId: string): Promise<ThreadsView> {
  return inbox.read(runId, viewThreads);
}

/** A copy: nothing of it changes with the run. */
export function viewThreads(state: RunState, graph: Graph): ThreadsView {
  const view = threadsOf(state, graph, { contextOf: (branch) => viewOf(state, branch).state, mergedOf });
  return copyJson(view as unknown as Json) as unknown as ThreadsView; // plain data
}

/** What the branches that have come so far are merged to. */
function mergedOf({ batch, branches }: Group): JsonObject {
  const come = branches.filter(({ arrival, settled, failed }) =>
    batch === null ? arrival !== null : settled && !failed,
  );
  const contributions = come.flatMap((branch) => {
    const value = writtenAt(branch, 'state.output');
    return value === undefined ? [] : [{ index: branch.index, value }];
  });
  return contributions.length === 0 ? {} : { output: mergeContributions('output_merge', contributions) };
}
