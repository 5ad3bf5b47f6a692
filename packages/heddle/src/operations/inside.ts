// Operations inside a run: its state, tokens, nodes and journal, how each dialect shows it, and what it would do.

import type { RunTraceEvent } from '../actor/trace-log.ts';
import type { Failure } from '../base/failure.ts';
import type { Json } from '../base/json.ts';
import type { ObjectReference } from '../base/object-reference.ts';
import type { RunEvent } from '../core/run-event.ts';
import type { Drawing } from '../core/views/drawing.ts';
import type { EdgeView } from '../core/views/edges.ts';
import type { GroupInfo } from '../core/views/groups.ts';
import type { NodeView } from '../core/views/nodes.ts';
import type { Wait } from '../core/views/wait.ts';
import type { DataflowReport } from '../dialects/dataflow/run-report.ts';
import type { Execution } from '../dialects/handle/execution.ts';
import type { ThreadsView } from '../dialects/thread/view.ts';
import { answer, operation, stream } from './operation.ts';
import {
  event,
  failure,
  type OneRun,
  oneRun,
  type Page,
  type Paging,
  page,
  paging,
  reference,
  runId,
  traceEvent,
} from './parts.ts';
import { runSummary } from './run-results.ts';
import {
  type Explanation,
  edge,
  type GroupsView,
  node,
  type ReplayPage,
  type RunFigures,
  type RunSnapshot,
  type RunStateView,
  type RunView,
  runState,
  type Simulation,
  type StateAt,
  type TokenInfo,
  token,
  type WhatIf,
  wait,
} from './run-views.ts';
import {
  anyObject,
  anyText,
  count,
  json,
  list,
  object,
  optional,
  orNull,
  text,
  time,
  view,
  whole,
  withCode,
  withOneOf,
} from './schema.ts';

/** More than elsewhere: every page is read from the journal anew. */
export const tokensPerPage = 10_000;

export interface PageOfRun extends OneRun, Paging {}

const pageOfRun = object<PageOfRun>({ runId, ...paging });

/** To go on with a stream. */
export interface AfterEvent extends OneRun {
  /** The id of the last event that was seen. */
  readonly after?: string;
}

export interface OneEvent extends OneRun {
  readonly eventId: string;
}

export interface MomentOfRun extends OneRun {
  /** As of just after this event; now, if it is absent. */
  readonly eventId?: string;
}

export interface RestoreRequest {
  /** As `getSnapshot` has answered with it. */
  readonly snapshot: Json;
}

/** One outcome: an output or an error. */
export interface RoutingRequest extends OneRun {
  readonly tokenId: number;
  readonly output?: Json;
  readonly error?: Failure;
}

export interface ExplainRequest extends OneEvent, Pick<WhatIf, 'instead' | 'state'> {
  /** Another definition: would it have decided otherwise? */
  readonly definition?: Json;
}

export interface ReplayRequest extends OneRun {
  /** Another definition: where would it have decided otherwise? */
  readonly definition?: Json;
  /** The `next` of the page before. */
  readonly after?: string;
}

export interface GroupsRequest extends OneRun {
  /** What would happen if it were then. */
  readonly at?: number;
}

const tag = 'Inside a run';

export const insideOperations = {
  getState: operation<OneRun, RunStateView>({
    tag,
    summary: 'Input, state and output of a run, as of now',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(runState),
  }),
  getStateAt: operation<OneEvent, StateAt>({
    tag,
    summary: 'How a run stood just after an event of its journal',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<OneEvent>({ runId, eventId: text('Such as `12.0`.') }),
    answers: answer(view<StateAt>('RunStateAt', 'State, living tokens and open groups as of then.')),
  }),
  getRunView: operation<MomentOfRun, RunView>({
    tag,
    summary: 'A run on its drawing: figures of nodes, ways and groups, now or as of an event',
    description:
      'What a viewer needs to open a run of any size. With the `drawing`, one that reads the journal itself folds the same figures (`heddle/journal`).',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<MomentOfRun>({ runId, eventId: optional(text('Such as `12.0`. Absent: as of now.')) }),
    answers: answer(
      object<RunView>({
        run: runSummary,
        commits: count('Of its journal, now.'),
        lastEventId: orNull(anyText('Of its journal, now.')),
        drawing: view<Drawing>('Drawing', 'Nodes and transitions that a run is shown on.'),
        figures: view<RunFigures>('RunFigures', 'How the run stood at the moment.'),
      }),
    ),
  }),
  listWaits: operation<PageOfRun, Page<Wait>>({
    tag,
    summary: 'Why a run is waiting: what it waits for now, where that is, and whether it can still come',
    where: 'run',
    scope: 'run:read',
    ofOwner: true,
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(wait)),
  }),
  listTokens: operation<PageOfRun, Page<TokenInfo>>({
    tag,
    summary: 'Every token that a run ever had, in the order of their creation',
    where: 'run',
    scope: 'run:read',
    ofOwner: true,
    repeatable: true,
    takes: object<PageOfRun>({
      runId,
      ...paging,
      limit: optional(whole('At most so many.', { max: tokensPerPage })),
    }),
    answers: answer(page(token)),
  }),
  listNodes: operation<PageOfRun, Page<NodeView>>({
    tag,
    summary: 'Every node of the drawing and what became of it',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(node)),
  }),
  listEdges: operation<PageOfRun, Page<EdgeView>>({
    tag,
    summary: 'Every way of the drawing and how often it was taken',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(edge)),
  }),
  listRunEvents: operation<PageOfRun, Page<RunEvent>>({
    tag,
    summary: 'The journal of a run',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(event)),
  }),
  streamRunEvents: operation<AfterEvent, AsyncIterable<RunEvent>>({
    tag,
    summary: 'The journal of a run and then what comes, live, until it has ended',
    description:
      'Server-Sent Events. `Last-Event-ID` (or `after`) goes on after that event, without gap or repeat. When the run has ended, an event named `end` is the last; whoever comes back for more is answered 204, so that a browser does not try for ever. A stream that ends without it broke off: come back with the id of the last event.',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<AfterEvent>({ runId, after: optional(text('The id of the last event that was seen.')) }),
    answers: stream(event),
  }),
  listRunTrace: operation<PageOfRun, Page<RunTraceEvent>>({
    tag,
    summary: 'How the decisions about a run came about, if it was started with `trace`',
    description: 'A run that was started without `trace` is refused with `RUN_NOT_TRACED`.',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(traceEvent)),
  }),
  streamRunTrace: operation<AfterEvent, AsyncIterable<RunTraceEvent>>({
    tag,
    summary: 'The trace of a run and then what comes, live, until it has ended',
    description:
      'Server-Sent Events, as of `/v1/runs/{runId}/events/stream`. It also ends with `trace.dropped`: nothing is kept after that.',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<AfterEvent>({ runId, after: optional(text('The id of the last trace event that was seen.')) }),
    answers: stream(traceEvent),
  }),
  getExecution: operation<OneRun, Execution>({
    tag,
    summary: 'The execution record of a handle graph',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(view<Execution>('Execution', 'As the handle dialect has it.')),
  }),
  getDataflow: operation<OneRun, DataflowReport>({
    tag,
    summary: 'What each node of a dataflow graph came to',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(view<DataflowReport>('DataflowReport', 'As the dataflow dialect has it.')),
  }),
  getThreads: operation<OneRun, ThreadsView>({
    tag,
    summary: 'The threads of a thread graph and the contexts that they run in',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(view<ThreadsView>('Threads', 'As the thread dialect has them.')),
  }),
  getSnapshot: operation<OneRun, RunSnapshot>({
    tag,
    summary: 'A run with its sub-runs as JSON, to go on with elsewhere',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: oneRun,
    answers: answer(view<RunSnapshot>('Snapshot', 'For restoreRun.')),
  }),
  restoreRun: operation<RestoreRequest, OneRun>({
    tag,
    summary: 'Resume the runs of a snapshot that this store has taken',
    where: 'run',
    // AC9: a snapshot is the whole state of runs: who may start runs may not therefore hand one in.
    changes: true,
    scope: 'run:restore',
    takes: object<RestoreRequest>({ snapshot: withCode('SNAPSHOT_INVALID', json()) }),
    answers: answer(object<OneRun>({ runId: anyText() })),
  }),
  simulateRouting: operation<RoutingRequest, Simulation>({
    tag,
    summary: 'What a run would do if a task had this outcome now; nothing is changed',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: withOneOf(
      object<RoutingRequest>({ runId, tokenId: whole(), output: optional(json()), error: optional(failure) }),
      'output',
      'error',
    ),
    answers: answer(view<Simulation>('RoutingSimulation', 'Events and effects that would follow.')),
  }),
  explainEvent: operation<ExplainRequest, Explanation>({
    tag,
    summary: 'Why a run did what it did at an event: its decisions, made again and compared with the journal',
    description:
      'With `definition`, `instead` or `state` as if those had been otherwise. Nothing is changed, and nothing is stored.',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<ExplainRequest>({
      runId,
      eventId: text('Such as `12.0`. All of its commit is explained.'),
      definition: optional(json()),
      instead: optional(
        anyObject('Another `output`, `error` (with code and message) or `input` than what came: one of them.'),
      ),
      state: optional(anyObject()),
    }),
    answers: answer(
      view<Explanation>('Explanation', 'How the run stood, what came, what was decided, and what was recorded.'),
    ),
  }),
  replayRun: operation<ReplayRequest, ReplayPage>({
    tag,
    summary: 'Make all decisions of a run again: those that are not as recorded, a page at a time',
    description: 'With `definition` by another definition, which is not stored: where would it have decided otherwise?',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<ReplayRequest>({ runId, definition: optional(json()), after: paging.after }),
    answers: answer(view<ReplayPage>('Replay', 'How many commits were decided again, and what differs.')),
  }),
  listGroups: operation<GroupsRequest, GroupsView>({
    tag,
    summary: 'The open groups of a run: who has come to the join, who is missing',
    where: 'run',
    scope: 'run:read',
    repeatable: true,
    takes: object<GroupsRequest>({ runId, at: optional(time('What would happen if it were then.')) }),
    answers: answer(
      object<GroupsView>({
        groups: list(view<GroupInfo>('Group', 'One fan-out that is under way.')),
        ifTimeWere: orNull(view<Simulation>('TimeSimulation', 'Events and effects that would follow.')),
      }),
    ),
  }),
  listRunArtifacts: operation<PageOfRun, Page<ObjectReference>>({
    tag,
    summary: 'References to what a run has put',
    where: 'run',
    scope: 'artifact:read',
    repeatable: true,
    takes: pageOfRun,
    answers: answer(page(reference)),
  }),
};
