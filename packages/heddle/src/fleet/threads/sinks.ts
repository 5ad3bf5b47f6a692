// Sinks: what shards tell as it happens, told to whoever asked for it in the main thread.

import type { ErrorContext, Observers, Sinks, TaskProgress } from '../../actor/observers.ts';
import type { RunEvent } from '../../core/run-event.ts';
import type { TraceEvent } from '../../core/trace.ts';
import { type CrossingError, unpackError } from '../crossing-error.ts';
import type { Handlers } from './line.ts';
import type { CrossingCommit } from './shard-plan.ts';

export function sinkHandlers(sinks: Sinks, observers: Observers): Handlers {
  return {
    onEvent: ([event]: readonly [RunEvent]) => observers.call(event.runId, () => sinks.onEvent?.(event)),
    onCommit: ([{ actions, ...committed }]: readonly [CrossingCommit]) =>
      observers.call(committed.row.runId, () =>
        sinks.onCommit?.({ ...committed, actionOf: (token) => actions.get(token) ?? null }),
      ),
    onTrace: ([event]: readonly [TraceEvent & { readonly runId: string }]) =>
      observers.call(event.runId, () => sinks.onTrace?.(event)),
    onProgress: ([progress]: readonly [TaskProgress]) =>
      observers.call(progress.runId, () => sinks.onProgress?.(progress)),
    onError: ([error, context]: readonly [CrossingError, ErrorContext]) =>
      observers.broken(unpackError(error), context),
  };
}
