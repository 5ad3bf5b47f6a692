// Time order: what several runs tell, in the order in which it happened. Each run tells its own events in order, but the
// news of one may come before the older news of another.

import type { RunEvent } from 'heddle';

/** In the order of time. Of the same time: who calls a run before that run, and that run before what follows from it. */
export function inTimeOrder<T extends { readonly event: RunEvent }>(entries: readonly T[]): T[] {
  const sorted = entries.toSorted((a, b) => a.event.at - b.event.at);
  const ordered: T[] = [];
  for (let from = 0; from < sorted.length; ) {
    const at = sorted[from]?.event.at;
    let until = from + 1;
    while (sorted[until]?.event.at === at) until++;
    ordered.push(...settleTies(sorted.slice(from, until)));
    from = until;
  }
  return ordered;
}

function settleTies<T extends { readonly event: RunEvent }>(entries: readonly T[]): readonly T[] {
  const byRun = new Map<string, T[]>();
  for (const entry of entries) {
    const own = byRun.get(entry.event.runId);
    if (own) own.push(entry);
    else byRun.set(entry.event.runId, [entry]);
  }
  if (byRun.size < 2) return entries;
  const ordered: T[] = [];
  // Calls go no deeper than the engine lets sub-workflows go.
  const place = (runId: string): void => {
    const own = byRun.get(runId) ?? [];
    byRun.delete(runId);
    for (const entry of own) {
      if (entry.event.type === 'subworkflow.completed') place(entry.event.childRunId);
      ordered.push(entry);
    }
  };
  const calledNow = new Set(
    entries.flatMap(({ event }) => (event.type === 'subworkflow.dispatched' ? [event.childRunId] : [])),
  );
  for (const runId of byRun.keys()) if (!calledNow.has(runId)) place(runId);
  for (const runId of byRun.keys()) place(runId);
  return ordered;
}
