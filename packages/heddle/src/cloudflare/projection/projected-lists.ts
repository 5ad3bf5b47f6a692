// Projected lists: lists and counts of the runs of one tenant, answered from D1 as an engine answers them, some seconds behind.
//
// Always true: how pages follow each other and what a cursor is, is decided where it is for every engine.

import { countRuns, pageRuns } from '../../engine/run-lists.ts';
import type { Page } from '../../operations/parts.ts';
import type { RunSummary } from '../../operations/run-results.ts';
import type { RunCountOptions, RunCountView, RunListRequest } from '../../operations/runs.ts';
import type { Database } from './database.ts';
import { ProjectedRuns } from './projected-runs.ts';
import { withTables } from './tables.ts';

export class ProjectedLists {
  readonly #database: Database;
  readonly #runs: ProjectedRuns;

  constructor(database: Database, tenant: string) {
    this.#database = database;
    this.#runs = new ProjectedRuns(database, tenant);
  }

  // DO24: what the engine answers, but for what runs are doing (`activity`), which no row says.
  listRuns({ activity: _, ...request }: RunListRequest): Promise<Page<RunSummary>> {
    return withTables(this.#database, () => pageRuns(this.#runs, request));
  }

  countRuns(request: RunCountOptions): Promise<RunCountView> {
    return withTables(this.#database, () => countRuns(this.#runs, request));
  }
}
