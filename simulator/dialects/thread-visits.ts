// Thread visits: how the walk finds its visits in the journal, and what it notes when one must have failed the run.
//
// Always true: a visit is there in the row in which what led to it was decided (PL2), or the run has ended in that row.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunRecord } from '../workload.ts';
import type { Findings } from './findings.ts';
import type { Journal, Visit } from './journal.ts';
import type { ThreadContext } from './thread-context.ts';
import { show } from './values.ts';

export interface Thread {
  readonly group: number;
  readonly index: number;
  /** Of the innermost slice that it is in. */
  readonly slice: number | null;
  readonly context: ThreadContext;
  /** In which row it has come to where it is. */
  row: number;
}

/** It goes on, its path is over, or it waits for something that has not happened. */
export type Outcome = 'on' | 'over' | 'stuck';

/** Why the run must have failed, and when. `error`: all of it, where the journal of a node has it. */
export interface Failing {
  readonly code: string;
  readonly nodeId: string;
  readonly error: Json | null;
  readonly row: number;
}

export class ThreadVisits {
  readonly failings: Failing[] = [];
  readonly run: RunRecord;
  readonly journal: Journal;
  readonly findings: Findings;

  constructor(run: RunRecord, journal: Journal, findings: Findings) {
    this.run = run;
    this.journal = journal;
    this.findings = findings;
  }

  /** The next visit of the thread to a node; null if the run ended before it could be made. */
  take(thread: Thread, node: string): Visit | null {
    const { group, index } = thread;
    const visit = this.journal.at(node).find((each) => !each.isTaken && each.group === group && each.index === index);
    this.findings.expect(visit ? visit.row === thread.row : this.hasEndedIn(thread.row), () => {
      const found = visit ? `it is in row ${visit.row}` : 'it is not';
      return `Expected node ${node} to be visited by branch ${group}.${index} in row ${thread.row}, but ${found}`;
    });
    if (!visit) return null;
    visit.isTaken = true;
    return visit;
  }

  /** Otherwise than by having nothing left to do. */
  hasEndedIn(row: number): boolean {
    return this.run.status !== 'completed' && this.journal.lastRow === row;
  }

  /** A node that takes no time is done in the row in which it is visited, unless the run ends just there. */
  passed(thread: Thread, { end, endRow, node, isArrival }: Visit): 'on' | 'stuck' {
    if (end === 'completed' && endRow === thread.row && !isArrival) return 'on';
    this.findings.expect(end === 'cancelled' && this.hasEndedIn(thread.row), () => {
      return `Expected node ${node} to be done in row ${thread.row}, but it is ${end} in row ${endRow}`;
    });
    return 'stuck';
  }

  /** Takes several such nodes, one after the other. */
  pass(thread: Thread, ...nodes: readonly string[]): 'on' | 'stuck' {
    for (const node of nodes) {
      const visit = this.take(thread, node);
      if (!visit || this.passed(thread, visit) === 'stuck') return 'stuck';
    }
    return 'on';
  }

  /** The run must fail for it, unless something else has ended it before. `how`: what the journal then says of it. */
  fail(thread: Thread, visit: Visit, code: string, how: Visit['end'] = 'failed'): 'stuck' {
    const row = visit.endRow;
    const failed = visit.deeds.find(({ type }) => type === 'task.failed');
    const error = failed && 'error' in failed ? failed.error : null;
    const isReason = visit.end === how;
    this.findings.expect(isReason ? error === null || error.code === code : this.hasEndedIn(row), () => {
      return `Expected node ${visit.node} to fail with ${code}, but it is ${visit.end} with ${show(error)}`;
    });
    thread.row = row;
    if (isReason)
      this.failings.push({ code, nodeId: visit.node, error: error && ({ ...error } as unknown as Json), row });
    return 'stuck';
  }
}
