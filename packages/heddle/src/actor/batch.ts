// Batch: what one transaction holds, whole commands of one run or many, and what follows once it is durable.

import { given } from '../base/given.ts';
import type { Reply } from '../core/commands.ts';
import { type FinishedRun, triggersAddress } from './finished-run.ts';
import type { Envelope, Sender } from './mailbox.ts';
import type { Commit, JournalWrite, KeyRow, OutboxRow, RecordWrite, RunWrite } from './ports.ts';
import { makeOutboxId, type RunActor, type Staged } from './run-actor.ts';
import { makeTrace } from './trace-log.ts';
import { stepsOf } from './turn-budget.ts';

export class Batch {
  /** What it holds the answers to, in their order. */
  readonly envelopes: Envelope[] = [];
  readonly staged: Staged[] = [];
  /** Runs that it writes. */
  readonly actors = new Set<RunActor>();
  /** Those, and all that were looked at: they stay in memory until it is concluded. */
  readonly #touched = new Set<RunActor>();
  /** Runs that it writes and that are not in memory: only the store knows them, once it is durable. */
  readonly absent = new Set<string>();
  /** Those whose lost tasks it hands out again. */
  readonly recovered = new Set<RunActor>();
  readonly #journal: JournalWrite[] = [];
  /** Journal rows that are explained. */
  readonly #traced: Staged[] = [];
  /** Steps of all that it holds. */
  steps = 0;
  readonly setAsides: [runId: string, error: Error][] = [];
  readonly #answers: (() => void)[] = [];
  readonly #refusals: [sender: Sender, error: Error][] = [];
  readonly #rows: RunWrite[] = [];
  /** The rows of its runs, as its commit has them. */
  written: readonly RunWrite[] = [];
  /** How many rows its commit writes, without those that explain them. */
  size = 0;
  /** Messages that it sends. */
  readonly messages: OutboxRow[] = [];
  readonly #outboxDone: string[] = [];
  readonly #keys: KeyRow[] = [];
  readonly #records: RecordWrite[] = [];
  readonly #announces: (workflow: string) => boolean;

  /** `announces`: whether somebody listens to the ends of runs of a workflow. */
  constructor(announces: (workflow: string) => boolean = () => false) {
    this.#announces = announces;
  }

  /** What is planned on a run stands on its state in memory: the run stays there until it is released. */
  touch(actor: RunActor): void {
    if (this.#touched.has(actor)) return;
    this.#touched.add(actor);
    actor.batches++;
  }

  /** Lets go of the runs: what was planned on them is durable, or given up. */
  release(release: (actor: RunActor) => void): void {
    for (const actor of this.#touched) {
      actor.batches--;
      release(actor);
    }
  }

  add(staged: Staged): void {
    this.staged.push(staged);
    this.steps += stepsOf(staged);
    this.touch(staged.actor);
    if (!staged.journal) return;
    this.#journal.push(staged.journal);
    this.actors.add(staged.actor);
    if (staged.actor.traceLog !== null) this.#traced.push(staged);
    for (const row of staged.outbox) this.messages.push(row);
    for (const effect of staged.effects) {
      if (effect.type !== 'note') continue;
      const { kind, key, value } = effect;
      this.#records.push({ kind, key, value: value === null ? null : JSON.stringify(value), dueAt: null });
    }
    const { outcome, run } = staged.actor.state;
    // RN16: the end of a root run is told to whoever listens to its workflow, in the same commit.
    if (outcome !== null && run?.parent === null && this.#announces(run.workflow))
      this.messages.push(finishedRow(staged.actor, staged.journal));
  }

  /** Of a run that is none: it was called off before it started. */
  addRow(write: RunWrite): void {
    this.#rows.push(write);
    this.absent.add(write.row.runId);
  }

  addMessage(row: OutboxRow): void {
    this.messages.push(row);
  }

  addKey(key: KeyRow): void {
    this.#keys.push(key);
  }

  markReceived(outboxId: string): void {
    this.#outboxDone.push(outboxId);
  }

  /** RN5: replies wait for the commit that holds what they tell; so do tasks and messages. */
  answer({ sender }: Envelope, reply: Reply): void {
    if (sender) this.#answers.push(() => sender.resolve(reply));
  }

  /** As `answer`, for a look, which answers by itself. */
  answerBy(tell: () => void): void {
    this.#answers.push(tell);
  }

  refuse(envelope: Envelope, error: Error): void {
    if (envelope.sender) this.#refusals.push([envelope.sender, error]);
  }

  /** A run that cannot be loaded or planned. */
  setAside(runId: string, error: Error): void {
    this.setAsides.push([runId, error]);
    this.absent.add(runId);
  }

  /** One row per run, as its last command left it; null if there is nothing to write. */
  commit(): Commit | null {
    const runs = [...this.#rows];
    for (const actor of this.actors) {
      const before = actor.row;
      runs.push({ row: actor.currentRow(), isNew: actor.isNew, before });
      actor.isNew = false;
    }
    // The next batch makes the next row of a run, perhaps before this one is told.
    for (const staged of this.staged) staged.row = staged.actor.row;
    this.written = runs;
    this.size = runs.length + this.#journal.length + this.#records.length;
    this.size += this.messages.length + this.#outboxDone.length;
    if (this.size + this.#keys.length === 0) return null;
    return {
      runs,
      journal: this.#journal,
      outboxAdded: this.messages,
      outboxDone: this.#outboxDone,
      keys: this.#keys,
      records: this.#traced.length === 0 ? this.#records : this.#withTraces(),
    };
  }

  /** TC2: trace events are written in the commit of the journal row that they explain. */
  #withTraces(): readonly RecordWrite[] {
    const traces = this.#traced.flatMap((staged) => {
      const { actor, journal } = staged;
      return journal && actor.traceLog ? actor.traceLog.write(journal, makeTrace(staged, this.size)) : [];
    });
    return [...this.#records, ...traces];
  }

  conclude(): void {
    for (const tell of this.#answers) tell();
    for (const [sender, error] of this.#refusals) sender.reject(error);
  }
}

function finishedRow({ row, state }: RunActor, { seq }: JournalWrite): OutboxRow {
  const { runId, workflow } = row;
  const { outcome, output, error, run, at } = state;
  const message: FinishedRun = {
    type: 'finished',
    runId,
    workflow,
    status: outcome ?? '',
    ...given({ output, error: error ?? undefined, trigger: run?.trigger }),
  };
  return { id: makeOutboxId(at, { runId, seq }, 'finished'), to: triggersAddress, message: JSON.stringify(message) };
}
