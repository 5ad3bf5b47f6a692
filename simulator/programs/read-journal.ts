// Reads a journal to the oracle, row by row: which event tells the oracle what, and what must be true after every row.

import type { RunEvent } from '../../packages/heddle/src/core/run-event.ts';
import { Difference, type EventOf, must, mustBe } from './difference.ts';
import type { Oracle } from './oracle.ts';
import type { Stage } from './stage.ts';
import type { Rest } from './thread.ts';
import { timersOf } from './timers.ts';

/** Throws a difference at the first event, or row, at which there is one. */
export function readJournal(oracle: Oracle, events: readonly RunEvent[]): void {
  for (const [index, event] of events.entries()) {
    must(oracle.end === null, () => `Expected nothing after the end, but there is ${event.id} ${event.type}`);
    oracle.stage.at = event.at;
    oracle.stage.step = index + 1;
    try {
      readEvent(oracle, event);
      if (events[index + 1]?.seq !== event.seq) checkRest(oracle);
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      throw new Difference(`${error.message}, at ${event.id} ${JSON.stringify(event)}`);
    }
  }
}

function readEvent(oracle: Oracle, event: RunEvent): void {
  if (oracle.isPaused && movesTokens.has(event.type))
    throw new Difference(`Expected no ${event.type} while the run is paused`);
  // The table is typed by the union, so that the handler is the event's own.
  (handlers[event.type] as (oracle: Oracle, event: RunEvent) => void)(oracle, event);
}

type Handlers = { readonly [T in RunEvent['type']]: (oracle: Oracle, event: EventOf<T>) => void };

const toThread = (oracle: Oracle, event: RunEvent & { readonly token: number }): void => oracle.tell(event);
const never = (_: Oracle, { type }: RunEvent): void => {
  throw new Difference(`Expected no ${type} in a program`);
};

const handlers: Handlers = {
  'workflow.started': (oracle, event) => oracle.begin(event),
  'workflow.restored': never,
  'workflow.completed': (oracle, event) => oracle.complete(event),
  'workflow.failed': (oracle, { error }) => {
    oracle.groups.takeFailure(null, error);
    oracle.finish('failed', error.code);
  },
  'workflow.cancelled': (oracle) => oracle.finish('cancelled', 'CANCELLED'),
  'workflow.timed_out': (oracle, event) => oracle.timeOut(event),
  'workflow.exhausted': never,
  'workflow.suspended': (oracle) => oracle.suspend(true),
  'workflow.resumed': (oracle) => oracle.suspend(false),
  'workflow.result_set': never,
  'workflow.paused': (oracle) => oracle.pause(),
  'workflow.unpaused': (oracle, { keepsHeld }) => oracle.resume(keepsHeld === true),
  'held.taken': (oracle) => oracle.takeHeld(),
  'workflow.held': (oracle, event) => oracle.hold(event),
  'token.created': (oracle, event) => oracle.createTokens(event),
  'token.waiting': toThread,
  'token.completed': (oracle, event) => oracle.endToken(event),
  'tokens.completed': ({ stage }, { tokens }) => stage.completeTokens(tokens),
  'tokens.timed_out': ({ groups }, event) => groups.timeOutJoin(event),
  'tokens.cancelled': (oracle, { tokens }) => {
    for (const token of tokens) oracle.stage.cancelToken(token);
  },
  'task.dispatched': toThread,
  'step.completed': never,
  'task.completed': toThread,
  'task.attempt_failed': toThread,
  'tasks.lost': (oracle, event) => oracle.lose(event),
  'tasks.offered': never,
  'task.failed': (oracle, event) => oracle.endToken(event),
  'timer.fired': toThread,
  'handle.unmatched': never,
  'control.ignored': never,
  'fan_out.started': ({ groups }, event) => groups.open(event),
  'batch.completed': toThread,
  'fan_in.completed': ({ groups }, event) => groups.join(event),
  'fan_in.failed': never,
  'branches.merged': ({ groups }, event) => groups.merge(event),
  'branch.ended': ({ groups }, event) => groups.endBranch(event),
  'branches.detached': ({ groups }, event) => groups.detach(event),
  'branch.abandoned_failed': ({ groups }, event) => groups.failDetached(event),
  'branch.discarded': ({ groups }, event) => groups.discard(event),
  'group.closed': ({ groups }, event) => groups.close(event),
  'edges.settled': ({ groups }, event) => groups.settleEdges(event),
  'edge_join.completed': ({ groups }, event) => groups.joinEdges(event),
  'subworkflow.dispatched': toThread,
  'subworkflow.completed': toThread,
  'subworkflow.ended_late': (oracle, event) => oracle.hearLate(event),
  'subworkflow.suspended': toThread,
  'subworkflow.resumed': toThread,
  'subworkflow.timed_out': toThread,
  'input.queued': toThread,
  'input.requested': toThread,
  'input.resumed': toThread,
  'input.expired': toThread,
  'input_queue.joined': (oracle, event) => oracle.queue.join(event),
  'input_queue.left': (oracle, event) => oracle.queue.leave(event),
  'event.awaited': toThread,
  'event.received': (oracle, event) => oracle.receive(event),
  'credits.requested': never,
  'credits.granted': never,
  'context.updated': (oracle, event) => oracle.write(event),
};

/** What is not to happen while a run is paused. */
const movesTokens: ReadonlySet<RunEvent['type']> = new Set([
  'token.created',
  'token.waiting',
  'token.completed',
  'tokens.completed',
  'task.dispatched',
  'task.completed',
  'task.failed',
  'task.attempt_failed',
  'timer.fired',
  'fan_in.completed',
  'batch.completed',
  'subworkflow.completed',
  'subworkflow.timed_out',
  'input.resumed',
  'input.expired',
  'event.received',
  'context.updated',
]);

/** Where threads can stay when nothing is left to do. */
const lastingRests: ReadonlySet<Rest> = new Set([
  'ready',
  'working',
  'retrying',
  'waiting',
  'calling',
  'queued',
  'asking',
  'listening',
  'joining',
  'gathering',
]);

/** What must be true whenever a command has been worked off. */
function checkRest(oracle: Oracle): void {
  const { stage } = oracle;
  stage.checkCalledOff();
  oracle.groups.checkTold(oracle.end);
  must(stage.completing.size === 0, () => `Expected tokens ${[...stage.completing].join()} to be completed by a join`);
  if (oracle.end !== null) return mustBe(stage.alive.size, 0, 'the number of tokens that outlive the run');
  mustBe(stage.alive.size, stage.byToken.size, 'the number of tokens that live');
  checkThreads(oracle);
  oracle.isGoingOn = false;
  oracle.forgetTaken();
  for (const group of stage.openGroups) group.checkRest();
  for (const dag of stage.dags) dag.checkRest();
  oracle.queue.checkRest(stage, oracle.isRoot);
  if (oracle.isPaused) return;
  const isLeft = stage.threads.size > 0 || hasRoom(stage);
  must(isLeft, () => 'Expected the run to be complete, for nothing of it lives');
  mustBe(oracle.isSuspended, isSuspended(oracle), 'whether only people or events can wake it');
}

function checkThreads({ stage, isPaused, taken }: Oracle): void {
  let ready = 0;
  let working = 0;
  for (const { rest, node, token } of stage.threads) {
    must(lastingRests.has(rest), () => `Expected something to follow at node ${node}, for it is ${rest}`);
    if (rest === 'ready') ready += 1;
    if (rest === 'working') {
      working += 1;
      must(!taken.has(token ?? 0), () => `Expected the result of token ${token} to count now`);
    }
  }
  // A window may hold some of them back; all of them only where a command may leave them to the next.
  must(
    ready === 0 || working > 0 || isPaused || stage.hasWindows,
    () => `Expected one of ${ready} tasks to be handed out`,
  );
}

/** Branches are left that begin by themselves in one of the next rows. */
const hasRoom = ({ openGroups }: Stage): boolean => [...openGroups].some((group) => group.hasRoom);

/** It has no work and no timer, and nothing in it goes on by itself. */
function isSuspended({ stage, waiting: kept }: Oracle): boolean {
  if (hasRoom(stage) || kept.length > 0) return false;
  let waiting = 0;
  for (const { rest, isChildSuspended } of stage.threads) {
    if (rest === 'ready' || rest === 'working') return false;
    if (rest === 'calling' && !isChildSuspended) return false;
    if (rest === 'calling' || rest === 'asking' || rest === 'queued' || rest === 'listening') waiting += 1;
  }
  return waiting > 0 && timersOf(stage).next().done === true;
}
