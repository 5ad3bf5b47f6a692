// CheckFirings: every event and every end of a run that a trigger listens for has started one run, and nothing else has.
// Workflows that start each other do so as often as they may, and no more.

import type { JsonObject } from '../../packages/heddle/src/base/json.ts';
import { defaultLimits } from '../../packages/heddle/src/definition/limits.ts';
import type { EndedWorld, RunRecord } from '../workload.ts';

export function checkFirings({ runs, operations }: EndedWorld): string | null {
  const ended = runsOf(runs, 'work').map(({ runId }) => runId);
  return (
    compare('end of a run', ended, firedBy(runsOf(runs, 'after'), 'sourceRunId')) ??
    compare('event', publishedIn(operations), firedBy(runsOf(runs, 'heard'), 'eventId'))
  );
}

/** Those that start each other, in turn; an event starts the first. */
export const chain: readonly [string, ...string[]] = ['tick', 'tock'];

/** Each run of a chain is fired by the end of the one before, until the last is as deep as a run may be. */
export function checkChain({ runs, operations }: EndedWorld): string | null {
  let causes = publishedIn(operations);
  for (let depth = 1; depth <= defaultLimits.triggerDepthMax + 1; depth++) {
    const workflow = chain[(depth - 1) % chain.length] ?? '';
    const fired = runsOf(runs, workflow).filter((run) => triggerOf(run).depth === depth);
    const field = depth === 1 ? 'eventId' : 'sourceRunId';
    const wrong = compare(`link ${depth} of a chain`, causes, firedBy(fired, field));
    if (wrong !== null) return wrong;
    causes = depth < defaultLimits.triggerDepthMax ? fired.map(({ runId }) => runId) : [];
  }
  return null;
}

const runsOf = (runs: readonly RunRecord[], workflow: string): RunRecord[] =>
  runs.filter((run) => run.workflow === workflow);

/** Each once, however often it was sent. */
const publishedIn = (operations: EndedWorld['operations']): string[] => [
  ...new Set(operations.flatMap(({ request }) => (request.type === 'publish' ? [request.id] : []))),
];

const firedBy = (runs: readonly RunRecord[], field: string): string[] =>
  runs.map((run) => JSON.stringify(triggerOf(run)[field] ?? null));

function triggerOf({ events: [started] }: RunRecord): JsonObject {
  return (started?.type === 'workflow.started' ? started.trigger : undefined) ?? {};
}

function compare(what: string, expected: readonly string[], fired: readonly string[]): string | null {
  const wanted = expected.map((id) => JSON.stringify(id));
  const isSame = wanted.toSorted().join() === fired.toSorted().join();
  return isSame ? null : `Expected one run for each ${what}, ${expected.join()}, but found those for ${fired.join()}`;
}
