// Must read: the row of a run that somebody asks for by its id.

import type { RunRow, Store } from '../actor/ports.ts';
import { HeddleError } from '../base/heddle-error.ts';

export async function mustReadRun(store: Store, runId: string): Promise<RunRow> {
  const row = await store.readRun(runId);
  if (!row) throw runNotFound(runId);
  return row;
}

export function runNotFound(runId: string): HeddleError {
  return new HeddleError('RUN_NOT_FOUND', `Expected a run ${runId}, but there is none`);
}
