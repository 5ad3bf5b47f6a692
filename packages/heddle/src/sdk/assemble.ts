// Assemble: the parts of an engine, put together: who hands what to whom.

import { type ActionFacts, Definitions } from '../actor/definitions.ts';
import { triggersAddress } from '../actor/finished-run.ts';
import { Observers, type TaskProgress } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { Clock, RememberStep, Store } from '../actor/ports.ts';
import { offerActions } from '../actor/recover.ts';
import { Runner } from '../actor/runner.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Reply } from '../core/commands.ts';
import { creditsAddress } from '../core/effects.ts';
import { Ledger } from '../credits/ledger.ts';
import type { PublishFor } from '../executor/attempt.ts';
import type { LocalAction } from '../executor/compile-action.ts';
import { createExecutor, type ExecutorOptions, type LocalExecutor } from '../executor/executor.ts';
import { type ArtifactsFor, TaskArtifacts } from '../executor/task-artifacts.ts';
import { stepNotRecorded } from '../executor/task-steps.ts';
import { CallbackOffice, callbacksAddress } from '../outbound/callbacks/callback-office.ts';
import { TraceOffice, tracesAddress } from '../telemetry/trace-office.ts';
import { keptDepth } from '../triggers/occasions.ts';
import { TriggerOffice } from '../triggers/trigger-office.ts';
import { WorkOffice, workAddress } from '../work/work-office.ts';
import { checkedLimits } from './check-options.ts';
import type { EngineOptions } from './engine.ts';
import { gatherActions } from './gather-actions.ts';
import type { Host } from './host.ts';
import { portsOf } from './node-type.ts';
import { checkedPublication } from './publish.ts';
import { makeReach, type Reach } from './reach.ts';
import { runIdMaker } from './run-id.ts';
import { Starter } from './starter.ts';
import { systemClock } from './system-clock.ts';
import { readMissingActions, readWorkers, Tasks } from './tasks.ts';

export interface Parts {
  readonly host: Host;
  readonly starter: Starter;
  readonly office: TriggerOffice;
  readonly ledger: Ledger;
  readonly reach: Reach;
  readonly callbacks: CallbackOffice;
  /** Null without a collector. */
  readonly traces: TraceOffice | null;
  readonly tasks: Tasks;
  /** Null without workers. */
  readonly work: WorkOffice | null;
}

/** What the executor, which is made later, knows of actions. */
const actionFacts = (executors: readonly LocalExecutor[]): ActionFacts => ({
  costOf: (action) => executors[0]?.costOf(action) ?? 0,
  actionNames: () => executors[0]?.actionNames() ?? null,
  schemas: (action) => executors[0]?.schemasOf(action),
});

export function assemble(store: Store, options: EngineOptions): Parts {
  const limits = checkedLimits(options.limits);
  const clock = options.clock ?? systemClock();
  const observers = new Observers(options);
  const { loadAction, readOnly = false } = options;
  const workers = readWorkers(options.workers);
  const actions = gatherActions(options, limits);
  const executors: LocalExecutor[] = [];
  const ports = { ...portsOf(actions) };
  const definitions = new Definitions(store, limits, { ...actionFacts(executors), nodeTypes: ports });
  const newRunId = runIdMaker(clock);
  const world = { store, clock, limits, observers };
  const reach = makeReach(world, options.http);
  const callbacks = new CallbackOffice({ ...world, ...reach, newId: newRunId });
  const traces = options.traces && !readOnly ? new TraceOffice({ ...world, definitions, ...options.traces }) : null;
  const submit: Runner['submit'] = (runId, order) => runner.submit(runId, order);
  const tell: Runner['tell'] = (runId, command) => runner.tell(runId, command);
  const onAnnounced = (names: readonly string[]) => executors[0]?.found(names);
  const announced = { announcedOnly: workers === 'announced', onAnnounced };
  const work = workers && !readOnly ? new WorkOffice({ ...world, ports, submit, tell, ...announced }) : null;
  const ledger = new Ledger({
    ...world,
    deliver: (to, message, outboxId) => runner.deliver(to, message, outboxId),
    report: (error) => observers.broken(error),
  });
  const office = new TriggerOffice({
    ...world,
    newId: newRunId,
    submit: async (runId, command) => (await submit(runId, { type: 'command', command })) as Reply, // as commands do
    start: (start) => starter.fire(start),
  });
  const publish: PublishFor = async ({ runId, trigger }, ...event) =>
    office.publish(checkedPublication(limits, event), { runId, depth: keptDepth(trigger) });
  const remember = rememberBy(submit, clock);
  const runner = new Runner({
    ...world,
    definitions,
    readOnly,
    offices: officesOf({ ledger, office, callbacks, traces, work }),
    listen: (runId, wait) => office.listen(runId, wait),
    hasFinishedListeners: (workflow) => office.hasFinishedListeners(workflow),
    makeExecutor: (report) => {
      const given = { actions, ...reach, loadAction, publish, remember, report, outside: work };
      const artifactsFor: ArtifactsFor = (task, secrets) => new TaskArtifacts(task, { store, limits }, secrets);
      const onProgress = (progress: TaskProgress) => observers.progress(progress);
      const missing = whenMissing(options, observers, () => runner);
      const executor = createExecutor({ clock, limits, ...given, artifactsFor, onProgress, ...missing });
      executors.push(executor);
      return executor;
    },
  });
  const isExecuting = (runId: string, tokenId: number) => executors.some((e) => e.isExecuting(runId, tokenId));
  const progressOf: Host['progressOf'] = (runId, tokenId) => executors[0]?.progressOf(runId, tokenId) ?? null;
  const host: Host = { ...world, definitions, runner, newRunId, isExecuting, progressOf, readOnly };
  const starter = new Starter(host);
  const localActions = () => executors[0]?.localActions() ?? new Map<string, LocalAction>();
  const tasks = new Tasks(host, { office: work, publish, localActions });
  return { host, starter, office, ledger, reach, callbacks, traces, tasks, work };
}

/** What a task of this process has finished becomes an event of its run. */
const rememberBy =
  (submit: Runner['submit'], clock: Clock): RememberStep =>
  async (task, remembered) => {
    const { runId, tokenId: token, dispatch } = task;
    const command = { type: 'task.step', at: clock.now(), token, dispatch, ...remembered } as const;
    const reply = (await submit(runId, { type: 'command', command })) as Reply; // as commands do
    if (!reply.applied) throw stepNotRecorded(remembered.step, task, reply);
  };

/** Whoever watches is told of an action that is missing, and the runs when it is found. */
function whenMissing(
  options: EngineOptions,
  observers: Observers,
  runner: () => Runner,
): Pick<ExecutorOptions, 'missingActions' | 'onMissing' | 'onFound'> {
  return {
    missingActions: readMissingActions(options.missingActions),
    onMissing({ runId, nodeId }, { code, message }) {
      const waits = `the task of node "${nodeId}" and others like it wait until an engine or a worker has it`;
      observers.broken(new HeddleError(code, `${message}; ${waits}`), { runId });
    },
    onFound: (names) => offerActions(runner(), names),
  };
}

/** By the addresses that messages to them have. */
function officesOf(parts: Pick<Parts, 'ledger' | 'office' | 'callbacks' | 'traces' | 'work'>) {
  const { ledger, office, callbacks, traces, work } = parts;
  return new Map<string, Office>([
    [creditsAddress, ledger],
    [triggersAddress, office],
    [callbacksAddress, callbacks],
    ...(traces ? [[tracesAddress, traces] as const] : []),
    ...(work ? [[workAddress, work] as const] : []),
  ]);
}
