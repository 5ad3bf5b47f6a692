// Receive: work for a run that may not be in memory, or not be at all. Rules RC….

import type { Failure } from '../base/failure.ts';
import { given } from '../base/given.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json } from '../base/json.ts';
import type { ChildEnded } from '../core/commands.ts';
import type { ChildStart, Message } from '../core/effects.ts';
import { type OwnStart, refuseInput, runStart } from '../core/planning/lifecycle.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Graph } from '../definition/graph.ts';
import type { Batch } from './batch.ts';
import { prepareContinuation } from './continuation.ts';
import { type Definitions, notRegistered } from './definitions.ts';
import type { Envelope, StartCommand } from './mailbox.ts';
import type { Clock, RunRow, Store } from './ports.ts';
import type { Residents } from './residents.ts';
import { newRow, RunActor } from './run-actor.ts';
import { StoreError } from './store-error.ts';

export interface Receipt {
  readonly store: Store;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly residents: Residents;
  /** Hands a command or a read to a run that is in memory. */
  readonly handle: (actor: RunActor, envelope: Envelope, batch: Batch) => void;
  readonly envelope: Envelope;
  readonly batch: Batch;
  /** The run; its bare row if it was called off before it started; null if there is none. */
  readonly found: RunActor | RunRow | null;
}

export async function receive(receipt: Receipt): Promise<void> {
  const { handle, envelope, batch, found } = receipt;
  const { work } = envelope;
  if (work.type === 'message') return receiveMessage(receipt, work.message, work.outboxId);
  if (work.type === 'wake') return batch.answer(envelope, { applied: true });
  if (work.type === 'restore') return restoreRuns(receipt, work.starts);
  if (work.type === 'command' && work.command.type === 'start' && !found) return startRoot(receipt, work.command);
  if (found instanceof RunActor) return handle(found, envelope, batch);
  throw new HeddleError('RUN_NOT_FOUND', `Expected a run ${envelope.runId}, but there is none`);
}

/** RN14: what comes after the end changes nothing: no reason to load what may be a large run, once for every late message. */
export function answerEnded(row: RunRow | null, envelope: Envelope, batch: Batch): boolean {
  const { work } = envelope;
  if (work.type === 'read') return false;
  if (!row || row.quarantine !== null || !isTerminal(row.status)) return false;
  if (work.type === 'message') batch.markReceived(work.outboxId);
  batch.answer(envelope, { applied: false, reason: `run has ended: ${row.status}` });
  return true;
}

async function startRoot(receipt: Receipt, { start, at }: StartCommand): Promise<void> {
  const { definitions, residents, handle, envelope, batch } = receipt;
  const { workflow, version } = start;
  const graph = definitions.cached(workflow, version) ?? (await definitions.mustFind(workflow, version));
  const refusal = start.retryOf === null ? checkInput(graph, start.input, batch) : null;
  if (refusal) throw new HeddleError(refusal.code, refusal.message, refusal);
  handle(residents.create(graph, start, at), envelope, batch);
}

/** In the turn, which ends sooner for it: a hundred starts with large inputs are divided among many. */
function checkInput(graph: Graph, input: Json, batch: Batch): Failure | null {
  if (graph.inputSchema === null) return null;
  const { commandCostMax } = graph.limits;
  const meter = { stepsLeft: commandCostMax };
  const refusal = refuseInput(graph, input, meter);
  batch.steps += commandCostMax - meter.stepsLeft;
  return refusal;
}

// RC5: the runs of a snapshot are stored together, or none of them is.
async function restoreRuns(receipt: Receipt, starts: readonly StartCommand[]): Promise<void> {
  const { store, definitions, residents, envelope, batch } = receipt;
  const graphs: Graph[] = [];
  for (const { start } of starts) {
    graphs.push(await definitions.mustFind(start.workflow, start.version));
    // In the turn itself: whoever restores the same at the same time comes before or after.
    if (residents.has(start.runId) || (await store.readRun(start.runId)))
      throw new HeddleError('RUN_EXISTS', `Expected no run ${start.runId}, but this engine has it already`);
  }
  for (const [index, command] of starts.entries()) {
    const actor = residents.create(graphs[index] as Graph, command.start, command.at); // one for each command
    batch.add(actor.handle(store, command));
  }
  batch.answer(envelope, { applied: true });
}

// RC1: a message is received once: its effect and its removal from the outbox are one transaction.
async function receiveMessage(receipt: Receipt, message: Message, outboxId: string): Promise<void> {
  const { store, clock, envelope, batch, found } = receipt;
  if (message.type === 'start') {
    if (!found) await startChild(receipt, message.child);
  } else if (found instanceof RunActor) batch.add(found.handle(store, { ...message, at: clock.now() }));
  // RC2: a run that is called off before it started leaves a row that refuses the start.
  else if (!found && message.type === 'cancel')
    batch.addRow({ row: tombstone(envelope.runId, clock.now()), isNew: true });
  batch.markReceived(outboxId); // last: what could fail is behind us
}

function tombstone(runId: string, at: number): RunRow {
  const start = { runId, workflow: '', version: 0, parent: null, rootRunId: runId, tags: {} };
  return { ...newRow(start, at), status: 'cancelled', endedAt: at };
}

function startChild(receipt: Receipt, child: ChildStart): Promise<void> {
  return child.continues ? continueChild(receipt, child, child.continues) : beginChild(receipt, child);
}

// RC3: a child that cannot start tells its parent so, and is no run.
async function beginChild(receipt: Receipt, child: ChildStart): Promise<void> {
  const { store, clock, definitions, residents, envelope, batch } = receipt;
  // RC4: without a version a child takes the latest when it starts, and keeps it.
  const graph = await definitions.find(child.workflow, child.version);
  const refusal: Failure | null = graph
    ? checkInput(graph, child.input, batch)
    : { code: 'WORKFLOW_NOT_FOUND', message: notRegistered(child.workflow, child.version) };
  if (!graph || refusal)
    return answerParent(envelope.runId, batch, child, { status: 'failed', ...given({ error: refusal ?? undefined }) });
  const at = clock.now();
  const start = runStart(graph, at, ownStart(graph, envelope.runId, child));
  batch.add(residents.create(graph, start, at).handle(store, { type: 'start', at, start }));
}

function ownStart(graph: Graph, runId: string, child: ChildStart): OwnStart {
  const { parent, rootRunId, depth, nodeBudget, descendantBudget, trace, input } = child;
  const { organization, trigger, artifactRuns } = child;
  return {
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
    ...given({ organization, trigger, artifactRuns }),
  };
}

/** For a sub-run of a retry, in the version of the one that it continues. */
async function continueChild(receipt: Receipt, child: ChildStart, before: ContinuedRun): Promise<void> {
  const { store, clock, definitions, residents, envelope, batch } = receipt;
  const ended = await store.readRun(before.runId);
  const verdict = ended ? judgeEnded(ended) : gone(before.runId);
  if (verdict.type === 'begin anew') return beginChild(receipt, child);
  if (verdict.type === 'answer') return answerParent(envelope.runId, batch, child, verdict.ending);
  const graph = await definitions.mustFind(verdict.ended.workflow, verdict.ended.version);
  const at = clock.now();
  const continued = await prepareContinuation(store, graph, verdict.ended, at);
  if (!continued) return answerParent(envelope.runId, batch, child, gone(before.runId).ending);
  const { lastToken, outputs, restore, eventsFrom, start: old } = continued;
  const fresh = ownStart(graph, envelope.runId, child);
  const own: OwnStart = {
    ...fresh,
    input: old.input,
    nodeBudget: fresh.nodeBudget + lastToken,
    keyRunId: before.keepKeys ? old.keyRunId : envelope.runId,
    retryOf: before.runId,
    eventsFrom,
    artifactRuns: [before.runId, ...(old.artifactRuns ?? []), ...(fresh.artifactRuns ?? [])],
  };
  const start = runStart(graph, at, own, outputs);
  const restored = restore === undefined ? {} : { restore };
  batch.add(residents.create(graph, start, at).handle(store, { type: 'start', at, start, ...restored }));
}

type ContinuedRun = NonNullable<ChildStart['continues']>;

/** What becomes of a call whose sub-run is to continue one that is there. */
type Verdict =
  | { readonly type: 'continue'; readonly ended: RunRow }
  | { readonly type: 'begin anew' }
  | { readonly type: 'answer'; readonly ending: ChildEnding };

function judgeEnded(run: RunRow): Verdict {
  const { runId, quarantine, status, seq } = run;
  if (quarantine !== null) {
    const message = `Expected to continue run ${runId}, but it is in quarantine: ${quarantine}. Release it, then retry again`;
    return { type: 'answer', ending: { status: 'failed', error: { code: 'RUN_QUARANTINED', message } } };
  }
  // Its caller has ended, so that its own end is on the way: this message is tried again until then (RN3).
  if (!isTerminal(status))
    throw new StoreError('STORE_FAILED', `Expected run ${runId} to have ended with its caller, but it has not yet`);
  if (seq === 0) return { type: 'begin anew' }; // It was called off before it started.
  if (status !== 'completed') return { type: 'continue', ended: run };
  const { output = {} } = JSON.parse(run.result ?? '{}') as { readonly output?: Json }; // the journal wrote it
  return { type: 'answer', ending: { status, output } };
}

function gone(runId: string) {
  const message = `Expected to continue run ${runId}, but it was deleted`;
  return { type: 'answer', ending: { status: 'failed', error: { code: 'RUN_NOT_FOUND', message } } } as const;
}

type ChildEnding = Pick<ChildEnded, 'status' | 'output' | 'error'>;

/** For a sub-run that is none: it ended before it could begin. */
function answerParent(runId: string, batch: Batch, child: ChildStart, ending: ChildEnding): void {
  const message: Message = {
    type: 'child.ended',
    token: child.parent.token,
    childRunId: runId,
    ...ending,
    nodesUsed: 0,
    descendantsUsed: 0,
  };
  batch.addMessage({ id: `${runId}/refused`, to: child.parent.runId, message: JSON.stringify(message) });
}
