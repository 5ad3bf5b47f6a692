// What the scenarios share: a folder that goes away, and how a result is told.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function tell(result) {
  console.log(JSON.stringify(result));
}

/** Calls with the path of a file in a new folder, and removes the folder afterwards. */
export async function withFile(work, parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'heddle-bench-'));
  try {
    return await work(join(folder, 'heddle.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A line of `length` nodes, each with the action `noop`. */
export function line(id, length) {
  const nodes = Array.from({ length }, (_, i) => ({ id: `n${i}`, action: 'noop' }));
  const transitions = nodes.slice(1).map(({ id: to }, i) => ({ from: `n${i}`, to }));
  return { id, initialNode: 'n0', nodes, transitions };
}

const runsAtATime = 1_000;

/** Of the workflow `line`, with so many runs at a time. */
export async function stepsPerSecond(engine, { runs, steps }) {
  let started = 0;
  const from = performance.now();
  const client = async () => {
    while (started < runs) {
      started++;
      const run = await engine.start('line');
      expectCompleted(await run.result());
    }
  };
  await Promise.all(Array.from({ length: runsAtATime }, client));
  return ((runs * steps) / (performance.now() - from)) * 1000;
}

export const noop = { noop: async () => ({}) };

export function median(values) {
  const sorted = [...values].toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Heap and everything outside it, after collecting garbage. */
export function memoryMb() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1_048_576;
}

export function expectCompleted({ status, error }) {
  if (status !== 'completed') throw new Error(`Expected the run to complete, but it is ${status}: ${error?.message}`);
}
