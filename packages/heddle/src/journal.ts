// The door for viewers of runs: a journal is folded to what a drawing shows, live and at any moment of the past. Appliers and
// views alone: no parser, no planner, no engine (a bundle of all of it is under 15 kB, compressed).
//
//   import { connect } from 'heddle/client';
//   import { Checkpoints, RunFold } from 'heddle/journal';
//
//   const { drawing } = await client.call('getRunView', { runId });
//   const fold = new RunFold({ drawing });
//   for await (const event of run.events()) { fold.add(event); draw(fold); }
//
// `RunFold` has the figures of a moment; `Checkpoints` leads back to any other; with `emptyState`, `journaled` and `apply` a
// viewer folds whatever else it needs.

export type { Failure } from './base/failure.ts';
export { HeddleError } from './base/heddle-error.ts';
export type { Json, JsonObject } from './base/json.ts';
export { apply, copyState, emptyState } from './core/apply/apply.ts';
export type { BranchRef, Event, EventOf, EventType, GroupId, TokenId } from './core/events.ts';
export { journaled, type RunEvent } from './core/run-event.ts';
export type { RunState, Token, TokenStatus } from './core/state.ts';
export { type CheckpointOptions, Checkpoints } from './core/views/checkpoints.ts';
export type { Drawing, DrawnTransition } from './core/views/drawing.ts';
export type { EdgeView } from './core/views/edges.ts';
export type { GroupFigures, GroupInfo, GroupTotals } from './core/views/groups.ts';
export type { NodeCounts, NodeFigures, NodeStatus, NodeView } from './core/views/nodes.ts';
export { type ClassicTokenStatus, classicTokenStatus } from './core/views/projections.ts';
export {
  type DueTimer,
  type FirstFailure,
  type LiveSubrun,
  type OpenPrompt,
  RunFold,
  type RunFoldOptions,
} from './core/views/run-fold.ts';
export type { Span, SpanAttempt, SpanKind, SpanTotals } from './core/views/spans.ts';
export { isTerminal, type RunStatus, runStatuses, statusOf, terminalStatuses } from './core/views/status.ts';
export type { TokenViewStatus } from './core/views/tokens.ts';
