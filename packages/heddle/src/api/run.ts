// Run: the handle on one run. It holds nothing but the id; everything is asked of the engine when it is wanted.

import type { RunTraceEvent } from '../actor/trace-log.ts';
import { given } from '../base/given.ts';
import type { Json } from '../base/json.ts';
import { refuseUnknown } from '../base/refuse-options.ts';
import type { Reply } from '../core/commands.ts';
import type { RunEvent } from '../core/run-event.ts';
import type { EdgeView } from '../core/views/edges.ts';
import type { NodeView } from '../core/views/nodes.ts';
import type { RunStatus } from '../core/views/status.ts';
import type { Wait } from '../core/views/wait.ts';
import type { DataflowReport } from '../dialects/dataflow/run-report.ts';
import type { Execution } from '../dialects/handle/execution.ts';
import type { ThreadsView } from '../dialects/thread/view.ts';
import type { Carrier, ReadOptions } from '../operations/carrier.ts';
import { checkText, givenOptions } from '../operations/check-request.ts';
import type { OneRun, Paging } from '../operations/parts.ts';
import type { CancelPreview, RetryPreview } from '../operations/previews.ts';
import type { Prompt, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunResult, RunSummary } from '../operations/run-results.ts';
import type {
  Explanation,
  ReplayOptions,
  ReplayPage,
  RunSnapshot,
  RunStateView,
  RunView,
  StateAt,
  TokenInfo,
  WhatIf,
} from '../operations/run-views.ts';
import type { RetryOptions } from '../operations/runs.ts';
import { checkReading, onePage, toJson } from './given.ts';

export class Run {
  readonly id: string;
  readonly #carrier: Carrier;
  readonly #run: OneRun;

  constructor(carrier: Carrier, id: string) {
    checkText('the id of a run', id);
    this.#carrier = carrier;
    this.id = id;
    this.#run = { runId: id };
  }

  /**
   * Waits until the run has ended, however it ends, or until `signal` says that nobody waits any more. Whoever knows what
   * the workflow puts out may name its type.
   */
  async result<Output = Json>(options: { readonly signal?: AbortSignal } = {}): Promise<RunResult<Output>> {
    refuseUnknown('result', options, ['signal']);
    const { runId, status, output, error } = await this.#carrier.waitForEnd(this.id, options.signal);
    return { runId, status, output, error } as RunResult<Output>; // it has ended; the caller says what the output is
  }

  async status(): Promise<RunStatus> {
    return (await this.summary()).status;
  }

  async summary(): Promise<RunSummary> {
    return summaryFrom(await this.#carrier.call('getRun', this.#run));
  }

  /** Input, state and output as of now. */
  state(): Promise<RunStateView> {
    return this.#carrier.call('getState', this.#run);
  }

  /** How the run stood just after an event, folded from its journal. */
  stateAt(eventId: string): Promise<StateAt> {
    return this.#carrier.call('getStateAt', { ...this.#run, eventId });
  }

  /**
   * Why the run did what it did at an event: the decisions of its commit, made again from the state before it, and
   * compared with what was recorded. With `whatIf` by another definition, on another result, or on other values.
   */
  async explain(eventId: string, whatIf: WhatIf = {}): Promise<Explanation> {
    const { definition, ...otherwise } = givenOptions('explain', whatIf);
    return this.#carrier.call('explainEvent', { ...otherwise, ...this.#run, eventId, ...draft(definition) });
  }

  /** All decisions of the run, made again: what is not as it was recorded, a page at a time. */
  async replay(options: ReplayOptions = {}): Promise<ReplayPage> {
    const { definition, ...page } = givenOptions('replay', options);
    return this.#carrier.call('replayRun', { ...page, ...this.#run, ...draft(definition) });
  }

  /** The execution record, as the handle dialect has it. */
  execution(): Promise<Execution> {
    return this.#carrier.call('getExecution', this.#run);
  }

  /** What each node came to, as the dataflow dialect has it. */
  dataflow(): Promise<DataflowReport> {
    return this.#carrier.call('getDataflow', this.#run);
  }

  /** Its threads and the tree of contexts that they run in, as the thread dialect has them. */
  threads(): Promise<ThreadsView> {
    return this.#carrier.call('getThreads', this.#run);
  }

  /** The run and its sub-runs as JSON, for `restore` in another engine. Only of a root that has not ended. */
  snapshot(): Promise<RunSnapshot> {
    return this.#carrier.call('getSnapshot', this.#run);
  }

  /** Every node of its drawing and what became of it, in any dialect: what an editor colours. */
  nodes(): Promise<readonly NodeView[]> {
    return this.#carrier.list('listNodes', this.#run);
  }

  /** Every way of its drawing and how often it was taken, in any dialect. */
  edges(): Promise<readonly EdgeView[]> {
    return this.#carrier.list('listEdges', this.#run);
  }

  /** The run on its drawing, now or as of just after an event: what a viewer opens it with. */
  view(eventId?: string): Promise<RunView> {
    return this.#carrier.call('getRunView', { ...this.#run, ...given({ eventId }) });
  }

  /** Why it is waiting: one entry for everything that it waits for now, the most telling first. */
  waits(): Promise<readonly Wait[]> {
    return this.#carrier.list('listWaits', this.#run);
  }

  /** Every token that the run ever had, in the order of their creation. */
  tokens(): Promise<readonly TokenInfo[]> {
    return this.#carrier.list('listTokens', this.#run);
  }

  /** The journal from the beginning (or after an event's id), then what comes, until the run has ended. */
  events(options: ReadOptions = {}): AsyncIterableIterator<RunEvent> {
    return this.#carrier.read('streamRunEvents', this.#run, checkReading(options));
  }

  /** How its decisions came about, in the same way; kept only of a run that was started with `trace: true`. */
  trace(options: ReadOptions = {}): AsyncIterableIterator<RunTraceEvent> {
    return this.#carrier.read('streamRunTrace', this.#run, checkReading(options));
  }

  /** Cancels the run and its sub-runs. A run that has ended stays as it is. */
  cancel(reason?: string): Promise<Reply> {
    return this.#carrier.call('cancelRun', reason === undefined ? this.#run : { ...this.#run, reason });
  }

  /** What cancelling it would end; nothing changes. */
  previewCancel(): Promise<CancelPreview> {
    return this.#carrier.call('previewCancel', this.#run);
  }

  /** Nothing more is handed out until `resume`; results that come meanwhile are kept. */
  pause(): Promise<Reply> {
    return this.#carrier.call('pauseRun', this.#run);
  }

  resume(): Promise<Reply> {
    return this.#carrier.call('resumeRun', this.#run);
  }

  /** Out of quarantine: it is loaded and resumes. If it cannot, it is set aside again, with the reason of now. */
  release(): Promise<Reply> {
    return this.#carrier.call('releaseRun', this.#run);
  }

  /** What it asks of people now; of a root, all that its tree of runs asks. */
  async prompts(page: Paging = {}): Promise<readonly Prompt[]> {
    return this.#carrier.list('listPrompts', this.#run, { ...onePage, ...givenOptions('prompts', page) });
  }

  /** Answers a prompt of this run or, for a root, of any run below it. */
  async reply(correlationId: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    const request = { ...givenOptions('reply', options), ...this.#run, correlationId, payload: toJson(payload) };
    return this.#carrier.call('replyToPrompt', request);
  }

  /** A new run that continues from just before this one's failure. */
  async retry(options: RetryOptions = {}): Promise<Run> {
    const { runId } = await this.#carrier.call('retryRun', { ...givenOptions('retry', options), ...this.#run });
    return new Run(this.#carrier, runId);
  }

  /** What a retry would do again, and what it would keep; nothing changes. */
  previewRetry(): Promise<RetryPreview> {
    return this.#carrier.call('previewRetry', this.#run);
  }

  /** Removes the run, which has ended, and all below it, for good. */
  async delete(): Promise<void> {
    await this.#carrier.call('deleteRun', this.#run);
  }
}

/** What is absent in JSON is there, as undefined. */
export function summaryFrom(answer: RunSummary): RunSummary {
  return { ...answer, output: answer.output, error: answer.error } as RunSummary; // the same members of the union
}

const draft = (definition: unknown): { readonly definition?: Json } =>
  definition === undefined ? {} : { definition: toJson(definition) };
