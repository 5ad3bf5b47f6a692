// Heddle: an engine for its users, wherever it is: in this process (`Engine`) or behind HTTP (`Client`). A program that is
// written against it does not know which of the two it has.
//
// Always true: every method is one operation, or a few, of the table; what is done is done by whoever the carrier leads to.

import type { Registered } from '../actor/definitions.ts';
import type { Published, PublishOptions } from '../actor/publication.ts';
import type { Problem } from '../base/problem.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { NodeTypeInfo } from '../dialects/catalogue/describe.ts';
import type { Unread, WorkflowDefinition } from '../dialects/dialect.ts';
import type { CallOptions, Carrier, ReadOptions } from '../operations/carrier.ts';
import { givenList, givenOptions } from '../operations/check-request.ts';
import type { DefinitionListQuery, ListedDefinition, StoredDefinition } from '../operations/definitions.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { AnswerOf, OperationName, RequestOf } from '../operations/operations.ts';
import type { NodeFiguresRequest, Overview, OverviewRequest, WorkflowNodeFigures } from '../operations/overview.ts';
import type { Paging } from '../operations/parts.ts';
import type { Prompt, PromptQuery, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunSummary } from '../operations/run-results.ts';
import {
  type RunCountOptions,
  type RunCountView,
  type RunListRequest,
  runsPerPageDefault,
  runsPerPageMax,
  type StartAnswer,
  type StartItem,
  type StartOptions,
} from '../operations/runs.ts';
import type { Audit, EngineStats } from '../operations/server.ts';
import { Drafts, orProblems } from './drafts.ts';
import { checkReading, onePage, toJson } from './given.ts';
import { Artifacts, Callbacks, Credits, Introspection, Retention, Secrets, Triggers } from './parts.ts';
import { Run, summaryFrom } from './run.ts';
import { Tasks } from './tasks.ts';

export interface RunListQuery extends Omit<RunListRequest, 'statuses'> {
  /** Default: 50. */
  readonly limit?: number;
  /** The `next` of the page before, or the id of its last run. */
  readonly after?: string;
  readonly status?: string;
  /** One of them. */
  readonly statuses?: readonly string[];
}

export interface RunListPage {
  readonly runs: readonly RunSummary[];
  /** What the next page begins after; null if this was the last. A page may be short and not be the last. */
  readonly next: string | null;
}

export interface FeedOptions extends ReadOptions {
  /** Of the runs of one workflow. */
  readonly workflow?: string;
}

export abstract class Heddle {
  readonly #carrier: Carrier;
  readonly introspection: Introspection;
  /** What organizations have to pay for their runs with. */
  readonly credits: Credits;
  /** What starts runs by itself: events, schedules, the ends of other runs. */
  readonly triggers: Triggers;
  /** Workflows that are being drawn, kept until they are published. */
  readonly drafts: Drafts;
  /** Bytes that runs hand on as references. */
  readonly artifacts: Artifacts;
  /** How long runs that have ended are kept. */
  readonly retention: Retention;
  /** For workers outside the process: they ask for tasks here, and answer. */
  readonly tasks: Tasks;
  /** Values that actions may send and nobody may see. */
  readonly secrets: Secrets;
  /** Who is told of what happens to runs, and what was told. */
  readonly callbacks: Callbacks;

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
    this.introspection = new Introspection(carrier);
    this.credits = new Credits(carrier);
    this.triggers = new Triggers(carrier);
    this.drafts = new Drafts(carrier);
    this.artifacts = new Artifacts(carrier);
    this.retention = new Retention(carrier);
    this.tasks = new Tasks(carrier);
    this.secrets = new Secrets(carrier);
    this.callbacks = new Callbacks(carrier);
  }

  /** What is wrong with a definition; nothing is stored. */
  abstract validate(definition: unknown): Promise<readonly Problem[]> | readonly Problem[];

  abstract close(options?: { readonly graceMs?: number }): Promise<void>;

  /** Any operation by its name, for what has no method here. */
  call<Name extends OperationName>(
    name: Name,
    request: RequestOf<Name>,
    options?: CallOptions,
  ): Promise<AnswerOf<Name>> {
    return this.#carrier.call(name, request, options);
  }

  /** Stores a definition as a new version, unless it has errors or is known already. */
  register(definition: WorkflowDefinition): Promise<Registered>;
  register<const Source>(definition: Source & Unread<Source>): Promise<Registered>;
  async register(definition: unknown): Promise<Registered> {
    return orProblems(this.#carrier.call('registerDefinition', { definition: toJson(definition) }));
  }

  /** Ascending by id and version: all, or a page of them, or the versions of one workflow. */
  async definitions(query: DefinitionListQuery = {}): Promise<readonly ListedDefinition[]> {
    const { id, ...page } = givenOptions('definitions', query);
    return this.#carrier.list('listDefinitions', id === undefined ? {} : { id }, page);
  }

  /** A definition as it was registered, without a version the latest. */
  definition(id: string, version?: number): Promise<StoredDefinition> {
    return this.#carrier.call('getDefinition', version === undefined ? { id } : { id, version });
  }

  /** The node types that drawn graphs can have, by type: all, or a page of them. For editors. */
  async nodeTypes(page: Paging = {}): Promise<readonly NodeTypeInfo[]> {
    return this.#carrier.list('listNodeTypes', {}, givenOptions('nodeTypes', page));
  }

  /** Starts a run; it is durable when this returns. */
  async start(workflow: string, input: unknown = {}, options: StartOptions = {}): Promise<Run> {
    const request = { ...givenOptions('start', options), workflow, input: toJson(input) };
    const { runId } = await this.#carrier.call('startRun', request);
    return new Run(this.#carrier, runId);
  }

  /**
   * Starts several runs, up to 1,000 at a time; those that were started are durable when this returns. Each has its answer in
   * its place: the id of its run, or why it was not started.
   */
  async startAll(
    starts: readonly (Omit<StartItem, 'input'> & { readonly input?: unknown })[],
  ): Promise<readonly StartAnswer[]> {
    const runs = givenList('startAll', starts).map(({ input = {}, ...start }) => ({ ...start, input: toJson(input) }));
    return (await this.#carrier.call('startRuns', { runs })).runs;
  }

  /** Resumes the runs of a snapshot (`Run.snapshot`) that this store has taken, or one it trusts; answers with their root. */
  async restore(snapshot: unknown): Promise<Run> {
    const { runId } = await this.#carrier.call('restoreRun', { snapshot: toJson(snapshot) });
    return new Run(this.#carrier, runId);
  }

  /** A handle on a run, whether it is there or not: asking it for anything tells. */
  run(runId: string): Run {
    return new Run(this.#carrier, runId);
  }

  /** Newest first, a page at a time; `after` is the last run id of the page before. */
  async runs(query: RunListQuery = {}): Promise<readonly RunSummary[]> {
    const { limit = runsPerPageDefault, ...filter } = givenOptions('runs', query);
    if (!Number.isSafeInteger(limit) || limit < 1) return (await this.runPage(query)).runs; // which refuses it
    const runs: RunSummary[] = [];
    for (let next = query.after ?? null; ; ) {
      const page = await this.runPage({
        ...filter,
        limit: limit - runs.length,
        ...(next === null ? {} : { after: next }),
      });
      for (const run of page.runs) runs.push(run);
      next = page.next;
      if (next === null || runs.length >= limit) return runs;
    }
  }

  /** Newest first, with what to continue after; takes the same time with a hundred runs and with a million. */
  async runPage(query: RunListQuery = {}): Promise<RunListPage> {
    const request = filterFrom(query);
    // A query cannot say that there is none: it would say nothing, and find all.
    if (request.statuses?.length === 0) return { runs: [], next: null };
    const { items, next } = await this.#carrier.call('listRuns', request);
    return { runs: items.map(summaryFrom), next };
  }

  /** How many runs there are of each status, of one workflow or of all; each is counted up to 10,000. */
  async countRuns(query: RunCountOptions = {}): Promise<RunCountView> {
    return this.#carrier.call('countRuns', givenOptions('countRuns', query));
  }

  /** Publishes an event: runs that wait for it resume, triggers that listen for it start runs. Durable when this returns. */
  async publish(name: string, payload?: unknown, options: PublishOptions = {}): Promise<Published> {
    const said = { ...givenOptions('publish', options), name };
    return this.#carrier.call('publishEvent', payload === undefined ? said : { ...said, payload: toJson(payload) });
  }

  /** The events of all runs in the order of their commits, from the beginning (or after a feed id), then what comes. */
  events(options: FeedOptions = {}): AsyncIterableIterator<FeedEvent> {
    const { workflow, ...reading } = givenOptions('events', options);
    return this.#carrier.read('streamEvents', workflow === undefined ? {} : { workflow }, checkReading(reading));
  }

  /** What runs ask of people now, a page at a time. */
  async prompts(query: PromptQuery = {}): Promise<readonly Prompt[]> {
    const { runId, ...page } = givenOptions('prompts', query);
    return this.#carrier.list('listPrompts', runId === undefined ? {} : { runId }, { ...onePage, ...page });
  }

  /** Answers the prompt that a secret was made for. */
  abstract reply(secret: string, payload: unknown, options?: ReplyOptions): Promise<PromptReply>;

  /** For a link: whoever has it can answer this prompt, and do nothing else. */
  async promptSecret(correlationId: string): Promise<string> {
    return (await this.#carrier.call('createPromptSecret', { correlationId })).secret;
  }

  /** What happened of late, in figures, and what is to do. */
  async overview(query: OverviewRequest = {}): Promise<Overview> {
    return this.#carrier.call('getOverview', givenOptions('overview', query));
  }

  /** How often the nodes of a workflow were visited and failed, and how long they took, in its newest runs. */
  async nodeFigures(workflow: string, query: Omit<NodeFiguresRequest, 'workflow'> = {}): Promise<WorkflowNodeFigures> {
    return this.#carrier.call('getNodeFigures', { ...givenOptions('nodeFigures', query), workflow });
  }

  /** Replays every run's journal and compares: nothing missing, nothing changed, the state that is stored. */
  audit(): Promise<Audit> {
    return this.#carrier.call('audit', {});
  }

  /** How much there is, and how large the file is. */
  stats(): Promise<EngineStats> {
    return this.#carrier.call('getStats', {});
  }

  /** Writes the file anew, as small as it can be. Everything waits meanwhile. */
  async vacuum(): Promise<void> {
    await this.#carrier.call('vacuum', {});
  }
}

/** The tenant of whoever does not speak of tenants. */
export const defaultTenant = 'default';

/** An answer goes to the tenant whose prompt it is. */
export async function replyWithSecret(
  carrier: Carrier,
  tenant: string,
  { secret, payload, options }: { readonly secret: string; readonly payload: unknown; readonly options: ReplyOptions },
): Promise<PromptReply> {
  const request = { ...givenOptions('reply', options), tenant, secret, payload: toJson(payload) };
  return carrier.call('replyWithSecret', request);
}

/** Of `status` and `statuses` what both allow; of a page no more than there may be. */
function filterFrom(query: RunListQuery): RunListRequest {
  const { status, statuses, limit, ...filter } = givenOptions('runs', query);
  const both = Array.isArray(statuses) ? statuses : undefined;
  const wanted = status === undefined ? statuses : [status].filter((one) => both?.includes(one) ?? true);
  // What is no status, no list and no number, the table refuses.
  return {
    ...filter,
    ...(limit === undefined ? {} : { limit: Number.isSafeInteger(limit) ? Math.min(limit, runsPerPageMax) : limit }),
    ...(wanted === undefined ? {} : { statuses: wanted as readonly RunStatus[] }), // the table refuses what is none
  };
}
