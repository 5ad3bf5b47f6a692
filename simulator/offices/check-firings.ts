// CheckFirings: every event and every end of a run that a trigger listens for has started one run, and nothing else has.

import type { EndedWorld, RunRecord } from '../workload.ts';

export function checkFirings({ runs, operations }: EndedWorld): string | null {
  const ended = runs.filter(({ workflow }) => workflow === 'work').map(({ runId }) => runId);
  const published = operations.flatMap(({ request }) => (request.type === 'publish' ? [request.id] : []));
  return (
    compare('end of a run', ended, firedBy(runs, 'after', 'sourceRunId')) ??
    compare('event', [...new Set(published)], firedBy(runs, 'heard', 'eventId'))
  );
}

function firedBy(runs: readonly RunRecord[], workflow: string, field: string): string[] {
  return runs
    .filter((run) => run.workflow === workflow)
    .map(({ events }) => {
      const [started] = events;
      return started?.type === 'workflow.started' ? JSON.stringify(started.trigger?.[field] ?? null) : '';
    });
}

function compare(what: string, expected: readonly string[], fired: readonly string[]): string | null {
  const wanted = expected.map((id) => JSON.stringify(id));
  const isSame = wanted.toSorted().join() === fired.toSorted().join();
  return isSame ? null : `Expected one run for each ${what}, ${expected.join()}, but found those for ${fired.join()}`;
}
