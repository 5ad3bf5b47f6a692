// What every door exports: the engine's names for users.

export type { Registered } from './actor/definitions.ts';
export type { RunEvent } from './actor/observers.ts';
export type { Clock, RunQuery, Store } from './actor/ports.ts';
export { StoreError } from './actor/store-error.ts';
export { type Failure } from './base/failure.ts';
export { HeddleError } from './base/heddle-error.ts';
export type { Json, JsonArray, JsonObject } from './base/json.ts';
export type { Problem } from './base/problem.ts';
export type { Reply } from './core/commands.ts';
export type { TraceEvent } from './core/trace.ts';
export { classicTokenStatus } from './core/views/projections.ts';
export { isTerminal, type RunStatus } from './core/views/status.ts';
export type { TokenView, TokenViewStatus } from './core/views/tokens.ts';
export type {
  Definition,
  MergeStrategy,
  NodeDefinition,
  RetryDefinition,
  SynchronizationDefinition,
  TransitionDefinition,
} from './definition/definition.ts';
export { defaultLimits, type Limits } from './definition/limits.ts';
export { type Action, type ActionContext, type Actions, defineAction } from './executor/action.ts';
export { ActionError } from './executor/action-error.ts';
export { memoryStore } from './hosts/memory/store.ts';
export type { Audit, AuditProblem } from './sdk/audit.ts';
export { type WorkflowBuilder, workflow } from './sdk/builder.ts';
export { Engine, type EngineOptions, type StartOptions } from './sdk/engine.ts';
export type { GroupInfo, Introspection, Simulation } from './sdk/introspection.ts';
export { Run, type RunResult, type RunStateView, type RunSummary, type TokenInfo } from './sdk/run.ts';
