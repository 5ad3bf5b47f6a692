// Checks a run of a program: its journal against the oracle, its row against what the journal came to, and what it says of
// its sub-runs against what they say of themselves.

import type { RunRecord } from '../workload.ts';
import { Difference, must, mustBe } from './difference.ts';
import { Oracle } from './oracle.ts';
import type { Program } from './program.ts';
import { readJournal } from './read-journal.ts';

interface Surroundings {
  readonly world: readonly RunRecord[];
  /** What a command leads to may be divided among several. */
  readonly hasWindows: boolean;
}

/** What is wrong with the run; null if nothing is. */
export function checkProgram(program: Program, run: RunRecord, { world, hasWindows }: Surroundings): string | null {
  try {
    const oracle = new Oracle(program, run.runId, hasWindows);
    readJournal(oracle, run.events);
    checkEnd(oracle, run);
    checkChildren(run, world);
    return null;
  } catch (error) {
    if (error instanceof Difference) return `Run ${run.runId} of ${run.workflow}: ${error.message}`;
    throw error;
  }
}

function checkEnd({ end, output, errorCode, stage }: Oracle, run: RunRecord): void {
  mustBe(run.quarantine, null, 'the quarantine');
  mustBe(run.state, stage.root.section('state'), 'the state');
  if (end === null) return;
  mustBe(run.status, end, 'the status');
  mustBe(run.output, output, 'the output');
  mustBe(run.error?.code ?? null, errorCode, 'the code of the error');
}

const ended = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

function checkChildren(run: RunRecord, world: readonly RunRecord[]): void {
  const children = new Map(
    world.filter(({ parentRunId }) => parentRunId === run.runId).map((child) => [child.runId, child]),
  );
  const sent = new Set<string>();
  for (const event of run.events) {
    if (event.type === 'subworkflow.dispatched') {
      const child = children.get(event.childRunId);
      sent.add(event.childRunId);
      if (child)
        mustBe([child.workflow, child.input], [event.workflow, event.input], 'workflow and input of the sub-run');
    }
    if (event.type === 'subworkflow.completed') {
      const child = children.get(event.childRunId);
      if (child)
        mustBe(
          [event.status, event.output, event.error?.code],
          [child.status, child.output, child.error?.code],
          `how sub-run ${event.childRunId} ended`,
        );
    }
  }
  for (const { runId, status } of children.values()) {
    must(sent.has(runId), () => `Expected no sub-run ${runId}, for nobody has called it`);
    if (ended.has(run.status))
      must(ended.has(status), () => `Expected sub-run ${runId} to have ended with its parent, but it is ${status}`);
  }
}
