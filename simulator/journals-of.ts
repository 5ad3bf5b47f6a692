// Journals of: what the runs of a program come to where nothing goes wrong and runs do not meet, without what follows from their
// ids: the same for every number of shards, and on every host.

import type { Json } from '../packages/heddle/src/base/json.ts';
import { Dice } from '../packages/heddle/src/simulation/dice.ts';
import { Faults } from '../packages/heddle/src/simulation/faults.ts';
import { Play } from '../packages/heddle/src/simulation/play.ts';
import type { WorldOptions } from '../packages/heddle/src/simulation/world.ts';
import { makeDataflow } from './dialects/dataflow.ts';
import { makeHandle } from './dialects/handle.ts';
import { makeThread } from './dialects/thread.ts';
import { makeProgram, makeWindows } from './programs/make-program.ts';
import { makeWild } from './programs/wild.ts';
import { readAllRuns } from './read-runs.ts';
import { scriptOf } from './script-of.ts';
import type { MakeWorkload, RunRecord } from './workload.ts';

/** By name. */
export const programKinds = {
  token: makeProgram,
  windows: makeWindows,
  dataflow: makeDataflow,
  thread: makeThread,
  handle: makeHandle,
  wild: makeWild,
} as const satisfies Readonly<Record<string, MakeWorkload>>;

export type ProgramKind = keyof typeof programKinds;

/** The journals of each run that was started, with those below it, in the order of starting. */
export async function journalsOf(
  kind: ProgramKind,
  seed: number,
  host: Pick<WorldOptions, 'shards' | 'makeStore' | 'unanswered'> = {},
): Promise<readonly string[]> {
  const workload = programKinds[kind](new Dice(seed));
  const definitions = workload.definitions.map(withoutJitter);
  // Whatever is left to chance comes out the same: nothing waits, and what is first is first.
  const dice = new Dice(seed, []);
  const script = { ...scriptOf(workload), definitions, outsideEvents: [], requests: [], hasMeddlers: false };
  const { limits } = workload;
  const play = new Play(script, {
    dice,
    ...host,
    faults: new Faults(dice, []),
    onCommit: () => undefined,
    ...(limits ? { limits } : {}),
  });
  await play.play(); // a run may wait for an event for ever
  const { stores, hash, limits: drawn } = play.world;
  const runs = await readAllRuns(stores, { hash, limits: drawn });
  const started = play.operations.flatMap(({ request, answer }) =>
    request.type === 'start' && typeof answer === 'string' ? [answer] : [],
  );
  return started.map((runId) => withoutIds(JSON.stringify(treeOf(runId, runs), withoutStack)));
}

/** It follows from the id of the run. */
const withoutJitter = (definition: Json): Json =>
  JSON.parse(JSON.stringify(definition).replaceAll(/"jitter":[\d.]+/g, '"jitter":0')) as Json;

/** It names the files and lines of whoever plays the world. */
const withoutStack = (name: string, value: unknown): unknown => (name === 'stack' ? undefined : value);

/** Those below a run come in the order in which it has called them. */
function treeOf(runId: string, runs: readonly RunRecord[]): readonly unknown[] {
  const { events = [], status, output } = runs.find((run) => run.runId === runId) ?? {};
  const called = events.flatMap((event) => (event.type === 'subworkflow.dispatched' ? [event.childRunId] : []));
  return [status, output, events, called.map((childRunId) => treeOf(childRunId, runs))];
}

/** Ids that are made have 26 characters, and say their shard; each is named by where it came first. */
function withoutIds(text: string): string {
  const known = new Map<string, string>();
  return text.replaceAll(/\b[0-9A-Za-z]{26}(?:~\d+)?\b/g, (id) => {
    const name = known.get(id) ?? `id ${known.size}`;
    known.set(id, name);
    return name;
  });
}

/** Where the first journals that are not the same part. */
export function difference(ones: readonly string[], others: readonly string[]): readonly string[] | null {
  // When people answer is not the engine's to say.
  const run = ones.findIndex((one, index) => one !== others[index] && !one.includes('"input.requested"'));
  if (run === -1) return null;
  const [one, other] = [ones[run] ?? '', others[run] ?? ''];
  let at = 0;
  while (one[at] === other[at]) at++;
  return [one, other].map((text) => text.slice(Math.max(0, at - 200), at + 100));
}
