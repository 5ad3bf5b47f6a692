// Thread waits: steps that take time, because an action, a person or a sub-run has to answer first. What they answered is
// in the journal; what they were asked, and what comes of it, follows. Rules TH21, TH26, TH28, IN3, IN6, IN8, SW7, SW8.

import type { Json } from '../../packages/heddle/src/base/json.ts';
import type { RunRecord } from '../workload.ts';
import type { EventOf, Visit } from './journal.ts';
import { judgeTask } from './task-verdict.ts';
import { buildFrom, mapValues } from './thread-mapping.ts';
import type { Mapping, Step } from './thread-program.ts';
import { resultOf } from './thread-result.ts';
import type { Outcome, Thread, ThreadVisits } from './thread-visits.ts';
import { isSame, show } from './values.ts';

type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;

export function walkWork({ task, inputs, outputs }: StepOf<'work'>, thread: Thread, at: Waiting): Outcome {
  const { visit, visits } = at;
  const { findings } = visits;
  const input = buildFrom(thread.context.view, inputs);
  // Its input is made when it is handed out, which may be later, or never.
  if (input === null) return visit.end === 'cancelled' ? 'stuck' : visits.fail(thread, visit, 'VALUE_MISSING');
  const verdict = judgeTask(task, visit, { input, output: resultOf(visit.node, input) }, findings);
  if (verdict.type === 'open') return 'stuck';
  if (verdict.type === 'failed') {
    // A garbled result of which something was to be kept leaves no trace but that.
    const isPossible = verdict.error.code !== 'VALUE_MISSING' || outputs !== null;
    findings.expect(isPossible, () => `Expected nothing of ${visit.node} to be missing, but ${show(verdict.error)}`);
    return visits.fail(thread, visit, verdict.error.code);
  }
  thread.row = visit.endRow;
  if (outputs) return keep(outputs, verdict.output, thread, at);
  const isNothing = verdict.output === null || isSame(verdict.output, {});
  if (!isNothing) thread.context.set('output', verdict.output);
  return 'on';
}

/** Where a thread is while it waits, and who else there is. */
export interface Waiting {
  readonly visit: Visit;
  readonly visits: ThreadVisits;
  readonly world: readonly RunRecord[];
}

/** What is kept of a result. */
function keep(outputs: readonly Mapping[], result: Json, thread: Thread, { visit, visits }: Waiting): Outcome {
  const made = mapValues(outputs, result);
  if (made === null) return visits.fail(thread, visit, 'VALUE_MISSING');
  for (const [path, value] of made) thread.context.set(path, value);
  return 'on';
}

export function walkAsk({ reply, deadlineMs }: StepOf<'ask'>, thread: Thread, { visit, visits }: Waiting): Outcome {
  const { deeds, node } = visit;
  const { findings } = visits;
  const [queued] = deeds;
  if (queued === undefined && visits.hasEndedIn(thread.row)) return 'stuck';
  findings.expect(queued?.type === 'input.queued' && queued.seq === thread.row, () => {
    return `Expected the prompt of node ${node} to be queued in row ${thread.row}, but found ${show(queued)}`;
  });
  const asked = deeds.find(({ type }) => type === 'input.requested');
  const end = deeds.find(({ type }) => type === 'input.resumed' || type === 'input.expired');
  findings.expect(!end || (asked !== undefined && deeds.indexOf(asked) < deeds.indexOf(end)), () => {
    return `Expected the prompt of node ${node} to be asked before it ends, but found ${show(deeds)}`;
  });
  if (end?.type === 'input.expired') {
    const isLate = deadlineMs !== null && end.at >= (asked?.at ?? 0) + deadlineMs;
    findings.expect(isLate, () => `Expected the prompt of node ${node} not to expire yet, but it did`);
    return visits.fail(thread, visit, 'INPUT_EXPIRED');
  }
  if (end?.type !== 'input.resumed') return 'stuck';
  findings.expect(isSame(end.payload, reply), () => {
    return `Expected node ${node} to be told ${show(reply)}, but it was told ${show(end.payload)}`;
  });
  thread.context.merge(reply);
  thread.row = visit.endRow;
  return 'on';
}

export function walkCall({ inputs, outputs, child }: StepOf<'gosub'>, thread: Thread, at: Waiting): Outcome {
  const { visit, visits } = at;
  const input = buildFrom(thread.context.view, inputs);
  if (input === null) return visits.fail(thread, visit, 'VALUE_MISSING');
  const [started] = visit.deeds;
  if (started === undefined && visits.hasEndedIn(thread.row)) return 'stuck';
  const isCall = started?.type === 'subworkflow.dispatched' && started.workflow === child.workflow;
  visits.findings.expect(isCall && started.seq === thread.row && isSame(started.input, input), () => {
    return `Expected node ${visit.node} to call ${child.workflow} with ${show(input)} in row ${thread.row}, but found ${show(started)}`;
  });
  const ended = visit.deeds.find(({ type }) => type === 'subworkflow.completed');
  if (ended?.type !== 'subworkflow.completed') return 'stuck';
  checkChild(ended, input, at);
  if (ended.status !== 'completed') return visits.fail(thread, visit, ended.error?.code ?? 'SUBWORKFLOW_FAILED');
  thread.row = visit.endRow;
  if (outputs) return keep(outputs, ended.output ?? {}, thread, at);
  thread.context.merge(ended.output ?? {});
  return 'on';
}

/** The sub-run is there, was given the same, and ended as its parent heard. */
function checkChild(ended: EventOf<'subworkflow.completed'>, input: Json, { visits, world }: Waiting): void {
  const { childRunId, status, output } = ended;
  const child = world.find(({ runId }) => runId === childRunId);
  const isOfRun = child?.parentRunId === visits.run.runId && child.rootRunId === visits.run.rootRunId;
  const isRight = isOfRun && child.status === status && isSame(child.input, input) && isSame(child.output, output);
  visits.findings.expect(isRight, () => {
    return `Expected sub-run ${childRunId} to be as its parent heard, ${status} with ${show(output)}, but it is ${child?.status} with ${show(child?.output)}`;
  });
}
