// Who works: whether somebody executes a run that has not ended: an engine on its file, a worker for its tasks; and
// what to say where nobody does.
//
// Always true: it is said only where it is known: of a file by its lock, of workers by the server that they ask.

import type { ActionInfo, RunSummary, TokenInfo } from 'heddle';
import type { Heddle } from 'heddle/client';
import { listActions } from './actions-command.ts';
import { reportOf } from './command-error.ts';
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

/** What tasks of a run wait for that no worker has taken: by action, in words. */
export async function findAwaitedWorkers(
  place: Place,
  summary: RunSummary,
  tokens: readonly TokenInfo[],
): Promise<readonly string[]> {
  const waiting = tokens.filter(({ status, isExecuting }) => status === 'dispatched' && !isExecuting);
  if (!place.isLive || waiting.length === 0) return [];
  const nodes = new Set(waiting.map(({ node }) => node));
  try {
    const names = await actionsOf(place.heddle, summary, nodes);
    const known = await listActions(place);
    return known.filter((action) => names.has(action.name) && isAwaited(action)).map(describe);
  } catch (error) {
    // A key that may look at runs alone is told no less than before.
    if (reportOf(error).code === 'SCOPE_MISSING') return [];
    throw error;
  }
}

/** Actions that tasks wait for and nobody has: by action, with since when, in words. */
export function describeAwaitedActions(tokens: readonly Pick<TokenInfo, 'waitsFor'>[]): readonly string[] {
  const since = new Map<string, number>();
  for (const { waitsFor } of tokens)
    if (waitsFor) since.set(waitsFor.action, Math.min(waitsFor.since, since.get(waitsFor.action) ?? Infinity));
  return [...since].map(([action, at]) => {
    const name = printable(JSON.stringify(action));
    return `for the action ${name}, which is not available, since ${timeOf(at)}`;
  });
}

const isAwaited = ({ place, waiting }: ActionInfo): boolean => place === 'workers' && waiting > 0;

function describe({ name, lastAskedAt }: ActionInfo): string {
  const asked = lastAskedAt === null ? 'none has asked for it yet' : `the last one asked at ${timeOf(lastAskedAt)}`;
  return `for a worker that does ${printable(JSON.stringify(name))}; ${asked}`;
}

async function actionsOf(
  heddle: Heddle,
  { workflow, version }: RunSummary,
  nodeIds: ReadonlySet<string>,
): Promise<ReadonlySet<unknown>> {
  const { definition } = await heddle.definition(workflow, version);
  const { nodes = [] } = definition as { readonly nodes?: readonly WrittenNode[] }; // it was registered, so it fits
  const named = nodes.filter(({ id }) => nodeIds.has(id));
  return new Set(named.map(({ action, type }) => action ?? type));
}

/** As dialects have them in common: an id, and what does the work. */
interface WrittenNode {
  readonly id: string;
  readonly action?: unknown;
  readonly type?: unknown;
}
