// What every door exports: the engine's names for users.

export type { Artifact, ArtifactData } from './actor/artifacts.ts';
export type { Registered } from './actor/definitions.ts';
export type { Committed, ErrorContext, Progress, RunEvent, TaskProgress } from './actor/observers.ts';
export type { ArtifactStore, Clock, Store, StoreSizes } from './actor/ports.ts';
export type { Fired, Published, PublishOptions, SkipCode, Skipped } from './actor/publication.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export type { RunTraceEvent } from './actor/trace-log.ts';
export { type Failure, type Thrown } from './base/failure.ts';
export { HeddleError, type HeddleErrorDetails } from './base/heddle-error.ts';
export type { Json, JsonArray, JsonObject } from './base/json.ts';
export type { ObjectReference } from './base/object-reference.ts';
export type { Problem } from './base/problem.ts';
export { untagNumbers } from './base/tagged-numbers.ts';
export type { Command, Reply } from './core/commands.ts';
export type {
  Decision,
  EdgeJoinDecision,
  JoinDecision,
  MappedValue,
  MappingDecision,
  RoutingDecision,
  Way,
} from './core/decisions.ts';
export type { Event } from './core/events.ts';
export type { Instead } from './core/replay/replace-fact.ts';
export type { RunOutcome } from './core/state.ts';
export type { TraceEvent } from './core/trace.ts';
export type { NodeStatus, NodeView } from './core/views/nodes.ts';
export { type ClassicTokenStatus, classicTokenStatus } from './core/views/projections.ts';
export { isTerminal, type RunStatus, type TerminalStatus } from './core/views/status.ts';
export type { TokenView, TokenViewStatus } from './core/views/tokens.ts';
export type { DepositReply } from './credits/accounts.ts';
export type { Reservation } from './credits/ledger-records.ts';
export type {
  BatchDefinition,
  BatchMergeDefinition,
  Definition,
  EdgeSynchronization,
  EventsSince,
  EventWaitDefinition,
  JsonSchema,
  MappingSource,
  MergeDefinition,
  MergeExisting,
  MergeInclude,
  MergeStrategy,
  NodeDefinition,
  PromptDefinition,
  PromptText,
  RetryDefinition,
  SiblingSynchronization,
  SynchronizationDefinition,
  TransitionDefinition,
  WaitDefinition,
  WorkflowCall,
} from './definition/definition.ts';
export type { Dialect } from './definition/graph.ts';
export { defaultLimits, type Limits } from './definition/limits.ts';
export type { EditDefinition, Lowered, LoweredBatch, LoweredNode, SourceDefinition } from './definition/lowered.ts';
export type {
  DataflowDefinition,
  DataflowEdge,
  DataflowNode,
  InputPort,
  NodeTypePorts,
  OutputPort,
} from './dialects/dataflow/dataflow.ts';
export { arithmeticNodes } from './dialects/dataflow/nodes/arithmetic-nodes.ts';
export {
  defineNodeType,
  failure,
  type NodeContext,
  NodeFailure,
  type NodeInputs,
  type NodeOutputs,
  NodeType,
  type NodeTypeSource,
  type NodeTypes,
} from './dialects/dataflow/nodes/node-type.ts';
export {
  type DataflowNodeReport,
  type DataflowOrder,
  type DataflowProgress,
  type DataflowStatus,
  type DataflowTracking,
  dataflowStatus,
  refusedDataflow,
  reportNodes,
  type SkippedNode,
  shouldSkipNode,
  trackedStatus,
} from './dialects/dataflow/report.ts';
export { type DataflowContext, type DataflowReport, dataflowStep } from './dialects/dataflow/run-report.ts';
export type { DataflowUpdate } from './dialects/dataflow/updates.ts';
export type { TokenDefinition, WorkflowDefinition } from './dialects/dialect.ts';
export { type Execution, type ExecutionStatus, executionStatus } from './dialects/handle/execution.ts';
export {
  type Adjacency,
  buildAdjacencyMap,
  buildNodeMap,
  type Connection,
  findEntryNode,
  getNextNodeIds,
  topologicalSort,
} from './dialects/handle/graph.ts';
export type { HandleConnection, HandleDefinition, HandleEdge, HandleNode } from './dialects/handle/handle.ts';
export { flowNodes } from './dialects/handle/nodes/flow-nodes.ts';
export {
  defineExecutors,
  type NodeExecutor,
  type NodeExecutorParams,
  type NodeExecutors,
  type NodePart,
  type NodeStep,
  type WorkflowContext,
} from './dialects/handle/nodes/node-executor.ts';
export type {
  ContextStatus,
  ExecutionContext,
  GroupContext,
  QueuedInput,
  RunContext,
  RunLimits,
  Slice,
  SubworkflowContext,
  SuspensionContext,
} from './dialects/thread/contexts.ts';
export type {
  ActionNode,
  BatchNode,
  CodeNode,
  Connector,
  EditNode,
  EndNode,
  FanInNode,
  FanOutNode,
  GosubNode,
  InitialEntry,
  InputNode,
  StartNode,
  SwitchEntry,
  SwitchNode,
  ThreadDefinition,
  ThreadMapping,
  ThreadNode,
  Upsert,
} from './dialects/thread/thread.ts';
export {
  type ThreadState,
  type ThreadStatus,
  type ThreadsView,
  type ThreadView,
  threadStatus,
} from './dialects/thread/view.ts';
export type { Artifacts } from './engine/artifacts.ts';
export { type WorkflowBuilder, workflow } from './engine/builder.ts';
export type { Callbacks } from './engine/callbacks.ts';
export { type Converted, convertToToken } from './engine/convert.ts';
export type { Credits } from './engine/credits.ts';
export { dataflowUpdates } from './engine/dialect-views.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export { explainEvents, type RunToExplain } from './engine/explain-events.ts';
export type { FeedOptions } from './engine/feed.ts';
export { type ExecutionEvent, startFromEvent } from './engine/handle-event.ts';
export type { Introspection } from './engine/introspection.ts';
export type { HttpOptions } from './engine/reach.ts';
export type { ReadOptions } from './engine/read-events.ts';
export type { Retention } from './engine/retention.ts';
export { bulkRetryKey } from './engine/retry-run.ts';
export { Run } from './engine/run.ts';
export type { RunListPage, RunListQuery } from './engine/run-lists.ts';
export type { Secrets } from './engine/secrets.ts';
export type { LeaseOptions, NamePage, Tasks } from './engine/tasks.ts';
export type { Triggers } from './engine/triggers.ts';
export type { Webhooks } from './engine/webhooks.ts';
export {
  type Action,
  type ActionArtifacts,
  type ActionContext,
  type ActionFunction,
  type ActionObject,
  type ActionSecrets,
  type ActionSettings,
  type Actions,
  type DefinedAction,
  defineAction,
  type Publish,
  type Schema,
  type TellProgress,
  type TypedAction,
} from './executor/action.ts';
export { ActionError, type ActionErrorOptions } from './executor/action-error.ts';
export type { Rate } from './executor/rate-window.ts';
export { InvalidActionsError, type LoadAction } from './executor/registry.ts';
export { memoryStore } from './hosts/memory/store.ts';
export type { CreatedCallback, DeliveryQuery } from './operations/callbacks.ts';
export type { DefinitionListQuery, DefinitionSummary, StoredDefinition } from './operations/definitions.ts';
export type { FeedEvent } from './operations/events.ts';
export type { Prompt, PromptQuery, PromptReply, ReplyOptions } from './operations/prompts.ts';
export type { RetentionRule, Sweep, WorkflowRetention } from './operations/retention.ts';
export type {
  CompletedResult,
  FailedResult,
  QuarantinedResult,
  RunResult,
  RunSummary,
  UnfinishedRun,
} from './operations/run-results.ts';
export type {
  ExplainedDifference,
  Explanation,
  GroupInfo,
  LiveToken,
  ReplayDifference,
  ReplayOptions,
  ReplayPage,
  RunSnapshot,
  RunStateView,
  Simulation,
  SnapshotRun,
  StateAt,
  TokenInfo,
  WhatIf,
} from './operations/run-views.ts';
export type { IfFailed, RetryOptions, RunCountOptions, RunCountView, StartOptions } from './operations/runs.ts';
export type { Audit, AuditProblem, EngineStats } from './operations/server.ts';
export type { CreatedTrigger, CreateTriggerOptions, NewTrigger, TriggerInfo } from './operations/triggers.ts';
export type { ActionInfo, FinishedTask, TaskHeartbeat } from './operations/work.ts';
export type {
  CallbackEvent,
  CallbackInfo,
  DeliveryInfo,
  DeliveryStatus,
} from './outbound/callbacks/callback.ts';
export type { NewCallback } from './outbound/callbacks/check-callback.ts';
export { type HttpTransport, ResponseTooLarge, type WireRequest, type WireResponse } from './outbound/transport.ts';
export type { SecretInfo, SecretReference, SetSecretOptions } from './secrets/secret.ts';
export { EngineFigures, type MeasuredEngine } from './telemetry/engine-figures.ts';
export { EngineMeter } from './telemetry/engine-meter.ts';
export { Exposition, type Labels } from './telemetry/exposition.ts';
export type { Span } from './telemetry/span.ts';
export { type RunFacts, spansOf } from './telemetry/spans-of.ts';
export { type TraceOptions, traceOptionsOf } from './telemetry/trace-options.ts';
export type {
  EventTrigger,
  Filter,
  FinishedTrigger,
  ManualTrigger,
  Overlap,
  ScheduleTrigger,
  TriggerDefinition,
  Verification,
  WebhookTrigger,
} from './triggers/trigger.ts';
export type { IncomingCall, ReceivedCall } from './webhooks/receiver.ts';
export type { AnnouncedAction } from './work/announcement.ts';
export type { LeaseRefusal } from './work/lease-answers.ts';
export type { WorkerInfo } from './work/seen-workers.ts';
export type { FinishAnswer, HeartbeatAnswer, ReleaseAnswer } from './work/task-reports.ts';
export type { LeasedTask } from './work/work-office.ts';
