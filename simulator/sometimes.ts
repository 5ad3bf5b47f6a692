// Sometimes: rare situations that worlds must really get into. What never happens proves nothing: a campaign that is
// long enough fails if one of them was not reached.
//
// Always true: a situation is read from journals, from what clients heard and workers saw, and from the faults that
// were put in; nothing is asked of the engine.

import type { EventType } from '../packages/heddle/src/core/events.ts';
import type { RunEvent } from '../packages/heddle/src/core/run-event.ts';
import type { ClientOperation } from '../packages/heddle/src/simulation/client.ts';
import { allFaults, processFaults, wireFaults } from '../packages/heddle/src/simulation/faults.ts';
import { RunStory } from './checks/run-story.ts';
import type { WorldView } from './checks/world-view.ts';
import type { RunRecord } from './workload.ts';

export type Mark = (name: string) => void;

/** What was put in, by the name of the fault, and how often. */
export interface FaultyWorld extends WorldView {
  readonly faults: ReadonlyMap<string, number>;
}

export function sometimes(world: FaultyWorld, mark: Mark): void {
  for (const fault of world.faults.keys()) mark(`fault: ${fault}`);
  const stories = new Map<string, RunStory>();
  for (const run of world.runs) stories.set(run.runId, tellRun(run, mark));
  tellTrees(world, mark);
  tellClients(world.operations, mark);
  tellHosts(world, stories, mark);
}

// ------------------------------------------------------------------------------------------------------- in one run

type EventOf<T extends EventType> = Extract<RunEvent, { type: T }>;
type Tellers = { readonly [T in EventType]?: (story: RunStory, event: EventOf<T>) => string | false | undefined };

const gaveUpAsResultCame = 'a join that gives up in the millisecond of a result';

/** What comes while a run is paused, by the command that was kept. */
const heldNames: Readonly<Record<string, string>> = {
  'task.result': 'a result while paused',
  reply: 'an answer or an event while paused',
  event: 'an answer or an event while paused',
  'child.ended': 'a message while paused',
  'credits.answer': 'a message while paused',
};

/** What an event says of the rare, told before it is taken into the story. */
const tellers: Tellers = {
  'fan_out.started': (_, { total, batch, spawns }) => {
    if (total === 0) return batch === undefined ? 'a foreach over nothing' : 'a batch over nothing';
    const { items = [], slices } = spawns[0] ?? {};
    return slices !== undefined && items.length % slices.size > 0 && 'a last slice that is shorter';
  },
  'token.created': (story, event) => {
    const group = story.groups.get(event.branch[0]);
    const isLate = group && event.from === group.token && event.seq > group.openedIn;
    if (isLate && group.isUnbounded) return 'a branch that a later command began';
    if (isLate) return 'a branch that began when there was room';
    const rounds = Math.max(0, ...Object.values(event.iterations ?? {}));
    if (rounds > 0 && group && story.isSubRun) return 'a loop inside a fan-out inside a sub-run';
    return rounds > 1 && 'a loop that was taken again';
  },
  'token.waiting': (story, event) => {
    if (event.for === 'timer') return event.result !== undefined && 'a node of a handle graph that waits';
    if (event.for !== 'siblings') return undefined;
    if (story.tokens.get(event.token)?.group !== event.branch[0]) return 'an arrival from an inner group';
    return undefined;
  },
  'step.completed': (_, { attempt }) => attempt > 1 && 'a step of a later attempt',
  'fan_in.failed': () => 'a join whose failure is handled',
  'fan_in.completed': (story, { group: id, branches, timedOut, at }) => {
    const group = story.groups.get(id);
    if (timedOut) return story.resultAt === at ? gaveUpAsResultCame : 'a join that went on without some';
    if (group && group.depth >= 4) return 'a join of a fan-out four deep';
    return group && branches < group.total && 'a join that did not wait for all';
  },
  'tokens.timed_out': (story, { at }) =>
    story.resultAt === at ? gaveUpAsResultCame : 'a join that failed at its time',
  'branches.detached': () => 'branches that a join left alone',
  'branch.abandoned_failed': () => 'a failure in what a join left alone',
  'branch.ended': (_, { how }) => how === 'failed' && 'a branch whose failure was tolerated',
  'group.closed': (story, { group }) => {
    if (story.before === 'context.updated') return 'the last of unjoined threads, which counts';
    return story.groups.get(group)?.isJoined === false && 'a group that closed unjoined';
  },
  'edges.settled': (_, { skipped }) => skipped.length > 0 && 'a join over edges that is skipped',
  'edge_join.completed': () => 'a join over edges that runs',
  'tokens.cancelled': (story, { tokens, reason }) => {
    const isUnderWay = tokens.some((id) => story.tokens.get(id)?.state === 'dispatched');
    if (!isUnderWay) return undefined;
    return reason.startsWith('join ') ? 'a task that a join has called off' : 'a task that is under way at the end';
  },
  'task.completed': (story, { token, at }) => {
    if (story.gaveUpAt === at) return gaveUpAsResultCame;
    if (story.timerAt === at) return 'a timer and a result in one millisecond';
    return (story.tokens.get(token)?.attempt ?? 1) > 1 && 'an attempt that succeeds after one that failed';
  },
  'task.failed': (_, { error: { code, attempts = 1 } }) => {
    if (code === 'EVENT_TIMED_OUT') return 'an event that did not come in time';
    return attempts > 1 && 'attempts that are used up';
  },
  'tasks.lost': (story, { tokens }) => {
    const isRetry = tokens.some((id) => (story.tokens.get(id)?.attempt ?? 1) > 1);
    return isRetry ? 'a later attempt that is lost' : 'a task that is lost';
  },
  'timer.fired': (story, { at }) => story.resultAt === at && 'a timer and a result in one millisecond',
  'handle.unmatched': () => 'a handle that leads nowhere',
  'control.ignored': () => 'control keys that cannot be read',
  'subworkflow.dispatched': (_, { attempt }) => attempt > 1 && 'a sub-run that is tried again',
  'subworkflow.completed': (_, { status }) => status === 'failed' && 'a sub-run that failed',
  'subworkflow.timed_out': () => 'a sub-run that takes too long',
  'subworkflow.ended_late': () => 'a sub-run that ends when nobody waits for it',
  'subworkflow.suspended': () => 'a sub-run that only people can wake',
  'input_queue.joined': (story, { askingRunId }) => {
    if (story.queue > 0) return 'a prompt that waits for its turn';
    return askingRunId !== story.runId && 'a prompt of a sub-run in the queue of its root';
  },
  'input.resumed': () => 'a prompt that is answered',
  'input.expired': () => 'a prompt that nobody answers',
  'event.awaited': () => 'a wait for an event',
  'event.received': (story, { eventId }) => story.events.has(eventId) && 'an event that ends two waits',
  'workflow.started': (_, { depth, trigger }) => {
    if (trigger !== undefined) return 'a run that a trigger has started';
    return depth > 1 && 'a sub-run of a sub-run';
  },
  'workflow.result_set': () => 'an end that makes the output',
  'workflow.paused': (story) => {
    if (story.count('retrying') > 0) return 'a pause during a back-off';
    return story.count('dispatched') > 0 && 'a pause while a task is under way';
  },
  'workflow.held': (_, { command: { type } }) => heldNames[type as string],
  'workflow.exhausted': () => 'credits that are refused',
  'credits.granted': () => 'credits that are granted',
  'workflow.resumed': () => 'a suspended run that goes on',
  'workflow.timed_out': () => 'a run that takes too long',
  'workflow.cancelled': (story) => story.before === 'tokens.cancelled' && 'a run that is cancelled in the middle',
  'workflow.failed': (_, { error: { code } }) => failures[code],
};

/** What only the end of a run may tell. */
const failures: Readonly<Record<string, string>> = {
  FAN_IN_UNREACHABLE: 'a quorum that cannot be met any more',
  NODES_FAILED: 'a dataflow of which a node fails',
  NO_TRANSITION_MATCHED: 'a node that no way leads on from',
  TASK_LOST: 'a task that is lost too often',
};

function tellRun(run: RunRecord, mark: Mark): RunStory {
  const story = new RunStory(run.runId, run.parentRunId !== null);
  for (const event of run.events) {
    const tell = tellers[event.type] as ((story: RunStory, event: RunEvent) => string | false | undefined) | undefined;
    const name = tell?.(story, event);
    if (typeof name === 'string') mark(name);
    story.add(event);
  }
  return story;
}

// ------------------------------------------------------------------------------------------------ around the runs

function tellTrees({ runs }: FaultyWorld, mark: Mark): void {
  const byId = new Map(runs.map((run) => [run.runId, run]));
  for (const { status, parentRunId } of runs) {
    const isCancelled = parentRunId !== null && byId.get(parentRunId)?.status === 'cancelled';
    if (isCancelled && (status === 'completed' || status === 'failed'))
      mark('a sub-run that ends while its parent is cancelled');
  }
}

const refusals: Readonly<Record<string, string>> = {
  ALREADY_ANSWERED: 'another answer to a prompt that was answered',
  PROMPT_EXPIRED: 'an answer after the deadline',
  PROMPT_CANCELLED: 'an answer to a prompt that was called off',
  IDEMPOTENCY_KEY_REUSED: 'a key that is used for another start',
};

const ordersWithoutEffect: ReadonlySet<string> = new Set(['cancel', 'pause', 'resume', 'reply', 'publish']);

function tellClients(operations: readonly ClientOperation[], mark: Mark): void {
  const started = new Map<unknown, string>();
  for (const { request, answer, refusal } of operations) {
    const refused = refusals[refusal ?? ''];
    if (refused !== undefined) mark(refused);
    const isApplied = typeof answer === 'object' && answer !== null && 'applied' in answer ? answer.applied : null;
    if (isApplied === false && ordersWithoutEffect.has(request.type)) mark(`without effect: ${request.type}`);
    if (request.type !== 'start' || answer === undefined) continue;
    if (started.has(answer)) mark('a start that is repeated');
    started.set(answer, request.key);
  }
}

function tellHosts(world: FaultyWorld, stories: ReadonlyMap<string, RunStory>, mark: Mark): void {
  const seen = new Map<string, number>();
  for (const { runId, tokenId } of world.calls)
    seen.set(`${runId}/${tokenId}`, (seen.get(`${runId}/${tokenId}`) ?? 0) + 1);
  for (const [runId, { tokens }] of stories)
    for (const [id, { dispatches }] of tokens)
      if (dispatches > 1 && dispatches > (seen.get(`${runId}/${id}`) ?? 0)) mark('a hand-out that no worker saw');
  if (world.snapshots > 0) mark('a run with a snapshot');
  const newest = new Map(world.definitions.map(({ id, version, createdAt }) => [id, { version, createdAt }]));
  for (const { workflow, version, events } of world.runs) {
    const newer = newest.get(workflow);
    if (newer && newer.version > version && (events.at(-1)?.at ?? 0) > newer.createdAt)
      mark('a run that goes on while its workflow is replaced');
  }
}

// -------------------------------------------------------------------------------------------------------------- names

/** All that must be reached. */
export const sometimesNames: readonly string[] = [
  ...[...allFaults, ...wireFaults, ...processFaults].map((fault) => `fault: ${fault}`),
  'a step of a later attempt',
  'a foreach over nothing',
  'a join whose failure is handled',
  'a batch over nothing',
  'a last slice that is shorter',
  'a branch that began when there was room',
  'a branch that a later command began',
  'a loop inside a fan-out inside a sub-run',
  'a loop that was taken again',
  'a node of a handle graph that waits',
  'an arrival from an inner group',
  gaveUpAsResultCame,
  'a join that went on without some',
  'a join of a fan-out four deep',
  'a join that did not wait for all',
  'a join that failed at its time',
  'branches that a join left alone',
  'a failure in what a join left alone',
  'a branch whose failure was tolerated',
  'the last of unjoined threads, which counts',
  'a group that closed unjoined',
  'a join over edges that is skipped',
  'a join over edges that runs',
  'a task that a join has called off',
  'a task that is under way at the end',
  'a timer and a result in one millisecond',
  'an attempt that succeeds after one that failed',
  'an event that did not come in time',
  'attempts that are used up',
  'a later attempt that is lost',
  'a task that is lost',
  'a handle that leads nowhere',
  'control keys that cannot be read',
  'a sub-run that is tried again',
  'a sub-run that failed',
  'a sub-run that takes too long',
  'a sub-run that ends when nobody waits for it',
  'a sub-run that only people can wake',
  'a prompt that waits for its turn',
  'a prompt of a sub-run in the queue of its root',
  'a prompt that is answered',
  'a prompt that nobody answers',
  'a wait for an event',
  'an event that ends two waits',
  'a sub-run of a sub-run',
  'an end that makes the output',
  'a pause during a back-off',
  'a pause while a task is under way',
  'a result while paused',
  'an answer or an event while paused',
  'a message while paused',
  'credits that are granted',
  'credits that are refused',
  'a run that a trigger has started',
  'a suspended run that goes on',
  'a run that takes too long',
  'a run that is cancelled in the middle',
  'a quorum that cannot be met any more',
  'a dataflow of which a node fails',
  'a node that no way leads on from',
  'a sub-run that ends while its parent is cancelled',
  'another answer to a prompt that was answered',
  'an answer after the deadline',
  'an answer to a prompt that was called off',
  'a key that is used for another start',
  'without effect: cancel',
  'without effect: pause',
  'without effect: resume',
  'without effect: reply',
  'without effect: publish',
  'a start that is repeated',
  'a hand-out that no worker saw',
  'a run with a snapshot',
  'a run that goes on while its workflow is replaced',
];
