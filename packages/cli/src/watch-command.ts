// `heddle watch`: a run while it is running, drawn live on a terminal and as plain lines elsewhere, until it has ended.
//
// Always true: watching changes nothing; whoever stops watching does not stop the run.

import type { RunSummary } from 'heddle';
import type { RunHandle } from 'heddle/client';
import type { Board } from './board.ts';
import { exitCodes } from './command-error.ts';
import { findRun } from './find-run.ts';
import { withStopSignal } from './follow.ts';
import { followTree, isOver } from './follow-tree.ts';
import { type Place, type PlaceOptions, withPlace } from './place.ts';
import { hideProgress, type Progress, showProgress } from './progress.ts';
import { jsonLine } from './report-ending.ts';
import { describeSuspension, suspensionOf } from './suspension.ts';
import { output, prettyJson, printable, progress as terminal } from './terminal.ts';
import { describeLacks, findEngineLack } from './who-works.ts';

export interface WatchOptions extends PlaceOptions {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export function watchCommand(given: string, options: WatchOptions): Promise<number> {
  return withPlace(options, 'look', async (place) => {
    const run = await findRun(place, given);
    return watchRun(place, run, options);
  });
}

/** What else happened just before a run was suspended is shown first. */
const calmMs = 600;

/** Shows a run until it has ended, and answers with its output. */
export async function watchRun(place: Place, run: RunHandle, options: WatchOptions): Promise<number> {
  const { createdAt: startedAt } = await run.summary(); // A run that is not there is refused here.
  const progress = options.quiet ? hideProgress(terminal) : showProgress(terminal, { startedAt });
  const summary = await withStopSignal((signal) => showUntilOver(place, run, { progress, signal }));
  return conclude(place, summary, { progress, json: options.json ?? false });
}

interface Shown {
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

async function showUntilOver(place: Place, run: RunHandle, { progress, signal }: Shown): Promise<RunSummary> {
  const poll = pollProgress(place, progress, signal);
  const lacks = tellLacks(place, run, progress);
  let saying: NodeJS.Timeout | undefined;
  try {
    const onEvent = (event: Parameters<Progress['add']>[0]): void => {
      progress.add(event);
      if (event.type === 'workflow.suspended' && event.runId === run.id)
        saying = setTimeout(() => void sayWaits(place, run.id, progress), calmMs);
    };
    return await followTree(place, run.id, { onEvent, signal });
  } finally {
    clearInterval(poll);
    clearInterval(lacks);
    clearTimeout(saying);
    progress.stop();
  }
}

function conclude(
  { flag }: Place,
  summary: RunSummary,
  { progress, json }: { readonly progress: Progress; readonly json: boolean },
): number {
  const { runId, status, error, output: result } = summary;
  progress.stop();
  if (json) output.line(jsonLine(summary));
  else if (status === 'completed') output.line(prettyJson(result ?? null));
  if (!isOver(summary))
    terminal.line(`Stopped watching; the run continues. Watch it again with: npx heddle watch ${runId} ${flag}`);
  else if (status !== 'completed') {
    const why = error ? `: ${error.code}: ${printable(error.message)}` : '';
    terminal.line(`${terminal.paint('red', status)}: run ${runId} did not complete${why}`);
  }
  return status === 'completed' ? exitCodes.done : exitCodes.notCompleted;
}

/** Says what a suspended run waits for, and how to give it; where the picture says nothing of it. */
async function sayWaits({ heddle, flag }: Place, runId: string, progress: Progress): Promise<void> {
  try {
    const suspension = await suspensionOf(heddle, await heddle.run(runId).summary());
    const [prompt] = suspension.prompts;
    if (prompt) progress.say(`${describeSuspension(suspension)}; answer with: npx heddle reply ${runId} ${flag}`);
    else if (suspension.events.length > 0) progress.say(`Run ${runId}: ${describeSuspension(suspension)}`);
  } catch {
    // It was answered meanwhile, or the place was closed: nothing waits any more.
  }
}

const lackMs = 1_000;

/** Says it where nobody executes the run: once two looks in a row have found so, and again if it was otherwise in between. */
function tellLacks(place: Place, run: RunHandle, progress: Progress): NodeJS.Timeout {
  const seen = new Map<string, number>();
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const lacks = await lacksOf(place, run, progress).catch(() => null); // the place was closed, or is away for a moment
    for (const told of seen.keys()) if (lacks?.includes(told) === false) seen.delete(told);
    for (const lack of lacks ?? []) {
      const times = (seen.get(lack) ?? 0) + 1;
      seen.set(lack, times);
      if (times === 2) progress.say(lack);
    }
    isLooking = false;
  };
  return setInterval(() => void look(), lackMs);
}

async function lacksOf(place: Place, run: RunHandle, { board }: Progress): Promise<readonly string[]> {
  const lack = await findEngineLack(place, await run.summary());
  const lacks = lack === null ? [] : [lack];
  for (const runId of place.isLive ? busyRuns(board) : []) {
    const found = describeLacks(await place.heddle.run(runId).waits());
    lacks.push(...found.map((words) => `Run ${runId} ${words}`));
  }
  return lacks;
}

const pollMs = 400;
/** Asking for the tokens of a run costs as much as it has: of large ones, the events alone are shown. */
const tokensMax = 500;

/** How far tasks say that they are is in no journal: whoever has the engine is asked again and again. */
function pollProgress(place: Place, progress: Progress, signal: AbortSignal): NodeJS.Timeout | undefined {
  if (!place.isLive) return undefined;
  let isAsking = false;
  const ask = async (): Promise<void> => {
    if (isAsking || signal.aborted) return;
    isAsking = true;
    for (const runId of busyRuns(progress.board)) await tellTokens(place, runId, progress);
    isAsking = false;
  };
  return setInterval(() => void ask(), pollMs);
}

function busyRuns({ runs }: Board): string[] {
  const isBusy = ({ tokens }: { tokens: Map<number, { phase: string }> }): boolean =>
    tokens.size <= tokensMax && [...tokens.values()].some(({ phase }) => phase === 'running');
  return [...runs.values()].filter((run) => run.endedAt === null && isBusy(run)).map(({ runId }) => runId);
}

async function tellTokens({ heddle }: Place, runId: string, progress: Progress): Promise<void> {
  try {
    for (const { id: tokenId, node: nodeId, progress: told } of await heddle.run(runId).tokens())
      if (told) progress.tell({ ...told, runId, tokenId, nodeId });
  } catch {
    // The bar stands still for a moment; what matters comes with the events.
  }
}
