// Routes: looks into a run: its state, tokens, nodes, journal, and how each dialect shows it.

import { Type } from 'typebox';
import type { Instead } from '../../core/replay/replace-fact.ts';
import type { NodeView } from '../../core/views/nodes.ts';
import type { DataflowReport } from '../../dialects/dataflow/run-report.ts';
import type { Execution } from '../../dialects/handle/execution.ts';
import type { ThreadsView } from '../../dialects/thread/view.ts';
import type { Explanation } from '../../sdk/explanation.ts';
import type { GroupInfo } from '../../sdk/group-info.ts';
import type { Simulation } from '../../sdk/introspection.ts';
import type { ReplayPage } from '../../sdk/replay-run.ts';
import type { TokenInfo } from '../../sdk/run.ts';
import type { RunSnapshot } from '../../sdk/snapshot.ts';
import type { StateAt } from '../../sdk/state-at.ts';
import {
  event,
  failure,
  json,
  jsonObject,
  lastEventId,
  orNull,
  page,
  paging,
  reference,
  status,
  text,
  time,
  traceEvent,
} from './parts.ts';
import { record, route, view } from './route.ts';

const tag = 'Inside a run';

/** More than elsewhere: every page is read from the journal anew. */
export const tokensPerPage = 10_000;

const runId = Type.String();

const token = Type.Unsafe<TokenInfo>({
  type: 'object',
  title: 'Token',
  description: 'One visit to one node.',
  required: ['id', 'node', 'status', 'from', 'pathId', 'attempt', 'createdAt', 'endedAt', 'isExecuting'],
  properties: {
    id: { type: 'integer' },
    node: { type: 'string' },
    status: { type: 'string' },
    from: { type: ['integer', 'null'], description: 'The token it comes from.' },
    pathId: { type: 'string' },
    siblingGroup: { type: ['string', 'null'] },
    branchIndex: { type: 'integer' },
    branchTotal: { type: 'integer' },
    attempt: { type: 'integer' },
    childRunId: { type: 'string' },
    createdAt: { type: 'integer' },
    endedAt: { type: ['integer', 'null'] },
    isExecuting: { type: 'boolean', description: 'Its action has been called and the result is awaited.' },
  },
});

const node = Type.Unsafe<NodeView>({
  type: 'object',
  title: 'Node',
  required: ['nodeId', 'status', 'visits', 'attempts', 'startedAt', 'endedAt'],
  properties: {
    nodeId: { type: 'string' },
    status: { type: 'string', enum: ['idle', 'running', 'waiting', 'completed', 'failed', 'cancelled'] },
    visits: { type: 'integer', description: 'How often it was entered.' },
    attempts: { type: 'integer' },
    startedAt: { type: ['integer', 'null'] },
    endedAt: { type: ['integer', 'null'] },
  },
});

export const lookRoutes = {
  getState: route({
    method: 'GET',
    path: '/v1/runs/{runId}/state',
    scope: 'run:read',
    tag,
    summary: 'Input, state and output of a run, as of now',
    answer: record({ runId, status, input: json, state: jsonObject, output: jsonObject }, 'RunState'),
    status: 200,
  }),
  getStateAt: route({
    method: 'GET',
    path: '/v1/runs/{runId}/state/{eventId}',
    scope: 'run:read',
    tag,
    summary: 'How a run stood just after an event of its journal',
    answer: view<StateAt>('RunStateAt', 'State, living tokens and open groups as of then.'),
    status: 200,
  }),
  listTokens: route({
    method: 'GET',
    path: '/v1/runs/{runId}/tokens',
    scope: 'run:read',
    tag,
    summary: 'Every token that a run ever had, in the order of their creation',
    query: record({ ...paging, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: tokensPerPage })) }),
    answer: page(token),
    status: 200,
  }),
  listNodes: route({
    method: 'GET',
    path: '/v1/runs/{runId}/nodes',
    scope: 'run:read',
    tag,
    summary: 'Every node of the drawing and what became of it',
    query: record(paging),
    answer: page(node),
    status: 200,
  }),
  listRunEvents: route({
    method: 'GET',
    path: '/v1/runs/{runId}/events',
    scope: 'run:read',
    tag,
    summary: 'The journal of a run',
    query: record(paging),
    answer: page(event),
    status: 200,
  }),
  streamRunEvents: route({
    method: 'GET',
    path: '/v1/runs/{runId}/events/stream',
    scope: 'run:read',
    tag,
    summary: 'The journal of a run and then what comes, live, until it has ended',
    description:
      'Server-Sent Events. `Last-Event-ID` (or `after`) goes on after that event, without gap or repeat. When the run has ended, an event named `end` is the last; whoever comes back for more is answered 204, so that a browser does not try for ever. A stream that ends without it broke off: come back with the id of the last event.',
    headers: lastEventId,
    query: record({ after: Type.Optional(text('The id of the last event that was seen.')) }),
    answer: 'events',
    mayBeOver: true,
    status: 200,
  }),
  listRunTrace: route({
    method: 'GET',
    path: '/v1/runs/{runId}/trace',
    scope: 'run:read',
    tag,
    summary: 'How the decisions about a run came about, if it was started with `trace`',
    description: 'A run that was started without `trace` is refused with `RUN_NOT_TRACED`.',
    query: record(paging),
    answer: page(traceEvent),
    status: 200,
  }),
  streamRunTrace: route({
    method: 'GET',
    path: '/v1/runs/{runId}/trace/stream',
    scope: 'run:read',
    tag,
    summary: 'The trace of a run and then what comes, live, until it has ended',
    description:
      'Server-Sent Events, as of `/v1/runs/{runId}/events/stream`. It also ends with `trace.dropped`: nothing is kept after that.',
    headers: lastEventId,
    query: record({ after: Type.Optional(text('The id of the last trace event that was seen.')) }),
    answer: 'events',
    mayBeOver: true,
    status: 200,
  }),
  getExecution: route({
    method: 'GET',
    path: '/v1/runs/{runId}/execution',
    scope: 'run:read',
    tag,
    summary: 'The execution record of a handle graph',
    answer: view<Execution>('Execution', 'As the handle dialect has it.'),
    status: 200,
  }),
  getDataflow: route({
    method: 'GET',
    path: '/v1/runs/{runId}/dataflow',
    scope: 'run:read',
    tag,
    summary: 'What each node of a dataflow graph came to',
    answer: view<DataflowReport>('DataflowReport', 'As the dataflow dialect has it.'),
    status: 200,
  }),
  getThreads: route({
    method: 'GET',
    path: '/v1/runs/{runId}/threads',
    scope: 'run:read',
    tag,
    summary: 'The threads of a thread graph and the contexts that they run in',
    answer: view<ThreadsView>('Threads', 'As the thread dialect has them.'),
    status: 200,
  }),
  getSnapshot: route({
    method: 'GET',
    path: '/v1/runs/{runId}/snapshot',
    scope: 'run:read',
    tag,
    summary: 'A run with its sub-runs as JSON, to go on with elsewhere',
    answer: view<RunSnapshot>('Snapshot', 'For restoreRun.'),
    status: 200,
  }),
  restoreRun: route({
    method: 'POST',
    path: '/v1/runs/restore',
    // AC9: a snapshot is the whole state of runs: who may start runs may not therefore hand one in.
    scope: 'run:restore',
    tag,
    summary: 'Resume the runs of a snapshot that this store has taken',
    body: json,
    answer: record({ runId }),
    status: 201,
  }),
  simulateRouting: route({
    method: 'POST',
    path: '/v1/runs/{runId}/simulate-routing',
    scope: 'run:read',
    tag,
    summary: 'What a run would do if a task had this outcome now; nothing is changed',
    body: record({
      tokenId: Type.Integer({ minimum: 0 }),
      output: Type.Optional(json),
      error: Type.Optional(failure),
    }),
    answer: view<Simulation>('RoutingSimulation', 'Events and effects that would follow.'),
    status: 200,
    isRepeatable: true,
  }),
  explainEvent: route({
    method: 'POST',
    path: '/v1/runs/{runId}/explain',
    scope: 'run:read',
    tag,
    summary: 'Why a run did what it did at an event: its decisions, made again and compared with the journal',
    description:
      'With `definition`, `instead` or `state` as if those had been otherwise. Nothing is changed, and nothing is stored.',
    body: record({
      eventId: text('Such as `12.0`. All of its commit is explained.'),
      definition: Type.Optional(json),
      instead: Type.Optional(
        Type.Unsafe<Instead>({
          type: 'object',
          description: 'Another `output`, `error` (with code and message) or `input` than what came: one of them.',
        }),
      ),
      state: Type.Optional(jsonObject),
    }),
    answer: view<Explanation>('Explanation', 'How the run stood, what came, what was decided, and what was recorded.'),
    status: 200,
    isRepeatable: true,
  }),
  replayRun: route({
    method: 'POST',
    path: '/v1/runs/{runId}/replay',
    scope: 'run:read',
    tag,
    summary: 'Make all decisions of a run again: those that are not as recorded, a page at a time',
    description: 'With `definition` by another definition, which is not stored: where would it have decided otherwise?',
    body: record({
      definition: Type.Optional(json),
      after: Type.Optional(text('The `next` of the page before.')),
    }),
    answer: view<ReplayPage>('Replay', 'How many commits were decided again, and what differs.'),
    status: 200,
    isRepeatable: true,
  }),
  listGroups: route({
    method: 'GET',
    path: '/v1/runs/{runId}/groups',
    scope: 'run:read',
    tag,
    summary: 'The open groups of a run: who has come to the join, who is missing',
    query: record({ at: Type.Optional(time('What would happen if it were then.')) }),
    answer: record({
      groups: Type.Array(view<GroupInfo>('Group', 'One fan-out that is under way.')),
      ifTimeWere: orNull(view<Simulation>('TimeSimulation', 'Events and effects that would follow.')),
    }),
    status: 200,
  }),
  listRunArtifacts: route({
    method: 'GET',
    path: '/v1/runs/{runId}/artifacts',
    scope: 'artifact:read',
    tag,
    summary: 'References to what a run has put',
    query: record(paging),
    answer: page(reference),
    status: 200,
  }),
};
