// Attach: a test waits for what becomes of a run, also of one that does not exist yet. Rules TA….
//
// Always true: what happened between attaching and waiting is not missed; nothing is polled, and nothing is left behind
// once the attachment is released.

import type { Run } from '../api/run.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { NodeView } from '../core/views/nodes.ts';
import { isTerminal, type RunStatus } from '../core/views/status.ts';
import { stepNodeId } from '../dialects/dataflow/run-report.ts';
import type { Engine } from '../engine/engine.ts';
import type { FeedEvent } from '../operations/events.ts';
import type { RunSummary } from '../operations/run-results.ts';

/** Which run: one that is there, or the next one of a workflow that is started from now on. */
export type AttachTarget = { readonly runId: string } | NextRun;

export interface NextRun {
  readonly workflow: string;
  /** Only a run that is started with these tags. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** TA1: attached before its start, a test meets the first run of the workflow, with these tags, that no run has called. */
export async function attach(engine: Watched, target: AttachTarget): Promise<AttachedRun> {
  const after: { after?: string } = {};
  if ('workflow' in target) {
    const past = engine.events({ workflow: target.workflow, follow: false });
    for await (const { feedId } of past) after.after = feedId;
  }
  return new AttachedRun(engine, { target, ...after });
}

/** An engine, or a client of one. */
type Watched = Pick<Engine, 'events' | 'run'>;

interface Attachment {
  readonly target: AttachTarget;
  /** The place in the feed at which it was attached; absent at its beginning. */
  readonly after?: string;
}

export class AttachedRun implements AsyncDisposable {
  readonly #engine: Watched;
  readonly #attachment: Attachment;
  readonly #release = new AbortController();

  constructor(engine: Watched, attachment: Attachment) {
    this.#engine = engine;
    this.#attachment = attachment;
  }

  /** Waits until there is the run. */
  run(): Promise<Run> {
    return this.#wait('to be started', async (run) => run);
  }

  /** TA2: waits until the run has a status; if it ends with another, the wait is refused. */
  waitForStatus(status: RunStatus): Promise<RunSummary> {
    return this.#wait(`to become ${status}`, async (run) => {
      const summary = await run.summary();
      if (summary.status === status) return summary;
      if (isTerminal(summary.status)) throw neverComes(run, `to become ${status}`, summary);
      return null;
    });
  }

  /** TA3: waits until a node has ended, by the name of its step, `run node <id>`; if the run ends before, it is refused. */
  waitForStepResult({ name }: { readonly name: string }): Promise<NodeView> {
    const nodeId = stepNodeId(name);
    return this.#wait(`to have the result of step "${name}"`, async (run) => {
      const summary = await run.summary();
      const node = (await run.nodes()).find((one) => one.nodeId === nodeId);
      if (node !== undefined && node.endedAt !== null) return node;
      if (isTerminal(summary.status)) throw neverComes(run, `to have the result of step "${name}"`, summary);
      return null;
    });
  }

  /** TA4: what still waits is refused. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#release.abort();
  }

  /** Looks after every event of the run, the past ones included, until there is an answer. */
  async #wait<T>(what: string, look: (run: Run) => Promise<T | null>): Promise<T> {
    for await (const run of this.#news()) {
      const found = await look(run);
      if (found !== null) return found;
    }
    throw new HeddleError('WAIT_RELEASED', `Expected the run ${what}, but the attachment was released before`);
  }

  async *#news(): AsyncIterableIterator<Run> {
    const runId = await this.#findRunId();
    if (runId === null) return;
    const events = this.#engine.run(runId).events({ signal: this.#release.signal });
    for await (const event of events) yield this.#engine.run(event.runId);
  }

  /** Null if nobody waits for it any more. */
  async #findRunId(): Promise<string | null> {
    const { target, ...after } = this.#attachment;
    if ('runId' in target) return target.runId;
    const { signal } = this.#release;
    for await (const event of this.#engine.events({ ...after, workflow: target.workflow, signal }))
      if (isNext(event, target)) return event.runId;
    return null;
  }
}

function isNext(event: FeedEvent, { tags = {} }: NextRun): boolean {
  if (event.type !== 'workflow.started' || event.parent !== null) return false;
  return Object.entries(tags).every(([name, value]) => event.tags[name] === value);
}

function neverComes({ id }: Run, what: string, { status, error }: RunSummary): HeddleError {
  const cause = error ? `: ${error.message}` : '';
  return new HeddleError('WAIT_REFUSED', `Expected run ${id} ${what}, but it is ${status}${cause}`);
}
