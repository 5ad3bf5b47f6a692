// Engine: the public API. Small on purpose: register definitions, start runs, get handles on them, look, close.

import type { Registered } from '../actor/definitions.ts';
import type { Sinks } from '../actor/observers.ts';
import type { Clock, RunQuery, Store } from '../actor/ports.ts';
import type { Published, PublishOptions } from '../actor/publication.ts';
import { readOnlyError } from '../actor/refusals.ts';
import type { Problem } from '../base/problem.ts';
import { runStatuses } from '../core/views/status.ts';
import type { Unread, WorkflowDefinition } from '../definition/dialects/dialect.ts';
import type { Limits } from '../definition/limits.ts';
import type { Actions } from '../executor/action.ts';
import type { LoadAction } from '../executor/registry.ts';
import type { TriggerOffice } from '../triggers/trigger-office.ts';
import { Artifacts } from './artifacts.ts';
import { assemble } from './assemble.ts';
import { type Audit, auditStore } from './audit.ts';
import { checkOptions, refuseChoice, refuseStore } from './check-options.ts';
import { Credits } from './credits.ts';
import type { NodeExecutors } from './handle-nodes.ts';
import type { Host } from './host.ts';
import { Introspection } from './introspection.ts';
import type { NodeTypes } from './node-type.ts';
import {
  listPrompts,
  type Prompt,
  type PromptQuery,
  type PromptReply,
  promptSecret,
  type ReplyOptions,
  replyBySecret,
} from './prompts.ts';
import { checkedPublication } from './publish.ts';
import { restoreSnapshot } from './restore-snapshot.ts';
import { Run, type RunSummary, summaryOf } from './run.ts';
import type { Starter, StartOptions } from './starter.ts';
import { Triggers } from './triggers.ts';

export interface EngineOptions extends Sinks {
  readonly actions?: Actions;
  /** Actions in the form of the handle dialect, by node type. */
  readonly executors?: NodeExecutors;
  /** Actions in the form of the dataflow dialect; the ports of their nodes are checked when a graph is registered. */
  readonly nodeTypes?: NodeTypes;
  /** Asked for actions that are not among `actions`, when a node first needs one. */
  readonly loadAction?: LoadAction;
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
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
  #closing: Promise<void> | null = null;
  /** Read-only looks at runs and at what would happen to them. */
  readonly introspection: Introspection;
  /** What organizations have to pay for their runs with. */
  readonly credits: Credits;
  /** What starts runs by itself: events, schedules, the ends of other runs. */
  readonly triggers: Triggers;
  /** Bytes that runs hand on as references. */
  readonly artifacts: Artifacts;

  constructor(store: Store, options: EngineOptions) {
    checkOptions('createEngine', options, engineOptions);
    const { host, starter, office, ledger } = assemble(store, options);
    this.#host = host;
    this.#starter = starter;
    this.#office = office;
    this.triggers = new Triggers(host, office);
    this.introspection = new Introspection(host);
    this.credits = new Credits(host, ledger);
    this.artifacts = new Artifacts(host);
  }

  /** Goes on with what an earlier process left. */
  async recover(): Promise<void> {
    await this.#office.load();
    await this.#host.runner.start();
    this.#office.recover();
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
    return new Run(this.#host, await this.#starter.start(workflow, input, options));
  }

  /** Goes on with the runs of a snapshot (`Run.snapshot`), as JSON; answers with their root. */
  async restore(snapshot: unknown): Promise<Run> {
    return new Run(this.#host, await restoreSnapshot(this.#host, snapshot));
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
  async runs(query: Partial<RunQuery> = {}): Promise<readonly RunSummary[]> {
    checkOptions('runs', query, runOptions);
    refuseChoice('status', query.status, runStatuses);
    const rows = await this.#host.store.listRuns({ ...query, limit: query.limit ?? 50 });
    return rows.map(summaryOf);
  }

  /** What runs ask of people now, a page at a time. */
  prompts(query: PromptQuery = {}): Promise<readonly Prompt[]> {
    return listPrompts(this.#host, query);
  }

  /** Answers the prompt that a secret was made for. */
  reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    return replyBySecret(this.#host, secret, payload, options);
  }

  /** For a link: whoever has it can answer this prompt, and do nothing else. */
  promptSecret(correlationId: string): Promise<string> {
    return promptSecret(this.#host, correlationId);
  }

  async definitions(): Promise<
    readonly { readonly id: string; readonly version: number; readonly hash: string; readonly createdAt: number }[]
  > {
    const rows = await this.#host.store.listDefinitions();
    return rows.map(({ id, version, hash, createdAt }) => ({ id, version, hash, createdAt }));
  }

  /** Replays every run's journal and compares: nothing missing, nothing changed, the state that is stored. */
  audit(): Promise<Audit> {
    return auditStore(this.#host.store);
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
    this.#closing ??= this.#host.runner.close(graceMs);
    return this.#closing;
  }
}

/** What nobody's run publishes. */
const outside = { runId: null, depth: 0 };

const runOptions = {
  limit: 'whole',
  after: 'text',
  workflow: 'text',
  status: 'other',
  parentRunId: 'text',
  tags: 'texts',
} as const;

const engineOptions = {
  store: 'other',
  actions: 'members',
  executors: 'members',
  nodeTypes: 'members',
  loadAction: 'other',
  limits: 'other',
  clock: 'clock',
  readOnly: 'flag',
  onEvent: 'other',
  onTrace: 'other',
  onError: 'other',
} as const;
