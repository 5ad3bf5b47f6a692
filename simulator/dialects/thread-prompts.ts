// Thread prompts: one queue for a whole tree of runs, kept by its root. Who was asked had its turn, who had its turn was
// the first of those that had joined and not left. Rules IN3, IN4, TH27.

import type { RunRecord } from '../workload.ts';
import type { Findings } from './findings.ts';

/** `run`: the root of a tree. */
export function checkQueue(run: RunRecord, world: readonly RunRecord[], findings: Findings): void {
  const hadTurn = new Set<string>();
  const queue: string[] = [];
  for (const event of run.events) {
    if (event.type === 'input_queue.joined') queue.push(event.correlationId);
    else if (event.type === 'input_queue.left') queue.splice(queue.indexOf(event.correlationId), 1);
    const [first] = queue;
    if (first !== undefined) hadTurn.add(first);
    if (event.type === 'input.requested')
      findings.expect(first === event.correlationId, () => {
        return `Expected prompt ${first} to have its turn, but ${event.correlationId} was asked in row ${event.seq}`;
      });
  }
  for (const child of world) {
    if (child.rootRunId !== run.runId || child === run) continue;
    for (const event of child.events)
      if (event.type === 'input.requested')
        findings.expect(hadTurn.has(event.correlationId), () => {
          return `Expected prompt ${event.correlationId} of ${child.runId} to wait for its turn, but it was asked`;
        });
  }
}
