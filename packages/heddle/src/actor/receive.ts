// Receive: work for a run that may not be in memory, or not be at all. Rules RC….

import type { Failure } from '../base/failure.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { ChildStart, Message } from '../core/effects.ts';
import type { RunStart } from '../core/events.ts';
import { refuseInput } from '../core/planning/lifecycle.ts';
import type { Graph } from '../definition/graph.ts';
import type { Batch } from './batch.ts';
import { notRegistered } from './definitions.ts';
import type { Envelope, StartCommand } from './mailbox.ts';
import type { RunRow } from './ports.ts';
import { newRow, RunActor } from './run-actor.ts';
import { runStart } from './run-start.ts';
import type { Runner } from './runner.ts';

export interface Receipt {
  readonly runner: Runner;
  readonly envelope: Envelope;
  readonly batch: Batch;
  /** The run; its bare row if it was called off before it started; null if there is none. */
  readonly found: RunActor | RunRow | null;
}

export async function receive(receipt: Receipt): Promise<void> {
  const { runner, envelope, batch, found } = receipt;
  const { work } = envelope;
  if (work.type === 'message') return receiveMessage(receipt, work.message, work.outboxId);
  if (work.type === 'wake') return batch.answer(envelope, undefined);
  if (work.type === 'restore') return restoreRuns(receipt, work.starts);
  if (work.type === 'command' && work.command.type === 'start' && !found) return startRoot(receipt, work.command);
  if (found instanceof RunActor) return runner.handle(found, envelope, batch);
  throw new HeddleError('RUN_NOT_FOUND', `Expected a run ${envelope.runId}, but there is none`);
}

async function startRoot({ runner, envelope, batch }: Receipt, { start, at }: StartCommand): Promise<void> {
  const graph = await runner.definitions.mustFind(start.workflow, start.version);
  runner.handle(runner.residents.create(graph, start, at), envelope, batch);
}

// RC5: the runs of a snapshot are stored together, or none of them is.
async function restoreRuns({ runner, envelope, batch }: Receipt, starts: readonly StartCommand[]): Promise<void> {
  const graphs: Graph[] = [];
  for (const { start } of starts) {
    graphs.push(await runner.definitions.mustFind(start.workflow, start.version));
    // In the turn itself: whoever restores the same at the same time comes before or after.
    if (runner.residents.has(start.runId) || (await runner.store.readRun(start.runId)))
      throw new HeddleError('RUN_EXISTS', `Expected no run ${start.runId}, but this engine has it already`);
  }
  for (const [index, command] of starts.entries()) {
    const actor = runner.residents.create(graphs[index] as Graph, command.start, command.at);
    batch.add(actor.handle(runner.store, command));
  }
  batch.answer(envelope, undefined);
}

// RC1: a message is received once: its effect and its removal from the outbox are one transaction.
async function receiveMessage(receipt: Receipt, message: Message, outboxId: string): Promise<void> {
  const { runner, envelope, batch, found } = receipt;
  if (message.type === 'start') {
    if (!found) await startChild(receipt, message.child);
  } else if (found instanceof RunActor) batch.add(found.handle(runner.store, { ...message, at: runner.clock.now() }));
  // RC2: a run that is called off before it started leaves a row that refuses the start.
  else if (!found && message.type === 'cancel')
    batch.addRow({ row: tombstone(envelope.runId, runner.clock.now()), isNew: true });
  batch.markReceived(outboxId); // last: what could fail is behind us
  batch.answer(envelope, undefined);
}

function tombstone(runId: string, at: number): RunRow {
  const start = { runId, workflow: '', version: 0, parent: null, rootRunId: runId, tags: {} } as unknown as RunStart;
  return { ...newRow(start, at), status: 'cancelled', endedAt: at };
}

// RC3: a child that cannot start tells its parent so, and is no run.
async function startChild({ runner, envelope, batch }: Receipt, child: ChildStart): Promise<void> {
  // RC4: without a version a child takes the latest when it starts, and keeps it.
  const graph = await runner.definitions.find(child.workflow, child.version);
  const refusal: Failure | null = graph
    ? refuseInput(graph, child.input)
    : { code: 'WORKFLOW_NOT_FOUND', message: notRegistered(child.workflow, child.version) };
  if (!graph || refusal) return refuseChild(envelope.runId, batch, child, refusal as Failure);
  const at = runner.clock.now();
  const start = startOf(graph, envelope.runId, child, at);
  batch.add(runner.residents.create(graph, start, at).handle(runner.store, { type: 'start', at, start }));
}

function startOf(graph: Graph, runId: string, child: ChildStart, at: number): RunStart {
  const { parent, rootRunId, depth, nodeBudget, descendantBudget, trace, input } = child;
  const { organization, trigger, artifactRuns } = child;
  return runStart(graph, at, {
    runId,
    input,
    rootRunId,
    parent,
    depth,
    trace,
    nodeBudget: Math.min(nodeBudget, graph.limits.nodesPerRunMax),
    descendantBudget: Math.min(descendantBudget, graph.limits.descendantsMax),
    keyRunId: runId,
    retryOf: null,
    tags: {},
    ...(organization === undefined ? {} : { organization }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(artifactRuns === undefined ? {} : { artifactRuns }),
  });
}

function refuseChild(runId: string, batch: Batch, child: ChildStart, error: Failure): void {
  const message: Message = {
    type: 'child.ended',
    token: child.parent.token,
    childRunId: runId,
    status: 'failed',
    error,
    nodesUsed: 0,
    descendantsUsed: 0,
  };
  batch.addMessage({ id: `${runId}/refused`, to: child.parent.runId, message: JSON.stringify(message) });
}
