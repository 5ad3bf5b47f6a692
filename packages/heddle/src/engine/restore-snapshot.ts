// Restore: the runs of a snapshot resume in this engine, with the ids that they had. Rules TH42, TH43 and TH45.
//
// Always true: nothing is stored of a snapshot that is refused; nothing is believed of one that no store has sealed.

import type { StartCommand } from '../actor/mailbox.ts';
import { copyToJson } from '../base/check-json.ts';
import { HeddleError } from '../base/heddle-error.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { isJsonObject } from '../base/path.ts';
import { emptyState } from '../core/apply/apply.ts';
import type { EncodedState } from '../core/apply/encoded-state.ts';
import type { RunStart } from '../core/events.ts';
import { plan } from '../core/planning/plan.ts';
import { type Limits, wrappingLevels } from '../definition/limits.ts';
import type { Host } from './host.ts';
import { checksumOf } from './snapshot.ts';
import { isSealed, snapshotKeyOf } from './snapshot-seal.ts';

/** Answers with the id of the root. */
export async function restoreSnapshot(host: Host, source: unknown, trustedKeys: readonly string[]): Promise<string> {
  // What else the process has to do comes between the looks at it, each of which takes 50 ms a megabyte.
  const pause = (): Promise<void> => new Promise((resolve) => host.clock.defer(resolve));
  const json = snapshotJson(source, host.limits);
  await pause();
  const runs = readSnapshot(json);
  await pause();
  refuseUnsealed(json, [await snapshotKeyOf(host.store), ...trustedKeys]);
  const starts: StartCommand[] = [];
  for (const run of runs) {
    await pause();
    starts.push(await commandFor(host, run));
  }
  await pause();
  const { runId } = runs[0].start;
  await host.inbox.restore(runId, starts);
  return runId;
}

interface Checkpoint {
  readonly start: RunStart;
  readonly state: Json;
}

/** TH42: a snapshot that is not whole, of runs that are here already, or of workflows that are not, is refused. */
async function commandFor({ definitions, clock }: Host, { start, state }: Checkpoint): Promise<StartCommand> {
  const { runId, workflow, version, hash } = start;
  const graph = await definitions.mustFind(workflow, version);
  if (graph.hash !== hash) {
    const message = `Expected workflow ${workflow} version ${version} as run ${runId} knows it (hash ${hash}), but here it is another (hash ${graph.hash})`;
    throw new HeddleError('WORKFLOW_NOT_FOUND', message);
  }
  // TH43: the run goes on exactly where it stopped; what was under way is handed out again.
  const command = { type: 'start', at: clock.now(), start, restore: state, isWhole: true } as const;
  try {
    plan(graph, emptyState(), command);
  } catch (cause) {
    throw invalid(`the checkpoint of run ${runId} to be one, but it cannot be taken over`, cause);
  }
  return command;
}

function invalid(expected: string, cause?: unknown): HeddleError {
  return new HeddleError('SNAPSHOT_INVALID', `Expected ${expected}`, cause === undefined ? {} : { cause });
}

/** What somebody hands in for one, as JSON. */
function snapshotJson(source: unknown, { jsonDepthMax }: Pick<Limits, 'jsonDepthMax'>): Json {
  // It is in memory already, whatever its size.
  const bounds = { bytesMax: Infinity, depthMax: jsonDepthMax + wrappingLevels, limitName: 'jsonDepthMax' };
  const checked = copyToJson(source, bounds);
  if (checked.ok) return checked.value;
  throw invalid(`a snapshot to be JSON, but ${checked.message} (at ${checked.pointer || 'the top'})`);
}

function refuseUnsealed(json: Json, keys: readonly string[]): void {
  if (isSealed(json as JsonObject, keys)) return; // `readSnapshot` has seen that it is one
  throw invalid(
    'a snapshot with the seal of this store, or of one in `trustedSnapshotKeys`, but its seal is missing or another',
  );
}

function readSnapshot(json: Json): readonly [Checkpoint, ...Checkpoint[]] {
  if (!isJsonObject(json) || json['format'] !== 'heddle-snapshot') throw invalid('a snapshot of runs, but it is none');
  if (json['formatVersion'] !== 1) {
    throw invalid(`a snapshot of format version 1, but found ${JSON.stringify(json['formatVersion'])}`);
  }
  const list = Array.isArray(json['runs']) ? (json['runs'] as readonly Json[]) : []; // a list in JSON
  const [root, ...others] = list.map(readCheckpoint);
  if (root === undefined) throw invalid('a snapshot to hold runs, but there is none');
  const ids = new Set([root, ...others].map(({ start }) => start.runId));
  const stray = others.find(({ start }) => start.parent === null || !ids.has(start.parent.runId));
  if (root.start.parent !== null || stray !== undefined || ids.size <= others.length) {
    throw invalid('a snapshot to hold one root and its sub-runs, each once, but it does not');
  }
  return [root, ...others];
}

function readCheckpoint(run: Json, index: number): Checkpoint {
  const { runId, workflow, version, checkpoint, checksum }: JsonObject = isJsonObject(run) ? run : {};
  const what = typeof runId === 'string' ? `run ${runId}` : `run number ${index + 1}`;
  if (checkpoint === undefined || checkpoint === null) {
    throw invalid(`the snapshot of ${what} to have its checkpoint, but it has none`);
  }
  if (checksum !== checksumOf(checkpoint)) {
    throw invalid(`the checkpoint of ${what} to be as it was taken, but its checksum differs`);
  }
  const start = (checkpoint as unknown as EncodedState).run; // as it was taken: see the checksum
  if (!start || start.runId !== runId || start.workflow !== workflow || start.version !== version) {
    throw invalid(`the checkpoint of ${what} to be that of the run, but it is another's`);
  }
  return { start, state: checkpoint };
}
