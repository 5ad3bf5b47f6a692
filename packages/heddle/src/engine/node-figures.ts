// Node figures: how the nodes of a workflow fared in its newest runs, from their journals.
//
// Always true: at most so many runs and rows of journals are read, and others have their turn between two pages of rows.

import type { RunPage, RunPlace, RunRow } from '../actor/ports.ts';
import type { Span } from '../core/views/spans.ts';
import { figuredRunsMax, type NodeFiguresRequest, type WorkflowNodeFigures } from '../operations/overview.ts';
import type { Host } from './host.ts';
import { durationsOf } from './overview.ts';
import type { Performers } from './performer.ts';
import { readVisits } from './run-view.ts';

/** Rows of journals in all: 20 µs each. */
const rowsMax = 50_000;
const runsPerPage = 50;
/** Until enough of one version are found. */
const runsLookedAtMax = 1_000;

export const nodeFigurePerformers: Performers<'getNodeFigures'> = {
  getNodeFigures({ host }, request) {
    return readNodeFigures(host, request);
  },
};

/** OV5: of the newest runs of a workflow, sub-runs too, every visit that its author can see; one that failed or timed out is a failure. */
async function readNodeFigures(host: Host, request: NodeFiguresRequest): Promise<WorkflowNodeFigures> {
  await host.definitions.mustFind(request.workflow, request.version ?? null);
  const visits = new Map<string, Span[]>();
  let rowsLeft = rowsMax;
  let runs = 0;
  let isPartial = false;
  for (const row of await findRuns(host, request)) {
    isPartial ||= row.seq > rowsLeft;
    if (rowsLeft === 0) break;
    runs += 1;
    for (const [nodeId, ofRun] of await readVisits(host, row, rowsLeft)) {
      const known = visits.get(nodeId) ?? [];
      for (const visit of ofRun) known.push(visit);
      visits.set(nodeId, known);
    }
    rowsLeft = Math.max(0, rowsLeft - row.seq);
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
