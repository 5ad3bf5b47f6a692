// CheckGifts: every event that was published has started one run of the trigger that listens, and none has started two; so has
// the end of every run that is listened for.

import type { EndedWorld, RunRecord } from '../workload.ts';

/** `given`: what actions have published, and heard so. */
export function checkGifts({ runs, operations }: EndedWorld, given: ReadonlySet<string>): string | null {
  const published = operations.flatMap(({ request }) =>
    request.type === 'publish' && request.name === 'gift' ? [request.id] : [],
  );
  const heard = causesOf(runs, 'heard', 'eventId');
  const ended = runs.filter(({ workflow }) => workflow === 'taker').map(({ runId }) => runId);
  const after = causesOf(runs, 'after', 'sourceRunId');
  for (const id of heard)
    if (!published.includes(id) && !runs.some(({ runId }) => id.startsWith(`gift ${runId}/`)))
      return `Expected event ${id} to be somebody's, but it is nobody's`;
  return (
    twice('event', heard) ??
    missing('event', [...published, ...given], heard) ??
    twice('end', after) ??
    missing('end', ended, after)
  );
}

const causesOf = (runs: readonly RunRecord[], workflow: string, field: string): string[] =>
  runs
    .filter((run) => run.workflow === workflow)
    .map(({ events: [started] }) => {
      const cause = started?.type === 'workflow.started' ? started.trigger?.[field] : undefined;
      return typeof cause === 'string' ? cause : '';
    });

function twice(what: string, causes: readonly string[]): string | null {
  const again = causes.find((cause, index) => causes.indexOf(cause) !== index);
  return again === undefined ? null : `Expected one run for each ${what}, but ${again} has started two`;
}

function missing(what: string, causes: readonly string[], fired: readonly string[]): string | null {
  const left = causes.find((cause) => !fired.includes(cause));
  return left === undefined ? null : `Expected the ${what} ${left} to fire, but it did not`;
}
