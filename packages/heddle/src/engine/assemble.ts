// Assemble: the parts of an engine, put together: who hands what to whom.

import { type ActionFacts, Definitions } from '../actor/definitions.ts';
import { triggersAddress } from '../actor/finished-run.ts';
import { Inbox } from '../actor/inbox.ts';
import { mailAddress } from '../actor/mail/letter.ts';
import { isElsewhere, Mail } from '../actor/mail/mail.ts';
import { Observers } from '../actor/observers.ts';
import type { Office } from '../actor/office.ts';
import type { Clock, RecordWrite, Store } from '../actor/ports.ts';
import { offerActions } from '../actor/recover.ts';
import { Runner, type RunnerOptions } from '../actor/runner.ts';
import { systemClock } from '../actor/system-clock.ts';
import { Turns } from '../actor/turns.ts';
import { HeddleError } from '../base/heddle-error.ts';
import { inShard } from '../base/shard.ts';
import { creditsAddress } from '../core/effects.ts';
import { Ledger } from '../credits/ledger.ts';
import type { ActionSchemas } from '../definition/flow/known-schemas.ts';
import type { Limits } from '../definition/limits.ts';
import type { Catalogue } from '../dialects/catalogue/entry.ts';
import { catalogueOf } from '../dialects/dataflow/nodes/node-type.ts';
import type { PublishFor } from '../executor/attempt.ts';
import { createExecutor, createRegistry, type ExecutorOptions } from '../executor/executor.ts';
import type { Registry } from '../executor/registry.ts';
import { TaskArtifacts } from '../executor/task-artifacts.ts';
import { type TaskRouter } from '../executor/task-router.ts';
import { stepNotRecorded } from '../executor/task-steps.ts';
import { CallbackOffice, callbacksAddress } from '../outbound/callbacks/callback-office.ts';
import { TraceOffice, tracesAddress } from '../telemetry/trace-office.ts';
import { keptDepth } from '../triggers/occasions.ts';
import { TriggerOffice } from '../triggers/trigger-office.ts';
import { WebhookReceiver } from '../webhooks/receiver.ts';
import { WorkOffice, workAddress } from '../work/work-office.ts';
import { checkedLimits } from './check-options.ts';
import type { EngineOptions, ShardSeams } from './engine.ts';
import { gatherActions } from './gather-actions.ts';
import type { Host } from './host.ts';
import { makeOutgoing, type Outgoing } from './outgoing.ts';
import { type Reach, reachHere, reachIn } from './peers.ts';
import { checkedPublication } from './publish.ts';
import { RetentionSweeper } from './retention.ts';
import { runIdMaker } from './run-id.ts';
import { Starter } from './starter.ts';
import { readMissingActions, readWorkers, type TaskParts } from './tasks.ts';
import { Webhooks } from './webhooks.ts';

export interface Parts {
  readonly host: Host;
  readonly starter: Starter;
  readonly office: TriggerOffice;
  readonly webhooks: Webhooks;
  readonly ledger: Ledger;
  readonly outgoing: Outgoing;
  readonly callbacks: CallbackOffice;
  /** Null without a collector. */
  readonly traces: TraceOffice | null;
  readonly tasks: TaskParts;
  /** What is known of node types, here and with workers. */
  readonly nodeTypes: Catalogue;
  readonly schemas: ActionSchemas;
  readonly retention: RetentionSweeper;
  /** Of other stores, whose snapshots are believed. */
  readonly trustedSnapshotKeys: readonly string[];
  /** Null without workers. */
  readonly work: WorkOffice | null;
  /** Of a shard of a fleet. */
  readonly mail: Mail | null;
  /** Wherever the event belongs. */
  readonly publishEvent: Reach['publish'];
  /** The shard of a run, if that is another. */
  readonly elsewhere: Reach['elsewhere'];
}

/** In an order in which everything exists before it is needed: the inbox first, the runner, which works it off, last. */
export function assemble(given: Store, options: EngineOptions, seams: ShardSeams): Parts {
  const limits = checkedLimits(options.limits);
  const clock = options.clock ?? systemClock();
  const { readOnly = false, trustedSnapshotKeys = [] } = options;
  const observers = new Observers(options);
  const { peers } = seams;
  const inbox = new Inbox({ clock, limits, readOnly, ...(peers && { isElsewhere: isElsewhere(peers) }) });
  const heard = (record: RecordWrite): void => office.heard(record);
  const mail = peers && !readOnly ? new Mail({ store: given, peers, clock, observers, inbox, onRecord: heard }) : null;
  const store = mail?.store ?? given;
  const world = { store, clock, limits, observers, inbox };
  const outgoing = makeOutgoing(world, options.http);
  const { registry, nodeTypes, schemas, work } = makeActions(world, { ...options, ...seams }, outgoing);
  const definitions = new Definitions(store, limits, { ...actionFacts(registry), nodeTypes, schemas });
  const newRunId = makeIds(store, clock, seams);
  const reach = peers ? reachIn(peers) : reachHere({ store, inbox, starter: () => starter, office: () => office });
  const starter: Starter = new Starter({ ...world, definitions, newRunId }, reach.findKeeper);
  const ways = { submit: reach.submit, start: reach.fire, placement: peers?.placement };
  const office: TriggerOffice = new TriggerOffice({ ...world, ...ways, newId: newRunId });
  const publish = publishFor(reach, limits);
  const executor = executorFor(store, seams, {
    clock,
    limits,
    registry,
    vault: outgoing.vault,
    publish,
    ...reportsTo(inbox, clock),
    outside: work,
    artifactsFor: (task, secrets) => new TaskArtifacts(task, { store, limits, ...reach }, secrets),
    onProgress: (progress) => observers.progress(progress),
    ...whenMissing(world),
  });
  const ledger = makeLedger(world);
  const callbacks = new CallbackOffice({ ...world, ...outgoing, newId: newRunId, switchOff: reach.switchOffCallback });
  const traces = options.traces && !readOnly ? new TraceOffice({ ...world, definitions, ...options.traces }) : null;
  const runner = new Runner({
    ...world,
    definitions,
    executor,
    readOnly,
    offices: officesOf({ ledger, office, callbacks, traces, work, mail }),
    ...listensTo(office),
  });
  const host: Host = {
    ...world,
    definitions,
    runner,
    newRunId,
    readArtifact: reach.readArtifact,
    ...looksAt(executor),
    readOnly,
    turns: new Turns(),
  };
  const tasks = { office: work, publish, ...actionLists(registry, executor) };
  const offices = { office, webhooks: makeWebhooks(host, office, outgoing), ledger, callbacks, traces, work, mail };
  const retention = new RetentionSweeper(host, peers);
  const reached = { publishEvent: reach.publish, elsewhere: reach.elsewhere };
  const actions = { outgoing, tasks, nodeTypes, schemas };
  return { host, starter, ...offices, ...reached, ...actions, retention, trustedSnapshotKeys };
}

const publishFor =
  (reach: Reach, limits: Limits): PublishFor =>
  async ({ runId, trigger }, ...event) =>
    reach.publish(checkedPublication(limits, event), { runId, depth: keptDepth(trigger) });

function makeWebhooks(host: Host, office: TriggerOffice, { vault }: Outgoing): Webhooks {
  return new Webhooks(host, new WebhookReceiver({ ...host, office, vault, newId: host.newRunId }));
}

function makeLedger(world: World): Ledger {
  const { inbox, observers } = world;
  const deliver: Inbox['deliver'] = (to, message, outboxId) => inbox.deliver(to, message, outboxId);
  return new Ledger({ ...world, deliver, report: (error) => observers.broken(error) });
}

function makeIds({ shard = 0 }: Store, clock: Clock, { newId }: ShardSeams): () => string {
  return newId ? () => inShard(newId(), shard) : runIdMaker(clock, shard);
}

function executorFor({ shard = 0 }: Store, { crew }: ShardSeams, options: ExecutorOptions): TaskRouter {
  return crew ? crew.join(shard, options) : createExecutor(options);
}

type World = Pick<Host, 'store' | 'clock' | 'limits' | 'observers' | 'inbox'>;

/** The actions of this process and, with `workers`, those of others. */
function makeActions(world: World, options: EngineOptions & ShardSeams, { builtIns }: Outgoing) {
  const { clock, limits } = world;
  const { loadAction, standIn, readOnly = false } = options;
  const workers = readWorkers(options.workers);
  const actions = gatherActions(options, limits);
  const nodeTypes = { ...catalogueOf(actions), ...catalogueOf(options.nodeTypes ?? {}), ...options.catalogue };
  const announcedOnly = workers === 'announced';
  const work = workers && !readOnly ? new WorkOffice({ ...world, ports: nodeTypes, announcedOnly }) : null;
  const missingActions = readMissingActions(options.missingActions);
  const around = { clock, limits, actions, builtIns, loadAction, outside: work, missingActions, standIn };
  const registry = options.crew?.registry(around) ?? createRegistry(around);
  const schemas: ActionSchemas = (action) => registry.schemasOf(action);
  return { registry, nodeTypes, schemas, work };
}

const listensTo = (office: TriggerOffice): Pick<RunnerOptions, 'listen' | 'hasFinishedListeners'> => ({
  listen: (runId, wait) => office.listen(runId, wait),
  hasFinishedListeners: (workflow) => office.hasFinishedListeners(workflow),
});

const looksAt = (executor: TaskRouter): Pick<Host, 'isExecuting' | 'progressOf'> => ({
  isExecuting: (runId, tokenId) => executor.isExecuting(runId, tokenId),
  progressOf: (runId, tokenId) => executor.progressOf(runId, tokenId),
});

const actionFacts = (registry: Registry): ActionFacts => ({
  costOf: (action) => registry.costOf(action),
  actionNames: () => registry.names(),
});

const actionLists = (registry: Registry, executor: TaskRouter): Pick<TaskParts, 'localActions' | 'missingActions'> => ({
  localActions: () => registry.listKnown(),
  missingActions: () => executor.missingActions,
});

/** What a task of this process came to, and the steps that it has finished, become events of its run. */
const reportsTo = (inbox: Inbox, clock: Clock): Pick<ExecutorOptions, 'report' | 'remember'> => ({
  report: inbox.report,
  async remember(task, remembered) {
    const { runId, tokenId: token, dispatch } = task;
    const reply = await inbox.command(runId, { type: 'task.step', at: clock.now(), token, dispatch, ...remembered });
    if (!reply.applied) throw stepNotRecorded(remembered.step, task, reply);
  },
});

/** Whoever watches is told of an action that is missing, and the runs when it is found. */
const whenMissing = (world: World): Pick<ExecutorOptions, 'onMissing' | 'onFound'> => ({
  onMissing({ runId, nodeId }, { code, message }) {
    const waits = `the task of node "${nodeId}" and others like it wait until an engine or a worker has it`;
    world.observers.broken(new HeddleError(code, `${message}; ${waits}`), { runId });
  },
  onFound: (names) => offerActions(world, names),
});

/** By the addresses that messages to them have. */
function officesOf(parts: Pick<Parts, 'ledger' | 'office' | 'callbacks' | 'traces' | 'work' | 'mail'>) {
  const { ledger, office, callbacks, traces, work, mail } = parts;
  return new Map<string, Office>([
    [creditsAddress, ledger],
    [triggersAddress, office],
    [callbacksAddress, callbacks],
    ...(traces ? [[tracesAddress, traces] as const] : []),
    ...(work ? [[workAddress, work] as const] : []),
    ...(mail ? [[mailAddress, mail.outgoing] as const] : []),
  ]);
}
