// Client: an engine elsewhere, asked over HTTP. It has what an engine in this process has, so that a program can be moved
// from the one to the other by changing one line.

import type { Registered } from '../actor/definitions.ts';
import type { Published, PublishOptions } from '../actor/publication.ts';
import { copyToJson } from '../base/check-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Problem } from '../base/problem.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { Heddle, RunHandle } from '../engine/api.ts';
import { checkOptions, refuseTexts } from '../engine/check-options.ts';
import type { FeedOptions } from '../engine/feed.ts';
import { checkedPublication } from '../engine/publish.ts';
import { snapshotJson } from '../engine/restore-snapshot.ts';
import {
  type RunListPage,
  type RunListQuery,
  runListOptions,
  runsPerPageDefault,
  runsPerPageMax,
} from '../engine/run-lists.ts';
import { startOptions } from '../engine/starter.ts';
import type { DefinitionListQuery, DefinitionSummary, StoredDefinition } from '../operations/definitions.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { Paging } from '../operations/parts.ts';
import type { Prompt, PromptQuery, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunSummary } from '../operations/run-results.ts';
import type { RunCountOptions, RunCountView, RunFilter, StartOptions } from '../operations/runs.ts';
import type { Audit } from '../operations/server.ts';
import { eachItem, everyItem } from './pages.ts';
import { readStream } from './read-stream.ts';
import { RemoteCallbacks, RemoteRetention, RemoteSecrets } from './remote-outside.ts';
import { RemoteArtifacts, RemoteCredits, RemoteIntrospection, RemoteTriggers } from './remote-parts.ts';
import { RemoteRun, summaryOf } from './remote-run.ts';
import { RemoteTasks } from './remote-tasks.ts';
import { sentJson, sentLimits } from './sent-json.ts';
import { Transport, type TransportOptions } from './transport.ts';

/** An engine behind HTTP. */
export function connect(options: TransportOptions): Client {
  checkOptions('connect', options, { url: 'text', key: 'text', fetch: 'other', retries: 'other' });
  return new Client(new Transport(options));
}

export class Client implements Heddle {
  /** For what has no method here: every operation of the API by its name. */
  readonly transport: Transport;
  readonly introspection: RemoteIntrospection;
  readonly credits: RemoteCredits;
  readonly triggers: RemoteTriggers;
  readonly artifacts: RemoteArtifacts;
  readonly tasks: RemoteTasks;
  readonly secrets: RemoteSecrets;
  readonly callbacks: RemoteCallbacks;
  readonly retention: RemoteRetention;

  constructor(transport: Transport) {
    this.transport = transport;
    this.introspection = new RemoteIntrospection(transport);
    this.credits = new RemoteCredits(transport);
    this.triggers = new RemoteTriggers(transport);
    this.artifacts = new RemoteArtifacts(transport);
    this.tasks = new RemoteTasks(transport);
    this.secrets = new RemoteSecrets(transport);
    this.callbacks = new RemoteCallbacks(transport);
    this.retention = new RemoteRetention(transport);
  }

  async register(definition: unknown): Promise<Registered> {
    const { json, problems } = jsonOf(definition);
    if (json === undefined) return refused(problems);
    try {
      return await this.transport.call('registerDefinition', { definition: json });
    } catch (error) {
      if (!(error instanceof HeddleError) || error.code !== 'DEFINITION_INVALID') throw error;
      const { id = null } = (error.details ?? {}) as { readonly id?: string | null }; // as the server says it
      return { ...refused(error.problems), id };
    }
  }

  async validate(definition: unknown): Promise<readonly Problem[]> {
    const { json, problems } = jsonOf(definition);
    return json === undefined
      ? problems
      : (await this.transport.call('validateDefinition', { definition: json })).problems;
  }

  async definitions({ limit, ...query }: DefinitionListQuery = {}): Promise<readonly DefinitionSummary[]> {
    checkOptions('definitions', { ...query, limit }, { id: 'text', after: 'text', limit: 'whole' });
    const ask = (page: Paging) => this.transport.call('listDefinitions', { ...query, ...page });
    return limit === undefined ? everyItem(ask) : (await ask({ ...query, limit })).items;
  }

  async definition(id: string, version?: number): Promise<StoredDefinition> {
    refuseTexts([['the workflow', id]]);
    return this.transport.call('getDefinition', version === undefined ? { id } : { id, version });
  }

  async start(workflow: string, input: unknown = {}, options: StartOptions = {}): Promise<RunHandle> {
    const json = sentJson(input, 'input');
    checkOptions('start', options, startOptions);
    refuseTexts([['the workflow', workflow]]);
    return this.run((await this.transport.call('startRun', { ...options, workflow, input: json })).runId);
  }

  async restore(snapshot: unknown): Promise<RunHandle> {
    return this.run((await this.transport.call('restoreRun', { snapshot: snapshotJson(snapshot, sentLimits) })).runId);
  }

  run(runId: string): RunHandle {
    return new RemoteRun(this.transport, runId);
  }

  async runs(query: RunListQuery = {}): Promise<readonly RunSummary[]> {
    const { limit = runsPerPageDefault, ...filter } = query;
    const runs: RunSummary[] = [];
    for (let after = query.after; runs.length < limit; ) {
      const more = { ...filter, limit: Math.min(limit - runs.length, runsPerPageMax), ...(after ? { after } : {}) };
      const page = await this.runPage(more);
      for (const run of page.runs) runs.push(run);
      if (page.next === null) break;
      after = page.next;
    }
    return runs;
  }

  async runPage(query: RunListQuery = {}): Promise<RunListPage> {
    const request = requestOf(query);
    // A query cannot say that there is none: it would say nothing, and find all.
    if (request.statuses?.length === 0) return { runs: [], next: null };
    const { items, next } = await this.transport.call('listRuns', request);
    return { runs: items.map(summaryOf), next };
  }

  countRuns(query: RunCountOptions = {}): Promise<RunCountView> {
    return this.transport.call('countRuns', query);
  }

  async prompts(query: PromptQuery = {}): Promise<readonly Prompt[]> {
    checkOptions('prompts', query, { runId: 'text', after: 'text', limit: 'whole' });
    return (await this.transport.call('listPrompts', query)).items;
  }

  async promptSecret(correlationId: string): Promise<string> {
    refuseTexts([['the correlation id', correlationId]]);
    return (await this.transport.call('createPromptSecret', { correlationId })).secret;
  }

  async reply(secret: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    checkOptions('reply', options, { key: 'text' });
    refuseTexts([['the secret', secret]]);
    const { tenant } = await this.transport.call('whoAmI', {});
    return this.transport.call('replyWithSecret', {
      ...options,
      tenant,
      secret,
      payload: sentJson(payload, 'payload'),
    });
  }

  async publish(name: string, payload?: unknown, options?: PublishOptions): Promise<Published> {
    const { event, ttlMs: _, ...publication } = checkedPublication(sentLimits, [name, payload, options]);
    const ttl = options?.ttlMs === undefined ? {} : { ttlMs: options.ttlMs };
    return this.transport.call('publishEvent', { ...publication, ...ttl, name: event });
  }

  /** The events of all runs in the order of their commits, from the beginning (or after a feed id), then what comes. */
  async *events(options: FeedOptions = {}): AsyncIterableIterator<FeedEvent> {
    checkOptions('events', options, { after: 'text', follow: 'flag', workflow: 'text', signal: 'other' });
    const { after = 'start', follow = true, signal, ...where } = options;
    if (!follow) {
      const ask = (page: Paging) => this.transport.call('listEvents', { ...where, ...page });
      yield* eachItem(ask, after === 'start' ? {} : { after });
      return;
    }
    const open = (from: string = after) => this.transport.open('streamEvents', { ...where, after: from }, { signal });
    for await (const { name, data } of readStream(open, after)) {
      if (name === 'message') yield JSON.parse(data) as FeedEvent; // as the server wrote it
    }
  }

  audit(): Promise<Audit> {
    return this.transport.call('audit', {});
  }

  stats() {
    return this.transport.call('getStats', {});
  }

  async vacuum(): Promise<void> {
    await this.transport.call('vacuum', {});
  }

  /** A copy where the server keeps them; answers with its name. */
  async backup(): Promise<string> {
    return (await this.transport.call('backUp', {})).file;
  }

  /** There is nothing to close: connections end by themselves. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Of `status` and `statuses` what both allow. */
function requestOf(query: RunListQuery): RunFilter & Paging {
  checkOptions('runs', query, runListOptions);
  const { status, statuses, ...filter } = query;
  const wanted = status === undefined ? statuses : [status].filter((one) => statuses?.includes(one) ?? true);
  // What is no status, the server refuses.
  return wanted === undefined ? filter : { ...filter, statuses: wanted as readonly RunStatus[] };
}

const refused = (problems: readonly Problem[]): Registered => ({
  problems,
  id: null,
  version: null,
  hash: null,
  isNew: false,
});

/** What is no JSON cannot be sent: what is wrong with it is told as an engine tells it. */
function jsonOf(definition: unknown): { readonly json?: Json; readonly problems: readonly Problem[] } {
  const bounds = {
    bytesMax: Number.MAX_SAFE_INTEGER,
    depthMax: sentLimits.jsonDepthMax,
    limitName: 'definitionBytesMax',
  };
  const copied = copyToJson(definition, bounds);
  if (copied.ok) return { json: copied.value, problems: [] };
  const { code, pointer, message } = copied;
  return { problems: [{ severity: 'error', code, pointer, message }] };
}
