// Trace events: how planning came to its decisions, for runs that were started with `trace: true`. Derived, told to a sink
// and kept beside the journal (`actor/trace-log.ts`), never in it.

import type { Json } from '../base/json.ts';

export interface TraceEvent {
  readonly type:
    | 'decision.routing.start'
    | 'decision.routing.condition'
    | 'decision.sync.check_condition'
    | 'operation.context.field_set'
    | 'operation.tokens.status_updated'
    | 'dispatch.batch.complete'
    | 'sql.query';
  readonly data: Readonly<Record<string, Json>>;
}
