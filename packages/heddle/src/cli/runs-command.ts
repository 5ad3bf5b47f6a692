// `heddle runs`: the runs of a store, newest first.

import type { RunSummary } from '../index.ts';
import { exitCodes } from './command-error.ts';
import { withReader } from './open-reader.ts';
import { table } from './table.ts';
import { duration, output, shortened, statusStyles, timeOf } from './terminal.ts';

export interface RunsOptions {
  readonly store: string;
  readonly status?: string;
  readonly workflow?: string;
  readonly tag?: Readonly<Record<string, string>>;
  readonly limit: number;
  readonly json?: boolean;
}

export function runsCommand({ store, json, limit, status, workflow, tag: tags }: RunsOptions): Promise<number> {
  return withReader(store, async (engine) => {
    const query = {
      limit,
      ...(status ? { status } : {}),
      ...(workflow ? { workflow } : {}),
      ...(tags ? { tags } : {}),
    };
    const runs = await engine.runs(query);
    if (json) output.line(JSON.stringify(runs));
    else if (runs.length === 0) output.line(`No such run in ${store}.`);
    else printRuns(runs);
    return exitCodes.done;
  });
}

function printRuns(runs: readonly RunSummary[]): void {
  const head = ['run', 'workflow', 'status', 'started', 'took', ''].map((title) => output.paint('dim', title));
  for (const line of table([head, ...runs.map(rowOf)])) output.line(line);
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
