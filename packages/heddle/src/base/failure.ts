// Failure: what went wrong in a run, as data. Journaled, shown, matched by failure routes and retry policies.

import type { Json } from './json.ts';

export interface Failure {
  /** A stable word in capitals, such as `TASK_TIMEOUT`: what programs match on. */
  readonly code: string;
  /** `Expected …, but …`, with the ids: what people read. */
  readonly message: string;
  /** The node at which it happened, where there is one. */
  readonly nodeId?: string;
  /** How many attempts were made, for a failed task. */
  readonly attempts?: number;
  /** The limit that was exceeded, by its name in `limits.ts`. */
  readonly limit?: string;
  /** More for programs: the expression, the transition, the schema's complaints, an action's own details. */
  readonly details?: Json;
}
