// Node figures: how the nodes of a workflow fared in its newest runs, from their journals.
//
// Always true: at most so many runs and rows of journals are read, and others have their turn between two pages of rows.

import type { RunPage, RunPlace, RunRow } from '../actor/ports.ts';
import { RunFold } from '../core/views/run-fold.ts';
import type { Span } from '../core/views/spans.ts';
import { figuredRunsMax, type NodeFiguresRequest, type WorkflowNodeFigures } from '../operations/overview.ts';
import type { Host } from './host.ts';
import { durationsOf } from './overview.ts';
import { foldRun, readDrawing } from './run-view.ts';

/** Rows of journals in all: 20 µs each. */
const rowsMax = 50_000;
/** Of one run: the newest. */
const visitsMax = 100_000;
const runsPerPage = 50;
/** Until enough of one version are found. */
const runsLookedAtMax = 1_000;

/** OV5: of the newest runs of a workflow, sub-runs too, every visit that its author can see; one that failed or timed out is a failure. */
export async function readNodeFigures(host: Host, request: NodeFiguresRequest): Promise<WorkflowNodeFigures> {
  await host.definitions.mustFind(request.workflow, request.version ?? null);
  const visits = new Map<string, Span[]>();
  let rowsLeft = rowsMax;
  let runs = 0;
  let isPartial = false;
  for (const row of await findRuns(host, request)) {
    isPartial ||= row.seq > rowsLeft;
    if (rowsLeft === 0) break;
    runs += 1;
    const drawing = await readDrawing(host, row);
    const fold = new RunFold({ drawing, spansMax: visitsMax, groupsMax: 0 });
    await foldRun(host, row, fold, { row: rowsLeft, index: Number.POSITIVE_INFINITY });
    rowsLeft = Math.max(0, rowsLeft - row.seq);
    for (const nodeId of drawing.nodes) if (!visits.has(nodeId)) visits.set(nodeId, []);
    for (const span of fold.spans()) visits.get(span.node)?.push(span);
  }
  return { runs, nodes: [...visits].map(([nodeId, all]) => figuresOf(nodeId, all)), isPartial };
}

async function findRuns({ store }: Host, request: NodeFiguresRequest): Promise<readonly RunRow[]> {
  const { workflow, version, runsMax = figuredRunsMax } = request;
  const found: RunRow[] = [];
  let looked = 0;
  for (let after: RunPlace | null | undefined; after !== null && looked < runsLookedAtMax; ) {
    const query = { workflow, isQuarantined: false, limit: runsPerPage, ...(after ? { after } : {}) };
    const { rows, next }: RunPage = await store.pageRuns(query);
    looked += rows.length;
    for (const row of rows) if (version === undefined || row.version === version) found.push(row);
    if (found.length >= runsMax) return found.slice(0, runsMax);
    after = next;
  }
  return found;
}

function figuresOf(nodeId: string, visits: readonly Span[]) {
  const failures = visits.filter(({ status }) => status === 'failed' || status === 'timed_out').length;
  const ended = visits.flatMap(({ status, readyAt, endedAt }) =>
    endedAt === null || status === 'cancelled' ? [] : [endedAt - readyAt],
  );
  return { nodeId, visits: visits.length, failures, ...durationsOf(ended) };
}
