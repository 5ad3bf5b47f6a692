// The door for tests: virtual time, scripted actions, and the pure core as plain functions.

export { apply, emptyState } from './core/apply/apply.ts';
export { decodeState, encodeState } from './core/apply/snapshot.ts';
export type { Command } from './core/commands.ts';
export type { Effect } from './core/effects.ts';
export type { Event } from './core/events.ts';
export { type Plan, plan } from './core/planning/plan.ts';
export type { RunState } from './core/state.ts';
export type { Graph } from './definition/graph.ts';
export { compileGraph } from './dialects/compile-graph.ts';
export { parseDefinition } from './dialects/parse.ts';
export type { StandIn, StoodInCall } from './executor/registry.ts';
export { allFaults, type Fault } from './simulation/faults.ts';
export type { AskedPrompt, OutsideEvent } from './simulation/play.ts';
export { type SimulateOptions, type Simulation, simulate, type Violation } from './simulation/simulate.ts';
export type { TimelineEntry } from './simulation/timeline.ts';
export { type AttachedRun, type AttachTarget, attach, type NextRun } from './testing/attach.ts';
export { ScriptedActions, type ScriptedCall } from './testing/scripted-actions.ts';
export { createTestEngine, type TestEngine, type TestEngineOptions } from './testing/test-engine.ts';
export { VirtualClock, virtualStart } from './testing/virtual-clock.ts';
