// The state of a run as of its first so many events, folded from its journal.

import type { JsonObject } from 'heddle';
import { apply, emptyState, journaled, type RunEvent } from 'heddle/journal';

export function stateAt(events: readonly RunEvent[], moment: number): JsonObject {
  const run = emptyState();
  for (const event of events.slice(0, Math.max(0, moment))) {
    run.at = event.at;
    apply(run, journaled(event));
  }
  return run.root.context?.state ?? {};
}
