// What the main door exports on every runtime, grouped by what users do. A type is here if a user gets or gives a value of
// it and has a reason to name it; parts of such types are reached through them (`NodeDefinition['batch']`).

// Opening an engine, and what it is built on.

export type { Committed, ErrorContext } from './actor/observers.ts';
export type { ArtifactStore, Clock, Store } from './actor/ports.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export type { Heddle } from './api/heddle.ts';
export { defaultLimits, type Limits } from './definition/limits.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export type { HttpOptions } from './engine/outgoing.ts';
export { memoryStore } from './hosts/memory/store.ts';
export { type HttpTransport, ResponseTooLarge, type WireRequest, type WireResponse } from './outbound/transport.ts';

// Values, errors and problems.

export type { Failure, Thrown } from './base/failure.ts';
export { HeddleError } from './base/heddle-error.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { Problem } from './base/problem.ts';

// Writing and registering workflows.

export type { Registered } from './actor/definitions.ts';
export type {
  Definition,
  JsonSchema,
  NodeDefinition,
  RetryDefinition,
  SynchronizationDefinition,
  TransitionDefinition,
} from './definition/definition.ts';
export type { Dialect } from './definition/graph.ts';
export type { DataflowDefinition } from './dialects/dataflow/dataflow.ts';
export type { WorkflowDefinition } from './dialects/dialect.ts';
export type { HandleDefinition } from './dialects/handle/handle.ts';
export type { ThreadDefinition } from './dialects/thread/thread.ts';
export { type WorkflowBuilder, workflow } from './engine/builder.ts';
export { type Converted, convertToToken } from './engine/convert.ts';
export type {
  DefinitionListQuery,
  DefinitionSummary,
  ListedDefinition,
  StoredDefinition,
} from './operations/definitions.ts';
export type { Draft, DraftBase, ListedDraft, PublishDraftOptions, PutDraftOptions } from './operations/drafts.ts';

// Writing actions.

export type { Artifact, ArtifactData } from './actor/artifacts.ts';
export type { ObjectReference } from './base/object-reference.ts';
export {
  type Action,
  type ActionContext,
  type ActionObject,
  type Actions,
  type DefinedAction,
  defineAction,
} from './executor/action.ts';
export { ActionError } from './executor/action-error.ts';
export { InvalidActionsError, type LoadAction } from './executor/registry.ts';

// Writing nodes of dataflow and handle graphs.

export { CompiledType, defineCompiledType } from './dialects/catalogue/compiled-type.ts';
export type { NodeTypeInfo } from './dialects/catalogue/describe.ts';
export type { CompileNode, NodeToCompile, NodeTypeFacts } from './dialects/catalogue/entry.ts';
export { type Migrated, migrateSettings } from './dialects/catalogue/migrate.ts';

export { arithmeticNodes } from './dialects/dataflow/nodes/arithmetic-nodes.ts';
export {
  defineNodeType,
  failure,
  type NodeContext,
  type NodeFailure,
  NodeType,
  type NodeTypes,
} from './dialects/dataflow/nodes/node-type.ts';
export { flowNodes } from './dialects/handle/nodes/flow-nodes.ts';
export {
  defineExecutors,
  type NodeExecutor,
  type NodeExecutorParams,
  type NodeExecutors,
} from './dialects/handle/nodes/node-executor.ts';

// Starting, finding and controlling runs.

export type { RunListPage, RunListQuery } from './api/heddle.ts';
export { Run } from './api/run.ts';
export type { Reply } from './core/commands.ts';
export { isTerminal, type RunStatus, type TerminalStatus } from './core/views/status.ts';
export { dataflowUpdates } from './engine/dialect-views.ts';
export { startFromEvent } from './engine/handle-event.ts';
export { bulkRetryKey } from './engine/retry-run.ts';
export type { CancelPreview, RetryPreview } from './operations/previews.ts';
export type { CompletedResult, FailedResult, RunResult, RunSummary } from './operations/run-results.ts';
export type { RunSnapshot } from './operations/run-views.ts';
export type {
  RetryOptions,
  RunCountOptions,
  RunCountView,
  StartAnswer,
  StartItem,
  StartOptions,
} from './operations/runs.ts';

// Looking into runs: events, tokens, nodes, state.

export type { TaskProgress } from './actor/observers.ts';
export type { RunTraceEvent } from './actor/trace-log.ts';
export type { FeedOptions } from './api/heddle.ts';
export type { RunEvent } from './core/run-event.ts';
export type { EdgeView } from './core/views/edges.ts';
export type { NodeStatus, NodeView } from './core/views/nodes.ts';
export type { TokenViewStatus } from './core/views/tokens.ts';
export type { Wait, WaitKind } from './core/views/wait.ts';
export type { ReadOptions } from './operations/carrier.ts';
export type { FeedEvent } from './operations/events.ts';
export type { RunFigures, RunStateView, RunView, StateAt, TokenInfo } from './operations/run-views.ts';

// Explaining runs: decisions made again, and what would happen.

export type { Command } from './core/commands.ts';
export type { Decision, JoinDecision, MappingDecision, ReadValue, RoutingDecision, Way } from './core/decisions.ts';
export type { Instead } from './core/replay/replace-fact.ts';
export { explainEvents, type RunToExplain } from './engine/explain-events.ts';
export type {
  Explanation,
  GroupsView,
  ReplayDifference,
  ReplayOptions,
  ReplayPage,
  Simulation,
  WhatIf,
} from './operations/run-views.ts';

// Asking people, publishing events.

export type { Published, PublishOptions } from './actor/publication.ts';
export type { Prompt, PromptQuery, PromptReply, ReplyOptions, SecretPrompt } from './operations/prompts.ts';

// Triggers and webhooks.

export type {
  CreatedTrigger,
  CreateTriggerOptions,
  FireReply,
  NewTrigger,
  TriggerInfo,
} from './operations/triggers.ts';
export type { TriggerDefinition } from './triggers/trigger.ts';
export type { IncomingCall, ReceivedCall } from './webhooks/receiver.ts';

// Tasks for workers outside the process.

export type { LeaseOptions } from './api/tasks.ts';
export type { FinishedTask, TaskHeartbeat } from './operations/work.ts';
export type { ActionInfo } from './operations/workers.ts';
export type { AnnouncedAction } from './work/announcement.ts';
export type { WorkerInfo } from './work/seen-workers.ts';
export type { FinishAnswer, HeartbeatAnswer, ReleaseAnswer } from './work/task-reports.ts';
export type { LeasedTask } from './work/work-office.ts';

// Callbacks, secrets and credits.

export type { DepositReply } from './credits/accounts.ts';
export type { Reservation } from './credits/ledger-records.ts';
export type { CreatedCallback, DeliveryQuery } from './operations/callbacks.ts';
export type { CallbackInfo, DeliveryInfo } from './outbound/callbacks/callback.ts';
export type { NewCallback } from './outbound/callbacks/check-callback.ts';
export type { SecretInfo, SetSecretOptions } from './secrets/secret.ts';

// Operating a store: what is kept, how much there is, whether it is sound.

// For tools around definitions and texts.
export { findJsonError, type JsonError } from './base/find-json-error.ts';
export { listJsonMembers } from './base/json-members.ts';
export { type Parsed, type ParseOptions, parseJson } from './base/parse-json.ts';
export type {
  NodeFigures,
  Overview,
  OverviewRequest,
  WorkflowNodeFigures,
} from './operations/overview.ts';
export type { RetentionRule, Sweep, WorkflowRetention } from './operations/retention.ts';
export type { Audit, EngineStats } from './operations/server.ts';
