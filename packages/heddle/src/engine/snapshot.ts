// Snapshot: a run and its sub-runs as JSON, from which an engine resumes the same runs. Rules TH41 to TH44.
//
// Always true: a snapshot holds the runs as they were at one moment, at which no message between them was on its way.

import type { RunRow } from '../actor/ports.ts';
import { copyJson } from '../base/copy-json.ts';
import { sha256Hex } from '../base/hash.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { stableStringify } from '../base/stable-json.ts';
import { encodeState } from '../core/apply/snapshot.ts';
import type { RunState } from '../core/state.ts';
import { isTerminal } from '../core/views/status.ts';
import type { Graph } from '../definition/graph.ts';
import { type ThreadsView, viewThreads } from '../dialects/thread/view.ts';
import type { RunSnapshot, SnapshotRun } from '../operations/run-views.ts';
import type { Host } from './host.ts';
import { mustReadRun } from './must-read.ts';
import { sealOf, snapshotKeyOf } from './snapshot-seal.ts';

const triesMax = 20;
const messagesPerPage = 1_000;

/** TH41: a snapshot is taken of a root that has not ended, with all its sub-runs, when no message is on its way between them. */
export async function takeSnapshot(host: Host, runId: string): Promise<RunSnapshot> {
  for (let tries = 0; tries < triesMax; tries++) {
    refuseRun(await mustReadRun(host.store, runId));
    const runs = await readTree(host, runId);
    if (runs) return sealed(host, { takenAt: host.clock.now(), rootRunId: runId, runs });
    await new Promise<void>((resolve) => host.clock.defer(resolve));
  }
  const message = `Expected run ${runId} and its sub-runs to stand still for a moment, but they went on all the time`;
  throw new HeddleError('RUN_BUSY', `${message}; pause it first`);
}

async function sealed(
  { store, clock }: Host,
  taken: Pick<RunSnapshot, 'takenAt' | 'rootRunId' | 'runs'>,
): Promise<RunSnapshot> {
  const snapshot = { format: 'heddle-snapshot', formatVersion: 1, ...taken } as const;
  await new Promise<void>((resolve) => clock.defer(resolve)); // to read it took as long as the rest
  // As it is read back: what is undefined is not there.
  const json = copyJson(snapshot as unknown as JsonObject);
  return { ...snapshot, seal: sealOf(json, await snapshotKeyOf(store)) };
}

function refuseRun({ runId, rootRunId, status }: RunRow): void {
  if (rootRunId !== runId) {
    const message = `Expected a root run, but ${runId} is a sub-run: take the snapshot of its root ${rootRunId}`;
    throw new HeddleError('RUN_NOT_ROOT', message);
  }
  if (isTerminal(status)) throw new HeddleError('RUN_ENDED', `Expected run ${runId} to go on, but it is ${status}`);
}

/** Null if a run went on meanwhile. */
async function readTree(host: Host, rootRunId: string): Promise<readonly SnapshotRun[] | null> {
  const runs: SnapshotRun[] = [];
  const seqs = new Map<string, number | undefined>();
  const found = [rootRunId];
  for (const runId of found) {
    const row = await host.store.readRun(runId);
    seqs.set(runId, row?.seq);
    // How a sub-run ended is in its parent, or on its way there, which shows below.
    if (!row || isTerminal(row.status)) continue;
    const reading = await readRun(host, runId);
    if (!reading) return null;
    runs.push(reading.run);
    found.push(...reading.children);
  }
  // A run alone is read in one moment.
  return found.length === 1 || (await isStill(host, seqs)) ? runs : null;
}

interface Reading {
  readonly run: SnapshotRun;
  readonly children: readonly string[];
}

function readRun({ inbox }: Host, runId: string): Promise<Reading | null> {
  return inbox.read(runId, readState);
}

/** Null if it has ended meanwhile. */
function readState(state: RunState, graph: Graph): Reading | null {
  if (state.outcome !== null) return null;
  const checkpoint = copyJson(encodeState(state) as unknown as Json); // plain data
  const { id: workflow, version, hash } = graph;
  const children = [...state.tokens.values()].flatMap(({ childRunId }) => (childRunId === null ? [] : [childRunId]));
  return {
    run: {
      runId: state.run?.runId ?? '',
      workflow,
      version,
      hash,
      checkpoint,
      checksum: checksumOf(checkpoint),
      threads: withoutContexts(viewThreads(state, graph)),
    },
    children,
  };
}

/** As JSON a context that a thousand threads share would stand there a thousand times. */
function withoutContexts({ threads, ...view }: ThreadsView): SnapshotRun['threads'] {
  return { ...view, threads: threads.map(({ context: _, ...thread }) => thread) };
}

export const checksumOf = (checkpoint: Json): string => sha256Hex(stableStringify(checkpoint));

async function isStill({ store }: Host, seqs: ReadonlyMap<string, number | undefined>): Promise<boolean> {
  for (const [runId, seq] of seqs) if ((await store.readRun(runId))?.seq !== seq) return false;
  for (let after: string | null = null; ; ) {
    const messages = await store.readOutbox(after, messagesPerPage);
    if (messages.some(({ to }) => seqs.has(to))) return false;
    after = messages.at(-1)?.id ?? null;
    if (after === null) return true;
  }
}
