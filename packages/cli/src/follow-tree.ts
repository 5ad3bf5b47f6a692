// Follow tree: the events of a run and of the runs below it, as they come, each once and each run's in order: by the
// event stream of whoever has an engine, by looking again and again into a file that another process writes to.

import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal, type RunEvent, type RunSummary } from 'heddle';
import type { Heddle } from 'heddle/client';
import { reportOf } from './command-error.ts';
import { lookMs } from './follow.ts';
import type { Place } from './place.ts';

export interface Follower {
  readonly onEvent: (event: RunEvent) => void;
  /** Ends the following. */
  readonly signal: AbortSignal;
}

/** Until the run has ended or was set aside, or the signal says so. Answers with how it stands then. */
export async function followTree(place: Place, runId: string, follower: Follower): Promise<RunSummary> {
  await (place.isLive ? listen(place.heddle, runId, follower) : lookAgain(place.heddle, runId, follower));
  return place.heddle.run(runId).summary();
}

/** More runs than this below one are not followed: the view shows a few of them only. */
const runsMax = 200;

function childOf(event: RunEvent): string | null {
  return event.type === 'subworkflow.dispatched' ? event.childRunId : null;
}

export function isOver({ status, quarantine }: RunSummary): boolean {
  return isTerminal(status) || quarantine !== null;
}

async function lookAgain(heddle: Heddle, rootRunId: string, { onEvent, signal }: Follower): Promise<void> {
  const last = new Map<string, string | undefined>([[rootRunId, undefined]]);
  while (!signal.aborted) {
    // How it stands is asked before its events are read: what comes in between is read by the next look.
    const summary = await heddle.run(rootRunId).summary();
    // Runs that are found on the way are looked at too: the loop over a map includes what is added.
    for (const [runId, after] of last) {
      for await (const event of readFrom(heddle, runId, after)) {
        last.set(runId, event.id);
        onEvent(event);
        const child = childOf(event);
        if (child !== null && !last.has(child) && last.size < runsMax) last.set(child, undefined);
      }
    }
    if (isOver(summary)) return;
    await sleep(lookMs, null, { signal }).catch(() => undefined); // told to end
  }
}

/** Nothing of a run that is not there yet. */
async function* readFrom(heddle: Heddle, runId: string, after: string | undefined): AsyncIterable<RunEvent> {
  try {
    yield* heddle.run(runId).events({ follow: false, ...(after === undefined ? {} : { after }) });
  } catch (error) {
    if (reportOf(error).code !== 'RUN_NOT_FOUND') throw error;
  }
}

/** How long those below may still tell their ends when the root has ended. */
const restMs = 500;
const childTriesMax = 50;
const childDelayMs = 100;

async function listen(heddle: Heddle, rootRunId: string, { onEvent, signal }: Follower): Promise<void> {
  const below = new AbortController();
  const stop = (): void => below.abort();
  signal.addEventListener('abort', stop, { once: true });
  const children = new Map<string, Promise<void>>();
  const pass = (event: RunEvent): void => {
    onEvent(event);
    const child = childOf(event);
    if (child === null || children.has(child) || children.size >= runsMax) return;
    children.set(child, listenToChild(heddle, child, { onEvent: pass, signal: below.signal }));
  };
  try {
    await listenTo(heddle, rootRunId, { onEvent: pass, signal });
    await Promise.race([Promise.all(children.values()), sleep(restMs)]);
  } finally {
    signal.removeEventListener('abort', stop);
    below.abort();
  }
}

async function listenTo(heddle: Heddle, runId: string, { onEvent, signal }: Follower): Promise<void> {
  try {
    for await (const event of heddle.run(runId).events({ signal })) onEvent(event);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** A run that was called is there a moment later; the view can do without it, so that its faults are not the command's. */
async function listenToChild(heddle: Heddle, runId: string, follower: Follower): Promise<void> {
  for (let tries = 1; tries <= childTriesMax && !follower.signal.aborted; tries++) {
    try {
      await listenTo(heddle, runId, follower);
      return;
    } catch (error) {
      if (reportOf(error).code !== 'RUN_NOT_FOUND') return;
      await sleep(childDelayMs);
    }
  }
}
