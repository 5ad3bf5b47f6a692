// What the executor's tests share: tasks made of a few words, and an executor that notes what it reports.

import type { Task, TaskOutcome } from '../actor/ports.ts';
import type { Failure } from '../base/failure.ts';
import type { Unavailable } from '../core/commands.ts';
import { defaultLimits, type Limits } from '../definition/limits.ts';
import { memoryStore } from '../hosts/memory/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { createExecutor, createRegistry, type ExecutorOptions } from './executor.ts';
import type { RegistryOptions } from './registry.ts';
import { TaskArtifacts } from './task-artifacts.ts';

export function makeTask(fields: Partial<Task> = {}): Task {
  const { runId = 'run-1', tokenId = 1 } = fields;
  return {
    runId,
    tokenId,
    nodeId: 'node',
    workflow: 'flow',
    version: 1,
    action: 'work',
    actionVersion: null,
    input: {},
    attempt: 1,
    dispatch: 1,
    idempotencyKey: `${runId}/${tokenId}`,
    timeoutMs: null,
    limits: defaultLimits,
    trigger: null,
    artifactRuns: [runId],
    ...fields,
  };
}

export type Reported = readonly [task: string, outcome: TaskOutcome | Unavailable];

export type TestOptions = Partial<ExecutorOptions & RegistryOptions> & { readonly limit?: Partial<Limits> };

export function makeExecutor({ limit, ...options }: TestOptions = {}) {
  const clock = new VirtualClock();
  const reports: Reported[] = [];
  const report = (task: Task, outcome: TaskOutcome | Unavailable) => {
    reports.push([`${task.runId}/${task.tokenId}`, outcome]);
  };
  const store = memoryStore();
  const limits = { ...defaultLimits, ...limit };
  const registry = createRegistry({ clock, limits, ...options });
  const executor = createExecutor({
    clock,
    report,
    artifactsFor: (task, secrets) => new TaskArtifacts(task, { store, limits }, secrets),
    limits,
    registry,
    ...options,
  });
  return { clock, executor, registry, reports };
}

/** Runs one task to its end and answers with what was reported. */
export async function runOne(task: Partial<Task>, options: TestOptions = {}): Promise<TaskOutcome> {
  const { clock, executor, reports } = makeExecutor(options);
  executor.dispatch(makeTask(task));
  await clock.settle();
  if (reports.length !== 1) throw new Error(`Expected one report, but found ${reports.length}`);
  return (reports[0] as Reported)[1] as TaskOutcome; // it waits for no action
}

export function failureOf(outcome: TaskOutcome | Unavailable): Failure {
  if (outcome.type !== 'failed') throw new Error(`Expected a failure, but found ${JSON.stringify(outcome)}`);
  return outcome.failure;
}

export function completed(output: unknown): unknown {
  return { type: 'completed', output };
}

/** A promise to be settled from outside. */
export function makePromise<T = unknown>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
