// What every door exports: the engine's names for users.

export type { Registered } from './actor/definitions.ts';
export type { RunEvent } from './actor/observers.ts';
export type { Clock, RunQuery, Store } from './actor/ports.ts';
export { StoreError, type StoreErrorCode } from './actor/store-error.ts';
export { type Failure } from './base/failure.ts';
export { HeddleError } from './base/heddle-error.ts';
export type { Json, JsonArray, JsonObject } from './base/json.ts';
export type { Problem } from './base/problem.ts';
export type { Reply } from './core/commands.ts';
export type { Event } from './core/events.ts';
export type { TraceEvent } from './core/trace.ts';
export { classicTokenStatus } from './core/views/projections.ts';
export { isTerminal, type RunStatus } from './core/views/status.ts';
export type { TokenView, TokenViewStatus } from './core/views/tokens.ts';
export type {
  Definition,
  EdgeSynchronization,
  JsonSchema,
  MappingSource,
  MergeDefinition,
  MergeStrategy,
  NodeDefinition,
  RetryDefinition,
  SiblingSynchronization,
  SynchronizationDefinition,
  TransitionDefinition,
  WaitDefinition,
  WorkflowCall,
} from './definition/definition.ts';
export { defaultLimits, type Limits } from './definition/limits.ts';
export {
  type Action,
  type ActionContext,
  type ActionFunction,
  type ActionObject,
  type ActionSettings,
  type Actions,
  defineAction,
  type Schema,
  type TypedAction,
} from './executor/action.ts';
export { ActionError, type ActionErrorOptions } from './executor/action-error.ts';
export { InvalidActionsError, type LoadAction } from './executor/registry.ts';
export { memoryStore } from './hosts/memory/store.ts';
export type { Audit, AuditProblem } from './sdk/audit.ts';
export { type WorkflowBuilder, workflow } from './sdk/builder.ts';
export { Engine, type EngineOptions, type StartOptions } from './sdk/engine.ts';
export type { GroupInfo, Introspection, Simulation } from './sdk/introspection.ts';
export type { RetryOptions } from './sdk/retry-run.ts';
export { Run, type RunResult, type RunStateView, type RunSummary, type TokenInfo } from './sdk/run.ts';
