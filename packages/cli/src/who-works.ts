// Who works: whether somebody executes a run that has not ended: an engine on its file, a worker for its tasks; and
// what to say where nobody does.
//
// Always true: it is said only where it is known: of a file by its lock, of workers by the server that they ask.

import type { RunSummary, Wait } from 'heddle';
import type { Place } from './place.ts';
import { printable, timeOf } from './terminal.ts';

/** Those that an engine works on; what is suspended or paused waits for people. */
const worked = new Set<string>(['submitted', 'running', 'waiting']);

const needsEngine = ({ status, quarantine }: RunSummary): boolean => worked.has(status) && quarantine === null;

/** A sentence with the next step if the run is in a file that no engine has open; else null. */
export async function findEngineLack(place: Place, summary: RunSummary): Promise<string | null> {
  const { name, flag, heddle } = place;
  if (place.isLive || !needsEngine(summary)) return null;
  if (await isWorkedOn(name)) return null;
  // It may have ended with the engine that worked on it.
  if (!needsEngine(await heddle.run(summary.runId).summary())) return null;
  const next = `npx heddle resume ${summary.rootRunId} ${flag} (with --actions MODULE for actions of yours)`;
  return `Nothing works on ${name} now; resume with: ${next}, or: npx heddle serve ${flag}`;
}

async function isWorkedOn(file: string): Promise<boolean> {
  const { hasWriter } = await import('heddle/sqlite');
  // Who may read the file but not its lock learns nothing about it, and is told nothing.
  return hasWriter(file).catch(() => true);
}

/** What tasks of a run wait for that nobody does: each action once, since when, in the words of `run.waits()`. */
export function describeLacks(waits: readonly Pick<Wait, 'kind' | 'action' | 'since' | 'text'>[]): readonly string[] {
  const first = new Map<string | undefined, (typeof waits)[number]>();
  for (const wait of waits.filter(({ kind }) => kind === 'worker')) {
    const since = first.get(wait.action)?.since ?? Infinity;
    if (!first.has(wait.action) || (wait.since ?? Infinity) < since) first.set(wait.action, wait);
  }
  return [...first.values()].map(({ text, since }) =>
    since === null ? printable(text) : `${printable(text)} (since ${timeOf(since)})`,
  );
}
