// Remote run: the handle on a run of an engine elsewhere. It holds nothing but the id.

import type { RunEvent } from '../actor/observers.ts';
import type { RunTraceEvent } from '../actor/trace-log.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import type { Instead } from '../core/replay/replace-fact.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { Contract } from '../http/contract/contract.ts';
import { tokensPerPage } from '../http/contract/looks.ts';
import type { AnswerOf } from '../http/contract/route.ts';
import type { RunHandle } from '../sdk/api.ts';
import { checkOptions, refuseTexts } from '../sdk/check-options.ts';
import { type Explanation, type WhatIf, whatIfKinds } from '../sdk/explanation.ts';
import type { Prompt, PromptReply, ReplyOptions } from '../sdk/prompts.ts';
import { type ReadOptions, readOptions } from '../sdk/read-events.ts';
import type { ReplayOptions, ReplayPage } from '../sdk/replay-run.ts';
import { type RetryOptions, retryOptions } from '../sdk/retry-run.ts';
import type { RunStateView, TokenInfo } from '../sdk/run.ts';
import type { RunResult, RunSummary } from '../sdk/run-result.ts';
import { eachItem, everyItem, type Paging } from './pages.ts';
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

  get #params(): { readonly runId: string } {
    return { runId: this.id };
  }

  async result<Output = Json>(options: { readonly signal?: AbortSignal } = {}): Promise<RunResult<Output>> {
    checkOptions('result', options, { signal: 'other' });
    const { signal } = options;
    for (;;) {
      const answer = await this.#transport.call('waitForRun', { params: this.#params, query: { waitMs }, signal });
      const { ended, runId, status, output, error } = answer;
      // As the engine there made it; the caller says what the output is.
      if (ended) return { runId, status, output, error } as RunResult<Output>;
    }
  }

  async status(): Promise<RunStatus> {
    return (await this.summary()).status;
  }

  async summary(): Promise<RunSummary> {
    return summaryOf(await this.#transport.call('getRun', { params: this.#params }));
  }

  state(): Promise<RunStateView> {
    return this.#transport.call('getState', { params: this.#params });
  }

  stateAt(eventId: string) {
    return this.#transport.call('getStateAt', { params: { ...this.#params, eventId } });
  }

  async explain(eventId: string, whatIf: WhatIf = {}): Promise<Explanation> {
    checkOptions('explain', whatIf, whatIfKinds);
    refuseTexts([['the id of an event', eventId]]);
    const { definition, instead, state } = whatIf;
    const body = {
      eventId,
      ...sentDefinition(definition),
      ...(instead === undefined ? {} : { instead: sentJson(instead, 'instead') as Instead }), // what it is, the server says
      ...(state === undefined ? {} : { state: sentJson(state, 'state') as JsonObject }),
    };
    return this.#transport.call('explainEvent', { params: this.#params, body });
  }

  async replay(options: ReplayOptions = {}): Promise<ReplayPage> {
    checkOptions('replay', options, { definition: 'other', after: 'text' });
    const { definition, after } = options;
    const body = { ...sentDefinition(definition), ...(after === undefined ? {} : { after }) };
    return this.#transport.call('replayRun', { params: this.#params, body });
  }

  execution() {
    return this.#transport.call('getExecution', { params: this.#params });
  }

  dataflow() {
    return this.#transport.call('getDataflow', { params: this.#params });
  }

  threads() {
    return this.#transport.call('getThreads', { params: this.#params });
  }

  snapshot() {
    return this.#transport.call('getSnapshot', { params: this.#params });
  }

  nodes() {
    return everyItem((query) => this.#transport.call('listNodes', { params: this.#params, query }));
  }

  tokens(): Promise<readonly TokenInfo[]> {
    const ask = (query: Paging) => this.#transport.call('listTokens', { params: this.#params, query });
    return everyItem(ask, { perRequest: tokensPerPage });
  }

  events(options: ReadOptions = {}): AsyncIterableIterator<RunEvent> {
    checkOptions('events', options, readOptions);
    if (options.follow ?? true) return this.#follow<RunEvent>('streamRunEvents', options);
    return eachItem((query) => this.#transport.call('listRunEvents', { params: this.#params, query }), options);
  }

  trace(options: ReadOptions = {}): AsyncIterableIterator<RunTraceEvent> {
    checkOptions('trace', options, readOptions);
    if (options.follow ?? true) return this.#follow<RunTraceEvent>('streamRunTrace', options);
    return eachItem((query) => this.#transport.call('listRunTrace', { params: this.#params, query }), options);
  }

  async *#follow<Sent>(
    operation: 'streamRunEvents' | 'streamRunTrace',
    { after, signal }: ReadOptions,
  ): AsyncGenerator<Sent> {
    const open = (from: string | undefined) =>
      this.#transport.open(operation, {
        params: this.#params,
        query: from === undefined ? {} : { after: from },
        signal,
      });
    for await (const { name, data } of readStream(open, after)) {
      if (name === 'message') yield JSON.parse(data) as Sent; // as the server wrote it
    }
  }

  async cancel(reason?: string): Promise<Reply> {
    if (reason !== undefined) refuseTexts([['the reason', reason]]);
    return this.#transport.call('cancelRun', { params: this.#params, body: reason === undefined ? {} : { reason } });
  }

  pause(): Promise<Reply> {
    return this.#transport.call('pauseRun', { params: this.#params });
  }

  resume(): Promise<Reply> {
    return this.#transport.call('resumeRun', { params: this.#params });
  }

  release(): Promise<Reply> {
    return this.#transport.call('releaseRun', { params: this.#params });
  }

  async delete(): Promise<void> {
    await this.#transport.call('deleteRun', { params: this.#params });
  }

  async prompts(page: { readonly after?: string; readonly limit?: number } = {}): Promise<readonly Prompt[]> {
    checkOptions('prompts', page, { after: 'text', limit: 'whole' });
    const query = { ...page, runId: this.id };
    return (await this.#transport.call('listPrompts', { query })).items;
  }

  async reply(correlationId: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    checkOptions('reply', options, { key: 'text' });
    refuseTexts([['the correlation id', correlationId]]);
    const params = { ...this.#params, correlationId };
    return this.#transport.call('replyToPrompt', {
      params,
      body: { ...options, payload: sentJson(payload, 'payload') },
    });
  }

  async retry(options: RetryOptions = {}): Promise<RunHandle> {
    checkOptions('retry', options, retryOptions);
    const { runId } = await this.#transport.call('retryRun', { params: this.#params, body: options });
    return new RemoteRun(this.#transport, runId);
  }
}

const sentDefinition = (definition: unknown): { readonly definition?: Json } =>
  definition === undefined ? {} : { definition: sentJson(definition, 'definition') };

/** What is absent in JSON is there, as undefined. */
export function summaryOf(answer: AnswerOf<Contract['getRun']>): RunSummary {
  return { ...answer, output: answer.output, error: answer.error } as RunSummary; // as the engine there made it
}
