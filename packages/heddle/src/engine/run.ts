// Run: the handle on one run. It holds nothing but the id; everything is asked of the engine when it is wanted.

import type { RunEvent } from '../actor/observers.ts';
import type { RunRow } from '../actor/ports.ts';
import { closedError, readOnlyError } from '../actor/refusals.ts';
import type { RunTraceEvent } from '../actor/trace-log.ts';
import { copyJson } from '../base/copy-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { Reply } from '../core/commands.ts';
import type { NodeView } from '../core/views/nodes.ts';
import { isTerminal, type RunStatus, statusOf } from '../core/views/status.ts';
import { type TokenView, tokensOf } from '../core/views/tokens.ts';
import type { DataflowReport } from '../dialects/dataflow/run-report.ts';
import type { Execution } from '../dialects/handle/execution.ts';
import type { ThreadsView } from '../dialects/thread/view.ts';
import type { Paging } from '../operations/parts.ts';
import type { Prompt, PromptReply, ReplyOptions } from '../operations/prompts.ts';
import type { RunResult, RunSummary } from '../operations/run-results.ts';
import type {
  Explanation,
  ReplayOptions,
  ReplayPage,
  RunSnapshot,
  RunStateView,
  StateAt,
  TokenInfo,
  WhatIf,
} from '../operations/run-views.ts';
import type { RetryOptions } from '../operations/runs.ts';
import { checkOptions, refuseTexts } from './check-options.ts';
import { deleteRun } from './delete-run.ts';
import { readDataflow, readExecution, readNodes, readThreads } from './dialect-views.ts';
import { explainEvent } from './explain-run.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { listPrompts, replyInRun } from './prompts.ts';
import { type ReadOptions, readEvents, readHistory, readOptions } from './read-events.ts';
import { readTrace } from './read-trace.ts';
import { releaseRun } from './release-run.ts';
import { replayRun } from './replay-run.ts';
import { retryOptions, retryRun } from './retry-run.ts';
import { resultOf, summaryOf } from './run-result.ts';
import { takeSnapshot } from './snapshot.ts';
import { readStateAt } from './state-at.ts';

export class Run {
  readonly id: string;
  readonly #host: Host;

  constructor(host: Host, id: string) {
    refuseTexts([['the id of a run', id]]);
    this.#host = host;
    this.id = id;
  }

  /**
   * Waits until the run has ended, however it ends, or until `signal` says that nobody waits any more. Whoever knows what
   * the workflow puts out may name its type.
   */
  async result<Output = Json>(options: { readonly signal?: AbortSignal } = {}): Promise<RunResult<Output>> {
    checkOptions('result', options, { signal: 'other' });
    return resultOf(await this.#ended(options.signal)) as RunResult<Output>; // the caller says what the output is
  }

  #ended(signal: AbortSignal | undefined): Promise<RunRow> {
    const { runner, observers } = this.#host;
    if (runner.isClosed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      // RN18: who waits no longer leaves nothing behind, however long the run goes on.
      const stop = (): void => {
        unwatch();
        signal?.removeEventListener('abort', leave);
      };
      const leave = (): void => {
        stop();
        reject(signal?.reason as Error); // what aborts has a reason
      };
      const finish = (row: RunRow | null): void => {
        if (row && !isTerminal(row.status) && row.quarantine === null) return;
        stop();
        if (row) resolve(row);
        else reject(closedError());
      };
      const unwatch = observers.watch(this.id, finish);
      if (signal?.aborted) return leave();
      signal?.addEventListener('abort', leave);
      // A run that is in memory and goes on will tell; the others are looked up.
      if (runner.residents.isUnderWay(this.id)) return;
      this.#look().then(finish, (error: Error) => {
        stop();
        reject(error);
      });
    });
  }

  async #look(): Promise<RunRow> {
    const row = await mustReadRun(this.#host.store, this.id);
    if (!this.#host.readOnly || isTerminal(row.status) || row.quarantine !== null) return row;
    // Whoever writes to the store does not tell a reader.
    throw new HeddleError(
      'ENGINE_READ_ONLY',
      `Expected run ${this.id} to have ended, but it is ${row.status}; look again later`,
    );
  }

  async status(): Promise<RunStatus> {
    return (await this.summary()).status;
  }

  async summary(): Promise<RunSummary> {
    return summaryOf(await mustReadRun(this.#host.store, this.id));
  }

  /** Input, state and output as of now. */
  state(): Promise<RunStateView> {
    return this.#host.inbox.read(this.id, (state) => ({
      runId: this.id,
      status: statusOf(state),
      input: copyJson(state.run?.input ?? null),
      state: copyJson(state.root.context?.state ?? {}),
      output: copyJson(state.root.context?.output ?? {}),
    }));
  }

  /** How the run stood just after an event, folded from its journal. */
  stateAt(eventId: string): Promise<StateAt> {
    return readStateAt(this.#host, this.id, eventId);
  }

  /**
   * Why the run did what it did at an event: the decisions of its commit, made again from the state before it, and
   * compared with what was recorded. With `whatIf` by another definition, on another result, or on other values.
   */
  explain(eventId: string, whatIf: WhatIf = {}): Promise<Explanation> {
    return explainEvent(this.#host, this.id, eventId, whatIf);
  }

  /** All decisions of the run, made again: what is not as it was recorded, a page at a time. */
  replay(options: ReplayOptions = {}): Promise<ReplayPage> {
    return replayRun(this.#host, this.id, options);
  }

  /** The execution record, as the handle dialect has it. */
  execution(): Promise<Execution> {
    return readExecution(this.#host, this.id);
  }

  /** What each node came to, as the dataflow dialect has it. */
  dataflow(): Promise<DataflowReport> {
    return readDataflow(this.#host, this.id);
  }

  /** Its threads and the tree of contexts that they run in, as the thread dialect has them. */
  threads(): Promise<ThreadsView> {
    return readThreads(this.#host, this.id);
  }

  /** The run and its sub-runs as JSON, for `Engine.restore` in another engine. Only of a root that has not ended. */
  snapshot(): Promise<RunSnapshot> {
    return takeSnapshot(this.#host, this.id);
  }

  /** Every node of its drawing and what became of it, in any dialect: what an editor colours. */
  nodes(): Promise<readonly NodeView[]> {
    return readNodes(this.#host, this.id);
  }

  /** Every token that the run ever had, in the order of their creation. */
  async tokens(): Promise<readonly TokenInfo[]> {
    const { store, definitions } = this.#host;
    const { workflow, version } = await mustReadRun(store, this.id);
    const graph = await definitions.find(workflow, version);
    // VW8: a node that a compiler made is not shown.
    const isShown = ({ node }: TokenView): boolean => node !== graph?.policy.hiddenNode;
    const tokens = tokensOf(await readHistory(store, this.id)).filter(isShown);
    return tokens.map((token) => {
      const progress = this.#host.progressOf(this.id, token.id);
      const isExecuting = this.#host.isExecuting(this.id, token.id);
      return { ...token, isExecuting, ...(progress === null ? {} : { progress }) };
    });
  }

  /** The journal from the beginning (or after an event's id), then what comes, until the run has ended. */
  events(options: ReadOptions = {}): AsyncIterableIterator<RunEvent> {
    checkOptions('events', options, readOptions);
    return readEvents(this.#host, this.id, options);
  }

  /** How its decisions came about, in the same way; kept only of a run that was started with `trace: true`. */
  trace(options: ReadOptions = {}): AsyncIterableIterator<RunTraceEvent> {
    checkOptions('trace', options, readOptions);
    return readTrace(this.#host, this.id, options);
  }

  /** Cancels the run and its sub-runs. A run that has ended stays as it is. */
  async cancel(reason = 'cancelled'): Promise<Reply> {
    refuseTexts([['the reason', reason]]);
    return this.#command({ type: 'cancel', reason });
  }

  /** Nothing more is handed out until `resume`; results that come meanwhile are kept. */
  pause(): Promise<Reply> {
    return this.#command({ type: 'pause' });
  }

  resume(): Promise<Reply> {
    return this.#command({ type: 'resume' });
  }

  /** Out of quarantine: it is loaded and goes on. If it cannot, it is set aside again, with the reason of now. */
  release(): Promise<Reply> {
    return releaseRun(this.#host, this.id);
  }

  /** What it asks of people now; of a root, all that its tree of runs asks. */
  prompts(page: Paging = {}): Promise<readonly Prompt[]> {
    return listPrompts(this.#host, { ...page, runId: this.id });
  }

  /** Answers a prompt of this run or, for a root, of any run below it. */
  async reply(correlationId: string, payload: unknown, options: ReplyOptions = {}): Promise<PromptReply> {
    if (this.#host.readOnly) throw readOnlyError();
    return replyInRun(this.#host, { runId: this.id, correlationId }, payload, options);
  }

  /** A new run that goes on from just before this one's failure. */
  async retry(options: RetryOptions = {}): Promise<Run> {
    checkOptions('retry', options, retryOptions);
    if (this.#host.readOnly) throw readOnlyError();
    return new Run(this.#host, await retryRun(this.#host, this.id, options));
  }

  /** Removes the run, which has ended, and all below it, for good. */
  delete(): Promise<void> {
    return deleteRun(this.#host, this.id);
  }

  #command(order: { type: 'cancel'; reason: string } | { type: 'pause' | 'resume' }): Promise<Reply> {
    return this.#host.inbox.command(this.id, { ...order, at: this.#host.clock.now() });
  }
}
