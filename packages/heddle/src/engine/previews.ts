// Previews: what cancelling or retrying a run would do. Rules PV….
//
// Always true: nothing changes; what a retry takes over is asked of the same function that makes it.

import { prepareContinuation } from '../actor/continuation.ts';
import type { RunPage, RunPlace, RunRow } from '../actor/ports.ts';
import { valueOf } from '../actor/record-value.ts';
import { nextSlice } from '../actor/slices.ts';
import type { Json } from '../base/json.ts';
import type { EncodedState } from '../core/apply/encoded-state.ts';
import { openPromptsOf, type PromptNote } from '../core/notes.ts';
import type { Span } from '../core/views/spans.ts';
import { isTerminal, runStatuses } from '../core/views/status.ts';
import type { BegunVisits, CancelPreview, NodeVisits, RetryPreview, VisitsAgain } from '../operations/previews.ts';
import type { Host } from './host.ts';
import { mustReadRun, runNotFound } from './must-read.ts';
import type { Performers } from './performer.ts';
import { refuseRetry } from './retry-run.ts';
import { readDrawing, readVisits } from './run-view.ts';

const subRunsMax = 1_000;
const promptsMax = 1_000;
const runsPerPage = 200;
const unfinished = runStatuses.filter((status) => !isTerminal(status));

export const previewPerformers: Performers<'previewRetry' | 'previewCancel'> = {
  previewRetry({ host }, { runId }) {
    return previewRetry(host, runId);
  },

  previewCancel({ host }, { runId }) {
    return previewCancel(host, runId);
  },
};

// ----------------------------------------------------------------------------------------------------------- retry

/** PV1: by node, as the author knows them: what a retry executes again, what keeps waiting, and what is not done again. */
async function previewRetry(host: Host, runId: string): Promise<RetryPreview> {
  const { store, definitions, clock } = host;
  const row = await mustReadRun(store, runId);
  refuseRetry(row);
  const graph = await definitions.mustFind(row.workflow, row.version);
  const continuation = await prepareContinuation(store, graph, row, clock.now());
  if (continuation === null) throw runNotFound(runId); // It was deleted while it was read.
  const visits = await readVisits(host, row, row.seq - 1);
  const drawn = new Set(visits.keys());
  if (graph.policy.keepsOutputs) return fromOutputs(visits, new Set(Object.keys(continuation.outputs)), drawn);
  if (continuation.restore === undefined) {
    const again = graph.initialNodes.map(({ id }) => ({ nodeId: id, visits: 1, begun: 0, continued: 0 }));
    return { isFromStart: true, again: again.filter(({ nodeId }) => drawn.has(nodeId)), waiting: [], kept: [] };
  }
  return fromTokens(visits, continuation.restore, drawn);
}

/** A retry of a graph whose outputs are kept walks it anew, past those that are there (RX5). */
function fromOutputs(visits: Visits, done: ReadonlySet<string>, drawn: ReadonlySet<string>): RetryPreview {
  const nodes = [...drawn].filter((nodeId) => (visits.get(nodeId)?.length ?? 0) > 0 || done.has(nodeId));
  const again = nodes
    .filter((nodeId) => !done.has(nodeId))
    .map((nodeId): VisitsAgain => ({ nodeId, visits: 1, begun: begunIn(visits.get(nodeId) ?? []), continued: 0 }));
  const kept = nodes.filter((nodeId) => done.has(nodeId)).map((nodeId) => ({ nodeId, visits: 1 }));
  return { isFromStart: true, again, waiting: [], kept };
}

function fromTokens(visits: Visits, restore: Json, drawn: ReadonlySet<string>): RetryPreview {
  const { tokens } = restore as unknown as EncodedState; // of our own making
  const restored = new Map(tokens.map((token) => [token.id, token]));
  const again: VisitsAgain[] = [];
  const waiting: NodeVisits[] = [];
  const kept: NodeVisits[] = [];
  for (const nodeId of drawn) {
    const all = visits.get(nodeId) ?? [];
    const anew = all.filter(({ token }) => restored.get(token)?.status === 'ready');
    const continued = anew.filter(({ token }) => typeof restored.get(token)?.continues === 'string').length;
    if (anew.length > 0) again.push({ nodeId, visits: anew.length, begun: begunIn(anew), continued });
    const others = all.filter(({ token }) => restored.has(token)).length - anew.length;
    if (others > 0) waiting.push({ nodeId, visits: others });
    const done = all.filter(({ status }) => status === 'completed').length;
    if (done > 0) kept.push({ nodeId, visits: done });
  }
  return { isFromStart: false, again, waiting, kept };
}

type Visits = ReadonlyMap<string, readonly Span[]>;

const begunIn = (visits: readonly Pick<Span, 'status'>[]): number =>
  visits.filter(({ status }) => status === 'dispatched' || status === 'retrying').length;

// ---------------------------------------------------------------------------------------------------------- cancel

/** PV2: what is in the nodes of a run, the runs below it that have not ended, and what they ask of people. */
async function previewCancel(host: Host, runId: string): Promise<CancelPreview> {
  const row = await mustReadRun(host.store, runId);
  if (isTerminal(row.status)) return { applies: false, ended: [], subRuns: 0, openPrompts: 0 };
  const drawn = new Set((await readDrawing(host, row)).nodes);
  const ended = await host.inbox.read(runId, ({ tokens }) => {
    const byNode = new Map<string, { visits: number; begun: number }>();
    for (const { node, status } of tokens.values()) {
      const known = byNode.get(node) ?? { visits: 0, begun: 0 };
      byNode.set(node, { visits: known.visits + 1, begun: known.begun + begunIn([{ status }]) });
    }
    return [...byNode].map(([nodeId, counts]): BegunVisits => ({ nodeId, ...counts }));
  });
  const subRuns = await findSubRuns(host, runId);
  return {
    applies: true,
    ended: ended.filter(({ nodeId }) => drawn.has(nodeId)),
    subRuns: subRuns.size,
    openPrompts: await countPrompts(host, row, subRuns),
  };
}

async function findSubRuns({ store, clock }: Host, runId: string): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const parentRunId of chain([runId], found)) {
    for (let after: RunPlace | null | undefined; after !== null && found.size < subRunsMax; ) {
      const query = { parentRunId, statuses: unfinished, limit: runsPerPage, ...(after ? { after } : {}) };
      const page: RunPage = await store.pageRuns(query);
      for (const child of page.rows) if (found.size < subRunsMax) found.add(child.runId);
      after = page.next;
    }
    await nextSlice(clock);
  }
  return found;
}

/** A set that grows while it is walked is walked to its end. */
function* chain(first: Iterable<string>, rest: ReadonlySet<string>): Iterable<string> {
  yield* first;
  yield* rest;
}

async function countPrompts({ store }: Host, { runId, rootRunId }: RunRow, below: ReadonlySet<string>) {
  const prompts = await store.listRecords('open-prompt', { prefix: openPromptsOf(rootRunId), limit: promptsMax });
  const asking = prompts.map((record) => (valueOf(record) as PromptNote).runId); // written by its run
  return asking.filter((id) => id === runId || below.has(id)).length;
}
