// Handle run: a run as the handle dialect records it.

import { copyJson } from '../base/copy-json.ts';
import type { Json } from '../base/json.ts';
import { type Execution, executionOf } from '../dialects/handle/execution.ts';
import type { Host } from './host.ts';
import { wrongDialect } from './wrong-dialect.ts';

/** The execution record as of now. */
export function readExecution({ inbox }: Host, runId: string): Promise<Execution> {
  return inbox.read(runId, (state, { policy }) => {
    // HN25: only a run of a handle graph has an execution record.
    if (policy.dialect !== 'handle') throw wrongDialect(runId, { expected: 'handle', found: policy.dialect });
    return copyJson(executionOf(state) as unknown as Json) as unknown as Execution; // plain data
  });
}
