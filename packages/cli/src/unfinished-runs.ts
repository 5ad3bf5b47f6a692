// Unfinished runs: those of a store that go on when an engine is opened on it. Paused ones wait for their `resume`.

import type { RunSummary } from 'heddle';
import type { Heddle } from 'heddle/client';

const unfinished = ['running', 'waiting', 'submitted', 'suspended'];

export async function findUnfinished(heddle: Pick<Heddle, 'runs'>, limit: number): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  for (const status of unfinished) found.push(...(await heddle.runs({ status, limit })));
  return found;
}
