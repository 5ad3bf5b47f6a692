// Remote run: the handle on a run of an engine elsewhere. It holds nothing but the id.

import type { RunEvent } from '../actor/observers.ts';
import type { RunTraceEvent } from '../actor/trace-log.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import type { Instead } from '../core/replay/replace-fact.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { RunHandle } from '../engine/api.ts';
import { checkOptions, refuseTexts } from '../engine/check-options.ts';
import { whatIfKinds } from '../engine/explanation.ts';
import { type ReadOptions, readOptions } from '../engine/read-events.ts';
import { retryOptions } from '../engine/retry-run.ts';
import { type AfterEvent, tokensPerPage } from '../operations/inside.ts';
import type { OneRun, Paging } from '../operations/parts.ts';
import type { Prompt, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunResult, RunSummary } from '../operations/run-results.ts';
import type {
  Explanation,
  ReplayOptions,
  ReplayPage,
  RunStateView,
  TokenInfo,
  WhatIf,
} from '../operations/run-views.ts';
import type { RetryOptions } from '../operations/runs.ts';
import { eachItem, everyItem } from './pages.ts';
import { readStream } from './read-stream.ts';
import { sentJson } from './sent-json.ts';
import type { Transport } from './transport.ts';

/** How long one request waits for the end of a run, before another asks again. */
const waitMs = 30_000;

export class RemoteRun implements RunHandle {
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    refuseTexts([['the id of a run', id]]);
    this.#transport = transport;
    this.id = id;
  }

  get #run(): OneRun {
    return { runId: this.id };
  }

  async result<Output = Json>(options: { readonly signal?: AbortSignal } = {}): Promise<RunResult<Output>> {
    checkOptions('result', options, { signal: 'other' });
    const { signal } = options;
    for (;;) {
      const answer = await this.#transport.call('waitForRun', { ...this.#run, waitMs }, { signal });
      const { ended, runId, status, output, error } = answer;
      // As the engine there made it; the caller says what the output is.
      if (ended) return { runId, status, output, error } as RunResult<Output>;
    }
  }

  async status(): Promise<RunStatus> {
    return (await this.summary()).status;
  }

  async summary(): Promise<RunSummary> {
    return summaryOf(await this.#transport.call('getRun', this.#run));
  }

  state(): Promise<RunStateView> {
    return this.#transport.call('getState', this.#run);
  }

  stateAt(eventId: string) {
    return this.#transport.call('getStateAt', { ...this.#run, eventId });
  }

  async explain(eventId: string, whatIf: WhatIf = {}): Promise<Explanation> {
    checkOptions('explain', whatIf, whatIfKinds);
    refuseTexts([['the id of an event', eventId]]);
    const { definition, instead, state } = whatIf;
    return this.#transport.call('explainEvent', {
      ...this.#run,
      eventId,
      ...sentDefinition(definition),
      ...(instead === undefined ? {} : { instead: sentJson(instead, 'instead') as Instead }), // what it is, the server says
      ...(state === undefined ? {} : { state: sentJson(state, 'state') as JsonObject }), // and whether it is one
    });
  }

  async replay(options: ReplayOptions = {}): Promise<ReplayPage> {
    checkOptions('replay', options, { definition: 'other', after: 'text' });
    const { definition, after } = options;
    return this.#transport.call('replayRun', {
      ...this.#run,
      ...sentDefinition(definition),
      ...(after === undefined ? {} : { after }),
    });
  }

  execution() {
    return this.#transport.call('getExecution', this.#run);
  }

  dataflow() {
    return this.#transport.call('getDataflow', this.#run);
  }

  threads() {
    return this.#transport.call('getThreads', this.#run);
  }

  snapshot() {
    return this.#transport.call('getSnapshot', this.#run);
  }

  nodes() {
    return everyItem((page) => this.#transport.call('listNodes', { ...this.#run, ...page }));
  }

  tokens(): Promise<readonly TokenInfo[]> {
    const ask = (page: Paging) => this.#transport.call('listTokens', { ...this.#run, ...page });
    return everyItem(ask, { perRequest: tokensPerPage });
  }

  events(options: ReadOptions = {}): AsyncIterableIterator<RunEvent> {
    checkOptions('events', options, readOptions);
    if (options.follow ?? true) return this.#follow<RunEvent>('streamRunEvents', options);
    return eachItem((page) => this.#transport.call('listRunEvents', { ...this.#run, ...page }), options);
  }

  trace(options: ReadOptions = {}): AsyncIterableIterator<RunTraceEvent> {
    checkOptions('trace', options, readOptions);
    if (options.follow ?? true) return this.#follow<RunTraceEvent>('streamRunTrace', options);
    return eachItem((page) => this.#transport.call('listRunTrace', { ...this.#run, ...page }), options);
  }

  async *#follow<Sent>(
    operation: 'streamRunEvents' | 'streamRunTrace',
    { after, signal }: ReadOptions,
  ): AsyncGenerator<Sent> {
    const open = (from: string | undefined) => {
      const request: AfterEvent = from === undefined ? this.#run : { ...this.#run, after: from };
      return this.#transport.open(operation, request, { signal });
    };
    for await (const { name, data } of readStream(open, after)) {
      if (name === 'message') yield JSON.parse(data) as Sent; // as the server wrote it
    }
  }

  async cancel(reason?: string): Promise<Reply> {
    if (reason !== undefined) refuseTexts([['the reason', reason]]);
    return this.#transport.call('cancelRun', reason === undefined ? this.#run : { ...this.#run, reason });
  }

  pause(): Promise<Reply> {
    return this.#transport.call('pauseRun', this.#run);
  }

  resume(): Promise<Reply> {
    return this.#transport.call('resumeRun', this.#run);
  }

  release(): Promise<Reply> {
    return this.#transport.call('releaseRun', this.#run);
  }

  async delete(): Promise<void> {
    await this.#transport.call('deleteRun', this.#run);
  }

  async prompts(page: Paging = {}): Promise<readonly Prompt[]> {
    checkOptions('prompts', page, { after: 'text', limit: 'whole' });
    return (await this.#transport.call('listPrompts', { ...page, ...this.#run })).items;
  }

  async reply(correlationId: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    checkOptions('reply', options, { key: 'text' });
    refuseTexts([['the correlation id', correlationId]]);
    const payloadJson = sentJson(payload, 'payload');
    return this.#transport.call('replyToPrompt', { ...options, ...this.#run, correlationId, payload: payloadJson });
  }

  async retry(options: RetryOptions = {}): Promise<RunHandle> {
    checkOptions('retry', options, retryOptions);
    const { runId } = await this.#transport.call('retryRun', { ...options, ...this.#run });
    return new RemoteRun(this.#transport, runId);
  }
}

const sentDefinition = (definition: unknown): { readonly definition?: Json } =>
  definition === undefined ? {} : { definition: sentJson(definition, 'definition') };

/** What is absent in JSON is there, as undefined. */
export function summaryOf(answer: RunSummary): RunSummary {
  return { ...answer, output: answer.output, error: answer.error } as RunSummary; // as the engine there made it
}
