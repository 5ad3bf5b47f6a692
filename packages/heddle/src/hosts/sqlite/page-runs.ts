// PageRuns: a page of a list of runs, and how many runs there are of each status.
//
// Always true: a page looks at a bounded number of runs, and a count counts a bounded number, so that both take the same
// time with a hundred runs and with a million; a page is as of one moment.

import {
  type RunLists,
  type RunOutline,
  type RunOutlineQuery,
  type RunPage,
  type RunPageQuery,
  type RunPlace,
  type RunRow,
  resultsPerPageMax,
} from '../../actor/ports.ts';
import { type Filtered, fitsQuery } from '../../actor/run-filter.ts';
import { type CheckedRunColumns, readTagsIfSound, runColumns } from '../sql/stored-run.ts';
import type { SqlDriver } from './driver.ts';
import { listedRun } from './run-columns.ts';
import { prepareOutlineWalks, prepareWalks } from './walk-runs.ts';

/** Runs that are looked at for one page: about 20 ms. */
const examinedMax = 1_000;

export function preparePageRuns(driver: SqlDriver) {
  const readPage = prepareReadPage(driver);
  const readOutlines = prepareReadOutlines(driver);
  return {
    // LS11: no status changes between the walks that are merged.
    pageRuns: (query) => driver.readTogether(() => readPage(query)),
    outlineRuns: (query) => driver.readTogether(() => readOutlines(query)),
    ...prepareCounts(driver),
  } satisfies RunLists;
}

function prepareReadPage(driver: SqlDriver): (query: RunPageQuery) => RunPage {
  const walk = prepareWalks(driver);
  const look = prepareLook(driver);
  const read = driver.prepare<CheckedRunColumns>(`SELECT ${runColumns} FROM runs WHERE run_id = ?`);
  // LS2: a page that found too few within its bound is short, and says where the next continues.
  return (query) => {
    const rows: RunRow[] = [];
    let examined = 0;
    let characters = 0;
    let place: RunPlace | null = null;
    for (const next of walk(query)) {
      const isFull = rows.length >= query.limit || characters >= resultsPerPageMax;
      if (isFull || examined >= examinedMax) return { rows, next: place && toPlace(place) };
      examined += 1;
      place = next;
      const run = look(next);
      if (run === null || !fitsQuery(run, query)) continue;
      const columns = read.get(next.runId);
      if (columns === undefined) continue;
      const row = listedRun(driver, columns);
      rows.push(row);
      characters += row.result?.length ?? 0;
    }
    return { rows, next: null };
  };
}

const toPlace = ({ createdAt, runId }: RunPlace): RunPlace => ({ createdAt, runId });

/** Rows are written out, which is faster than spreading them: 1,000 take about 2 ms. */
function prepareReadOutlines(driver: SqlDriver): (query: RunOutlineQuery) => RunOutline[] {
  const walk = prepareOutlineWalks(driver);
  return (query) => {
    const outlines: RunOutline[] = [];
    for (const { runId, workflow, status, createdAt, endedAt } of walk(query))
      if (outlines.push({ runId, workflow, status, createdAt, endedAt }) >= query.limit) break;
    return outlines;
  };
}

interface FilteredColumns {
  readonly workflow: string;
  readonly status: string;
  readonly parentRunId: string | null;
  readonly rootRunId: string;
  readonly tags: string;
  readonly quarantineType: string;
}

/** Only what the filters need: a result may be megabytes, and lies behind it in the row. */
function prepareLook(driver: SqlDriver): (place: RunPlace) => Filtered | null {
  const select = driver.prepare<FilteredColumns>(
    `SELECT workflow, status, parent_run_id AS parentRunId, root_run_id AS rootRunId, tags,
       typeof(quarantine) AS quarantineType
     FROM runs WHERE run_id = ?`,
  );
  return (place) => {
    const found = select.get(place.runId);
    if (found === undefined) return null;
    const { quarantineType, tags, ...columns } = found;
    return { ...place, ...columns, tags: readTagsIfSound(tags), isQuarantined: quarantineType !== 'null' };
  };
}

function prepareCounts(driver: SqlDriver) {
  const counting = (index: string, where: string) =>
    driver.prepare<{ count: number }>(
      `SELECT count(*) AS count FROM (SELECT 1 FROM runs INDEXED BY ${index} WHERE ${where} LIMIT ?)`,
    );
  const halves = [
    { prefix: 'roots', holds: 'parent_run_id IS NULL' },
    { prefix: 'sub_runs', holds: 'parent_run_id IS NOT NULL' },
  ].map(({ prefix, holds }) => ({
    ofStatus: counting(`${prefix}_by_status`, `status = ? AND ${holds}`),
    ofWorkflow: counting(`${prefix}_by_workflow_and_status`, `workflow = ? AND status = ? AND ${holds}`),
    setAside: counting('runs_in_quarantine', `quarantine IS NOT NULL AND ${holds}`),
    setAsideOf: counting('runs_in_quarantine', `quarantine IS NOT NULL AND workflow = ? AND ${holds}`),
  }));
  type Half = (typeof halves)[number];
  return {
    countRuns: ({ workflow, statuses, upTo, isRoot }) => {
      const counted = isRoot ? halves.slice(0, 1) : halves;
      const sum = (count: (half: Half) => { count: number } | undefined): number =>
        Math.min(
          upTo,
          counted.reduce((total, half) => total + (count(half)?.count ?? 0), 0),
        );
      const byStatus: Record<string, number> = {};
      for (const status of statuses)
        byStatus[status] = sum(({ ofStatus, ofWorkflow }) =>
          workflow === undefined ? ofStatus.get(status, upTo) : ofWorkflow.get(workflow, status, upTo),
        );
      const quarantined = sum(({ setAside, setAsideOf }) =>
        workflow === undefined ? setAside.get(upTo) : setAsideOf.get(workflow, upTo),
      );
      return { byStatus, quarantined };
    },
  } satisfies Partial<RunLists>;
}
