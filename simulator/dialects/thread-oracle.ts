// Thread oracle: what must have come of a run of a thread program: the walk beside its journal (`thread-walk.ts`), and
// then the end: status, output, error and context, and nothing visited that the walk did not come to. It is given the
// program, the input, how tasks, prompts and sub-runs ended, and which branch of an unjoined fan-out ended last.
//
// Rules: FL4, LC4, TH18, and those of the walk.

import type { RunRecord } from '../workload.ts';
import { Findings } from './findings.ts';
import { checkHandOuts } from './hand-outs.ts';
import { Journal } from './journal.ts';
import { checkEnding } from './run-ending.ts';
import { ThreadContext } from './thread-context.ts';
import type { Program } from './thread-program.ts';
import { checkQueue } from './thread-prompts.ts';
import { type Failing, type Thread, ThreadVisits } from './thread-visits.ts';
import { ThreadWalk } from './thread-walk.ts';
import { type Bag, isSame, show } from './values.ts';

export interface ThreadCheck {
  readonly program: Program;
  /** Whether the node is an action. */
  readonly isTask: (node: string) => boolean;
  readonly world: readonly RunRecord[];
}

export function checkThread(run: RunRecord, { program, isTask, world }: ThreadCheck): string | null {
  const findings = new Findings();
  const journal = new Journal(run.events);
  const visits = new ThreadVisits(run, journal, findings);
  const row = run.events[0]?.seq ?? 0;
  const root: Thread = { group: 0, index: 0, slice: null, context: new ThreadContext({}), row };
  const isOver = new ThreadWalk(visits, world).walk(program, root) !== 'stuck';
  checkEnd({ run, program, journal, findings }, { root, isOver, failings: visits.failings });
  for (const { isTaken, node, token } of journal.visits.values())
    findings.expect(isTaken, () => `Expected node ${node} not to be visited (again), but it is, by token ${token}`);
  checkHandOuts(run.events, { isTask, isOneAtATime: false }, findings);
  if (run.parentRunId === null) checkQueue(run, world, findings);
  return findings.tell();
}

interface Checked {
  readonly run: RunRecord;
  readonly program: Program;
  readonly journal: Journal;
  readonly findings: Findings;
}

interface Walked {
  readonly root: Thread;
  readonly isOver: boolean;
  readonly failings: readonly Failing[];
}

function checkEnd({ run, program, journal, findings }: Checked, { root, isOver, failings }: Walked): void {
  const failing = failings.find((each) => isFor(each, run)) ?? failings[0];
  const ends = failing ? 'failed' : isOver ? 'completed' : null;
  checkEnding(run, { ends, row: failing?.row ?? root.row }, program, findings);
  findings.expect(failing === undefined || isFor(failing, run), () => {
    return `Expected the run to have failed with ${show(failing)}, but found ${show(run.error)}`;
  });
  const { view } = root.context;
  findings.expect(isSame(run.state, view), () => `Expected the context ${show(view)}, but found ${show(run.state)}`);
  // TH18: the last end counts; without one, the context.
  const output = journal.results.at(-1)?.output ?? view;
  findings.expect(ends !== 'completed' || isSame(run.output, output), () => {
    return `Expected the output ${show(output)}, but found ${show(run.output)}`;
  });
}

function isFor({ error, code, nodeId }: Failing, run: RunRecord): boolean {
  const found: Bag = run.error ?? {};
  return error === null ? found['code'] === code && found['nodeId'] === nodeId : isSame(run.error, error);
}
