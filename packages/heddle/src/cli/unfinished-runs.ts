// Unfinished runs: those of a store that go on when an engine is opened on it. Paused ones wait for their `resume`.

import type { Engine, RunSummary } from '../index.ts';

const unfinished = ['running', 'waiting', 'submitted', 'suspended'];

export async function findUnfinished(engine: Engine, limit: number): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  for (const status of unfinished) found.push(...(await engine.runs({ status, limit })));
  return found.filter(({ parentRunId }) => parentRunId === null);
}
