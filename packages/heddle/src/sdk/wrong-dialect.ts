// Wrong dialect: a view in the words of one dialect says nothing of a run of another.

import { HeddleError } from '../base/heddle-error.ts';
import type { Dialect } from '../definition/graph.ts';

export function wrongDialect(runId: string, { expected, found }: { expected: Dialect; found: Dialect }): HeddleError {
  const message = `Expected run ${runId} to be of a ${expected} graph, but it is of a ${found} graph`;
  return new HeddleError('DIALECT_MISMATCH', message);
}
