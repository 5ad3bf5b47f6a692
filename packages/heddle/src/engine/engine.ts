// Engine: the public API. Small on purpose: register definitions, start runs, get handles on them, look, close.

import type { Registered } from '../actor/definitions.ts';
import type { Sinks, TaskProgress } from '../actor/observers.ts';
import type { Clock, Store } from '../actor/ports.ts';
import type { Published, PublishOptions } from '../actor/publication.ts';
import { readOnlyError } from '../actor/refusals.ts';
import type { Problem } from '../base/problem.ts';
import type { Limits } from '../definition/limits.ts';
import type { NodeTypes } from '../dialects/dataflow/nodes/node-type.ts';
import type { Unread, WorkflowDefinition } from '../dialects/dialect.ts';
import type { NodeExecutors } from '../dialects/handle/nodes/node-executor.ts';
import type { Actions } from '../executor/action.ts';
import type { LoadAction, MissingActions } from '../executor/registry.ts';
import type { DefinitionListQuery, DefinitionSummary, StoredDefinition } from '../operations/definitions.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { Prompt, PromptQuery, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RunCountOptions, RunCountView, StartOptions } from '../operations/runs.ts';
import type { Audit, EngineStats } from '../operations/server.ts';
import type { CallbackOffice } from '../outbound/callbacks/callback-office.ts';
import type { TraceOffice } from '../telemetry/trace-office.ts';
import type { TraceOptions } from '../telemetry/trace-options.ts';
import type { TriggerOffice } from '../triggers/trigger-office.ts';
import { WebhookReceiver } from '../webhooks/receiver.ts';
import type { WorkOffice } from '../work/work-office.ts';
import { Artifacts } from './artifacts.ts';
import { assemble } from './assemble.ts';
import { auditStore } from './audit.ts';
import { Callbacks, countPendingDeliveries } from './callbacks.ts';
import { checkOptions, refuseStore } from './check-options.ts';
import { Credits } from './credits.ts';
import { type FeedOptions, newestFeedId, readFeed } from './feed.ts';
import type { Host } from './host.ts';
import { Introspection } from './introspection.ts';
import { findBySecret, listPrompts, promptSecret, replyBySecret } from './prompts.ts';
import { checkedPublication } from './publish.ts';
import type { HttpOptions, Reach } from './reach.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { Retention } from './retention.ts';
import { Run } from './run.ts';
import { countRuns, listRuns, pageRuns, type RunListPage, type RunListQuery } from './run-lists.ts';
import { Secrets } from './secrets.ts';
import { snapshotKeyOf } from './snapshot-seal.ts';
import type { Starter } from './starter.ts';
import { findStored, listStored } from './stored-definitions.ts';
import type { Tasks } from './tasks.ts';
import { Triggers } from './triggers.ts';
import { backUp, readStats, vacuum } from './upkeep.ts';
import { Webhooks } from './webhooks.ts';

export interface EngineOptions extends Sinks {
  readonly actions?: Actions;
  /** Actions in the form of the handle dialect, by node type. */
  readonly executors?: NodeExecutors;
  /** Actions in the form of the dataflow dialect; the ports of their nodes are checked when a graph is registered. */
  readonly nodeTypes?: NodeTypes;
  /** Asked for actions that are not among `actions`, when a node first needs one. */
  readonly loadAction?: LoadAction;
  /**
   * Tasks of actions that are not here wait for workers outside the process (`engine.tasks`), and do not fail;
   * `announced`: only of actions that a worker has announced.
   */
  readonly workers?: boolean | 'announced';
  /**
   * What becomes of tasks whose action nobody has: they wait until an engine, a worker or `loadAction` has it, or fail with
   * `ACTION_NOT_FOUND`. Default: `wait`.
   */
  readonly missingActions?: MissingActions;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** Where `http.request` and callbacks may connect to besides public addresses, and how. */
  readonly http?: HttpOptions;
  /** Where spans of runs that have ended are sent, as OpenTelemetry has them. */
  readonly traces?: TraceOptions;
  /** Keys of other stores (`Engine.snapshotKey`) whose snapshots `restore` believes like those of its own store. */
  readonly trustedSnapshotKeys?: readonly string[];
  /** For looking at a store that another process writes to: nothing is recovered, started or changed. */
  readonly readOnly?: boolean;
}

/** Opens an engine on a store. */
export async function openEngine(store: Store, options: EngineOptions = {}): Promise<Engine> {
  refuseStore(store);
  const engine = new Engine(store, options);
  try {
    if (!options.readOnly) await engine.recover();
  } catch (error) {
    // RV3: nothing is left at work, and the store is free.
    await engine.close({ graceMs: 0 });
    throw error;
  }
  return engine;
}

export class Engine {
  readonly #host: Host;
  readonly #starter: Starter;
  readonly #office: TriggerOffice;
  readonly #work: WorkOffice | null;
  readonly #reach: Reach;
  readonly #callbacks: CallbackOffice;
  readonly #traces: TraceOffice | null;
  readonly #trustedSnapshotKeys: readonly string[];
  #closing: Promise<void> | null = null;
  /** Read-only looks at runs and at what would happen to them. */
  readonly introspection: Introspection;
  /** What organizations have to pay for their runs with. */
  readonly credits: Credits;
  /** What starts runs by itself: events, schedules, the ends of other runs. */
  readonly triggers: Triggers;
  /** Bytes that runs hand on as references. */
  readonly artifacts: Artifacts;
  /** How long runs that have ended are kept. */
  readonly retention: Retention;
  /** For workers outside the process: they ask for tasks here, and answer. */
  readonly tasks: Tasks;
  /** Values that actions may send and nobody may see. */
  readonly secrets: Secrets;
  /** Where calls from outside come in, for triggers of type webhook. */
  readonly webhooks: Webhooks;
  /** Who is told of what happens to runs, and what was told. */
  readonly callbacks: Callbacks;

  constructor(store: Store, options: EngineOptions) {
    checkOptions('createEngine', options, engineOptions);
    const { host, starter, office, ledger, reach, callbacks, traces, tasks, work } = assemble(store, options);
    this.#host = host;
    this.#trustedSnapshotKeys = options.trustedSnapshotKeys ?? [];
    this.#starter = starter;
    this.#office = office;
    this.#work = work;
    this.tasks = tasks;
    this.triggers = new Triggers(host, office);
    this.introspection = new Introspection(host);
    this.credits = new Credits(host, ledger);
    this.artifacts = new Artifacts(host);
    this.retention = new Retention(host);
    this.#reach = reach;
    this.secrets = new Secrets(host, reach.vault);
    const receiver = new WebhookReceiver({ ...host, office, vault: reach.vault, newId: host.newRunId });
    this.webhooks = new Webhooks(host, receiver);
    this.#callbacks = callbacks;
    this.#traces = traces;
    this.callbacks = new Callbacks(host, callbacks);
  }

  /** Goes on with what an earlier process left. */
  async recover(): Promise<void> {
    await this.#office.load();
    await this.#callbacks.load();
    await this.#traces?.load();
    await this.#work?.load();
    await this.#host.runner.start();
    this.#work?.recover();
    this.#office.recover();
    this.#callbacks.recover();
    this.#traces?.recover();
    void this.retention.start();
  }

  /** Stores a definition as a new version, unless it has errors or is known already. */
  register(definition: WorkflowDefinition): Promise<Registered>;
  register<const Source>(definition: Source & Unread<Source>): Promise<Registered>;
  async register(definition: unknown): Promise<Registered> {
    if (this.#host.readOnly) throw readOnlyError();
    return this.#host.definitions.register(definition, this.#host.clock.now());
  }

  /** What is wrong with a definition; nothing is stored. */
  validate(definition: unknown): readonly Problem[] {
    return this.#host.definitions.parse(definition).problems;
  }

  /** Starts a run; it is durable when this returns. */
  async start(workflow: string, input: unknown = {}, options: StartOptions = {}): Promise<Run> {
    if (this.#host.readOnly) throw readOnlyError();
    return new Run(this.#host, await this.#starter.start(workflow, input, options));
  }

  /** Resumes the runs of a snapshot (`Run.snapshot`) that this store has taken, or one it trusts; answers with their root. */
  async restore(snapshot: unknown): Promise<Run> {
    if (this.#host.readOnly) throw readOnlyError();
    return new Run(this.#host, await restoreSnapshot(this.#host, snapshot, this.#trustedSnapshotKeys));
  }

  /** What this store seals snapshots with, for `trustedSnapshotKeys` of an engine on another store. Keep it secret. */
  snapshotKey(): Promise<string> {
    return snapshotKeyOf(this.#host.store);
  }

  /** Publishes an event: runs that wait for it go on, triggers that listen for it start runs. Durable when this returns. */
  async publish(name: string, payload?: unknown, options?: PublishOptions): Promise<Published> {
    if (this.#host.readOnly) throw readOnlyError();
    return this.#office.publish(checkedPublication(this.#host.limits, [name, payload, options]), outside);
  }

  /** A handle on a run, whether it is there or not: asking it for anything tells. */
  run(runId: string): Run {
    return new Run(this.#host, runId);
  }

  /** Newest first, a page at a time; `after` is the last run id of the page before. */
  runs(query: RunListQuery = {}): Promise<readonly RunSummary[]> {
    return listRuns(this.#host.store, query);
  }

  /** Newest first, with what to go on after; takes the same time with a hundred runs and with a million. */
  runPage(query: RunListQuery = {}): Promise<RunListPage> {
    return pageRuns(this.#host.store, query);
  }

  /** How many runs there are of each status, of one workflow or of all; each is counted up to 10,000. */
  countRuns(query: RunCountOptions = {}): Promise<RunCountView> {
    return countRuns(this.#host.store, query);
  }

  /** The events of all runs in the order of their commits, from the beginning (or after a feed id), then what comes. */
  events(options: FeedOptions = {}): AsyncIterableIterator<FeedEvent> {
    checkOptions('events', options, { after: 'text', follow: 'flag', workflow: 'text', signal: 'other' });
    return readFeed(this.#host, options);
  }

  /** The feed id of the newest event, to hear only what comes after it. */
  newestEvent(): Promise<string> {
    return newestFeedId(this.#host);
  }

  /** Calls back when a task tells how far it is; what it answers with ends that. Not journaled, and not told again. */
  watchProgress(listener: (progress: TaskProgress) => void): () => void {
    return this.#host.observers.watchProgress(listener);
  }

  /** What runs ask of people now, a page at a time. */
  prompts(query: PromptQuery = {}): Promise<readonly Prompt[]> {
    return listPrompts(this.#host, query);
  }

  /** Answers the prompt that a secret was made for. */
  async reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    if (this.#host.readOnly) throw readOnlyError();
    return replyBySecret(this.#host, secret, payload, options);
  }

  /** Refuses a secret that no prompt has: for servers, before they read an answer. */
  async checkPromptSecret(secret: string): Promise<void> {
    await findBySecret(this.#host, secret);
  }

  /** For a link: whoever has it can answer this prompt, and do nothing else. */
  promptSecret(correlationId: string): Promise<string> {
    return promptSecret(this.#host, correlationId);
  }

  /** Ascending by id and version: all, or a page of them, or the versions of one workflow. */
  definitions(query: DefinitionListQuery = {}): Promise<readonly DefinitionSummary[]> {
    return listStored(this.#host.store, query);
  }

  /** A definition as it was registered, without a version the latest. */
  definition(id: string, version?: number): Promise<StoredDefinition> {
    return findStored(this.#host.store, id, version);
  }

  /** Replays every run's journal and compares: nothing missing, nothing changed, the state that is stored. */
  audit(): Promise<Audit> {
    return auditStore(this.#host.store);
  }

  /** How much there is, and how large the file is. */
  stats(): Promise<EngineStats> {
    return readStats(this.#host);
  }

  /** Writes a copy to another path, with its artifacts and its key, while everything goes on; it can be opened as a store. */
  backup(path: string): Promise<void> {
    return backUp(this.#host, path);
  }

  /** Writes the file anew, as small as it can be. Everything waits meanwhile. */
  vacuum(): Promise<void> {
    return vacuum(this.#host);
  }

  /** How many deliveries to callbacks are to be sent, or sent again; of each callback up to 100 are counted. */
  pendingDeliveries(): Promise<number> {
    return countPendingDeliveries(this.#host);
  }

  /** Spans that a collector has taken, and has refused for good, since the engine was opened; null without `traces`. */
  get spanCounts(): { readonly exported: number; readonly dropped: number } | null {
    return this.#traces?.counts ?? null;
  }

  /** Those it goes by. */
  get limits(): Limits {
    return this.#host.limits;
  }

  /** Whether nothing waits to be decided or stored; actions may be under way. */
  get isIdle(): boolean {
    return this.#host.runner.isIdle;
  }

  /** When nothing waits to be decided or stored; actions may be under way. */
  whenIdle(): Promise<void> {
    return this.#host.runner.whenIdle();
  }

  /** Lets actions that are under way finish for `graceMs`, then aborts them; the next engine hands them out again. */
  close({ graceMs = 5_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    this.#closing ??= this.#shutDown(graceMs).finally(() => this.#reach.client?.close());
    return this.#closing;
  }

  async #shutDown(graceMs: number): Promise<void> {
    // A sweep that is under way ends with its step, before the store is closed.
    const sweeping = this.retention.close();
    if (sweeping) await sweeping;
    await this.#host.runner.close(graceMs);
  }
}

/** What nobody's run publishes. */
const outside = { runId: null, depth: 0 };

const engineOptions = {
  store: 'other',
  actions: 'members',
  executors: 'members',
  nodeTypes: 'members',
  loadAction: 'other',
  workers: 'other',
  missingActions: 'other',
  limits: 'other',
  clock: 'clock',
  http: 'other',
  trustedSnapshotKeys: 'list',
  readOnly: 'flag',
  onEvent: 'other',
  onCommit: 'other',
  onTrace: 'other',
  traces: 'other',
  onProgress: 'other',
  onError: 'other',
} as const;
