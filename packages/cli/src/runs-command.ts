// `heddle runs`: runs, newest first, as many as were asked for; with the cursor of the next page.
//
// Always true: a page is in memory at a time, however many there are.

import type { RunListPage, RunSummary } from 'heddle';
import type { RequestOf } from 'heddle/operations';
import { exitCodes } from './command-error.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { filterMembers, pickMembers } from './request-members.ts';
import { table } from './table.ts';
import { duration, output, progress, shortened, statusStyles, timeOf } from './terminal.ts';
import { explainMissing } from './workflow-names.ts';

const listMembers = [...filterMembers, 'parentRunId', 'subRuns'] as const;

export interface RunsOptions extends PlaceOptions, Pick<RequestOf<'listRuns'>, (typeof listMembers)[number]> {
  readonly limit: number;
  readonly after?: string;
  readonly all?: boolean;
  readonly json?: boolean;
}

const pageMax = 1_000;

export function runsCommand(options: RunsOptions): Promise<number> {
  return withPlace(options, 'look', async (place) => {
    const { heddle, name } = place;
    const { json = false, all = false } = options;
    const print = json ? new JsonList() : new RunTable();
    let left = all ? Number.POSITIVE_INFINITY : options.limit;
    let after: string | null | undefined = options.after;
    while (after !== null && left > 0) {
      const paging = { limit: Math.min(left, pageMax), ...(after === undefined ? {} : { after }) };
      const page: RunListPage = await heddle.runPage({ ...pickMembers(options, listMembers), ...paging });
      print.add(page.runs);
      left -= page.runs.length;
      after = page.next;
    }
    const isEmpty = print.end();
    if (isEmpty && !json) {
      output.line(`No such run in ${name}.`);
      await sayMissing(place, options.workflow);
    } else if (after !== null && !json)
      progress.line(`There are more; continue with --after ${after}, or list them --all.`);
    return exitCodes.done;
  });
}

/** Why a filter by a workflow finds nothing, if there is no such workflow. */
export async function sayMissing(place: Place, workflow: string | undefined): Promise<void> {
  const missing = await explainMissing(place, workflow);
  if (missing !== null) progress.line(missing);
}

interface Printed {
  add(runs: readonly RunSummary[]): void;
  /** True if there was none. */
  end(): boolean;
}

/** One line of JSON, written as it comes. */
class JsonList implements Printed {
  #count = 0;

  add(runs: readonly RunSummary[]): void {
    for (const run of runs) output.write(`${this.#count++ === 0 ? '[' : ','}${JSON.stringify(run)}`);
  }

  end(): boolean {
    output.line(this.#count === 0 ? '[]' : ']');
    return this.#count === 0;
  }
}

class RunTable implements Printed {
  #count = 0;

  add(runs: readonly RunSummary[]): void {
    const titles = ['run', 'workflow', 'status', 'started', 'took', ''].map((title) => output.paint('dim', title));
    const head = this.#count === 0 && runs.length > 0 ? [titles] : [];
    for (const line of table([...head, ...runs.map(rowOf)])) output.line(line);
    this.#count += runs.length;
  }

  end(): boolean {
    return this.#count === 0;
  }
}

function rowOf(run: RunSummary): readonly string[] {
  const { runId, workflow, version, createdAt, endedAt, parentRunId, tags, error } = run;
  const took = endedAt === null ? '' : duration(endedAt - createdAt);
  const tagged = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  const notes = [...(parentRunId ? [`called by ${parentRunId}`] : []), ...tagged, ...(error ? [error.code] : [])];
  return [
    runId,
    `${workflow} v${version}`,
    paintStatus(run),
    timeOf(createdAt),
    took,
    output.paint('dim', shortened(notes.join('  '), 60)),
  ];
}

export function paintStatus({ status, quarantine }: RunSummary): string {
  return quarantine === null ? output.paint(statusStyles[status] ?? 'cyan', status) : output.paint('red', 'set aside');
}
