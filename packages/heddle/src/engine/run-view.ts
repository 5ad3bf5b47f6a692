// RunView: a run on its drawing, folded from the journal on the server: for those who do not fold it themselves. Rule VW18.

import { readDefinition } from '../actor/definitions.ts';
import { readVerified } from '../actor/journal.ts';
import type { JournalRow, RunRow } from '../actor/ports.ts';
import { inSlices, type Sliced } from '../actor/slices.ts';
import { stepsToLoad } from '../actor/turn-budget.ts';
import { copyJson } from '../base/copy-json.ts';
import { given } from '../base/given.ts';
import { readEvents as parseEvents } from '../core/read-events.ts';
import { type Drawing, drawingOf } from '../core/views/drawing.ts';
import type { EdgeView } from '../core/views/edges.ts';
import type { NodeView } from '../core/views/nodes.ts';
import { RunFold } from '../core/views/run-fold.ts';
import type { Span } from '../core/views/spans.ts';
import type { Graph } from '../definition/graph.ts';
import type { WorkflowDefinition } from '../dialects/dialect.ts';
import { checkText } from '../operations/check-request.ts';
import { slicedPage } from '../operations/pages.ts';
import type { Page, Paging } from '../operations/parts.ts';
import type { RunFigures, RunView } from '../operations/run-views.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { eventsOf, placeOf } from './read-events.ts';
import { summaryOf } from './run-result.ts';
import { noSuchEvent } from './state-at.ts';
import { summarizeNodes, withSummaries, withSummary } from './summaries.ts';

/** Prompts, timers and sub-runs, each. */
const listedMax = 1_000;

/** VW18: how the run is drawn, and its figures as of the event, or now; the work is done in slices. */
export async function readRunView(host: Host, runId: string, eventId?: string): Promise<RunView> {
  if (eventId !== undefined) checkText('the id of an event', eventId);
  const until = eventId === undefined ? null : placeOf(eventId);
  const row = await mustReadRun(host.store, runId);
  const drawing = await readDrawing(host, row);
  const fold = new RunFold({ drawing, spansMax: 0 });
  await foldRun(host, row, fold, until ?? theEnd);
  if (eventId !== undefined && fold.lastEvent !== eventId) throw noSuchEvent(runId, eventId);
  const graph = await graphOf(host, row);
  return {
    run: await withSummary(host, summaryOf(row)),
    commits: row.seq,
    lastEventId: eventId === undefined ? fold.lastEvent : await lastEventOf(host, row),
    drawing,
    figures: await withSummaries(host, graph, fold, figuresOf(fold)),
  };
}

// DR31: nodes and edges are those that were drawn.
export async function readEdges(host: Host, runId: string): Promise<readonly EdgeView[]> {
  return (await foldNow(host, await mustReadRun(host.store, runId))).edges();
}

export async function pageNodes(host: Host, runId: string, paging: Paging): Promise<Page<NodeView>> {
  const row = await mustReadRun(host.store, runId);
  const fold = await foldNow(host, row);
  const { items, next } = slicedPage(fold.nodeViews(), paging, ({ nodeId }) => nodeId);
  const summaries = await summarizeNodes(host, await graphOf(host, row), fold, items);
  return { items: items.map((node) => ({ ...node, ...given({ summary: summaries.get(node.nodeId) }) })), next };
}

/** Of those that have ended, one by one. */
const visitsMax = 100_000;

/** The visits to each node that was drawn, up to a row of the journal. */
export async function readVisits(host: Host, row: RunRow, untilRow: number): Promise<ReadonlyMap<string, Span[]>> {
  const drawing = await readDrawing(host, row);
  const fold = new RunFold({ drawing, spansMax: visitsMax, groupsMax: 0 });
  await foldRun(host, row, fold, { row: untilRow, index: Number.POSITIVE_INFINITY });
  const visits = new Map(drawing.nodes.map((nodeId): [string, Span[]] => [nodeId, []]));
  for (const span of fold.spans()) visits.get(span.node)?.push(span);
  return visits;
}

async function foldNow(host: Host, row: RunRow): Promise<RunFold> {
  const fold = new RunFold({ drawing: await readDrawing(host, row), spansMax: 0, groupsMax: 0 });
  await foldRun(host, row, fold);
  return fold;
}

const graphOf = ({ definitions }: Host, { workflow, version }: RunRow): Promise<Graph> =>
  definitions.mustFind(workflow, version);

export async function readDrawing(host: Host, run: RunRow): Promise<Drawing> {
  const graph = await graphOf(host, run);
  const row = await host.store.findDefinition(run.workflow, run.version);
  const { nodes }: Pick<WorkflowDefinition, 'nodes'> = row ? readDefinition(row) : { nodes: [] }; // a run's definition stays
  return drawingOf(
    graph,
    nodes.map(({ id }) => id),
  );
}

const rowsPerPage = 500;

/** A row of a journal, and a place in it. */
type Place = ReturnType<typeof placeOf>;

const theEnd: Place = { row: Number.POSITIVE_INFINITY, index: Number.POSITIVE_INFINITY };

/** From the beginning to a place, or to what is the end now, a page at a time. */
export async function foldRun(
  { store, clock }: Host,
  { runId, seq }: RunRow,
  fold: RunFold,
  until = theEnd,
): Promise<void> {
  const last = Math.min(until.row, seq);
  for (let fromSeq = 1; fromSeq <= last; fromSeq += rowsPerPage) {
    const limit = Math.min(rowsPerPage, last - fromSeq + 1);
    const rows = await readVerified(store, runId, { fromSeq, limit });
    await inSlices(addRows(fold, runId, rows, until), clock);
  }
}

function* addRows(fold: RunFold, runId: string, rows: readonly JournalRow[], until: Place): Sliced<void> {
  for (const row of rows) {
    let index = 0;
    for (const event of eventsOf(runId, row, 0)) if (row.seq < until.row || index++ <= until.index) fold.add(event);
    yield stepsToLoad(row.events.length);
  }
}

async function lastEventOf({ store }: Host, { runId, seq }: RunRow): Promise<string | null> {
  const [row] = await readVerified(store, runId, { fromSeq: seq, limit: 1 });
  return row ? `${seq}.${parseEvents(row.events).length - 1}` : null;
}

function figuresOf(fold: RunFold): RunFigures {
  return {
    eventId: fold.lastEvent,
    events: fold.count,
    at: fold.at,
    status: fold.status,
    input: copyJson(fold.input),
    state: copyJson(fold.state),
    output: copyJson(fold.output),
    error: fold.error,
    firstFailure: fold.firstFailure,
    nodes: fold.nodes(),
    edges: fold.edges(),
    groups: fold.groups(),
    groupTotals: fold.groupTotals(),
    prompts: fold.prompts().slice(0, listedMax),
    timers: fold.timers().slice(0, listedMax),
    subruns: fold.subruns().slice(0, listedMax),
  };
}
